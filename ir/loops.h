#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "ir/tensor_type.h"

namespace ir {

/// A buffer that loops and kernels read or write. Reads and writes of one buffer happen element by element in place: a
/// buffer that is both is read only at the offset that is then written, or does not alias another one.
struct Buffer {
  std::string name;  ///< `self`, `other`, `out0`: for dumps
  TensorType type;
  int value = -1;  ///< the value of the graph it stands for, or one that loops leave to later ones
  bool isRead = false;
  bool isWritten = false;
  bool isPart = false;  ///< other loops write the elements that these do not, and none reads or writes theirs
  bool operator==(const Buffer&) const = default;
};

/// `buffers[buffer][offset] = value`, for every point of the axes; the value has the buffer's dtype.
struct StoreTo {
  int buffer = 0;
  const Expr* offset = nullptr;
  const Expr* value = nullptr;
  /// The element becomes its combination with the value, by an operation that isReduction, once for each point of all axes.
  /// Several points may have one element. Nothing else stores to the buffer or reads it.
  std::optional<Op> accumulate = {};
};

/// A computation before it is scheduled: for every point of the axes, in any order, the stores. A store whose offset and
/// value do not depend on an axis happens once for all its values, unless it accumulates: such are the results that a row has
/// once.
struct Loops {
  std::string name;  ///< of the operator, for dumps and symbols: `aten_add_Tensor`
  ExprPoolPtr pool;
  std::vector<Buffer> buffers;
  std::vector<const Expr*> axes;  ///< outermost first
  std::vector<StoreTo> stores;
};

/// The values of stores, in their order: of loops' StoreTo or of lanes' Store.
template <typename Stores>
std::vector<const Expr*> storedValues(const Stores& stores) {
  std::vector<const Expr*> values;
  for (const auto& store : stores) values.push_back(store.value);
  return values;
}

/// All expressions of stores: the offset and the value of each.
template <typename Stores>
std::vector<const Expr*> rootsOf(const Stores& stores) {
  std::vector<const Expr*> roots;
  for (const auto& store : stores) roots.insert(roots.end(), {store.offset, store.value});
  return roots;
}

}  // namespace ir
