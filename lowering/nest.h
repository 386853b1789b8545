#pragma once

#include <optional>
#include <vector>

#include "ir/loops.h"

namespace lowering {

/// One reduction of a nest: `body` over the nest's axes, combined over the reduced ones.
struct Reduction {
  ir::Op op = ir::Op::Add;
  const ir::Expr* body = nullptr;
  const ir::Expr* result = nullptr;  ///< what stands for it in later bodies and in stores: a Load of its accumulator
  int pass = 0;                      ///< one more than that of the reductions its body needs
};

/// Loops with reductions, as what happens once for each row (the points of the kept axes) and for each of its elements (the
/// points of the reduced axes): softmax's rows are [batch], its elements [classes]; batch norm's [channels] and
/// [images, height, width]. Nothing in it contains a Reduce: reduction i is read as element 0 of buffer
/// `loops.buffers.size() + i`, which is a local array of the kernel to come.
struct Nest {
  std::vector<const ir::Expr*> kept, reduced;
  std::vector<Reduction> reductions;       ///< those that a body needs come before it
  std::vector<ir::StoreTo> rowStores;      ///< do not depend on the reduced axes
  std::vector<ir::StoreTo> elementStores;  ///< do

  /// Sweeps over the elements that compute reductions; storing elements takes one more.
  int passes() const;
};

/// The nest of loops with reductions; nothing where they have none. Error: Unsupported where the reductions do not share
/// their axes, or where something is stored for some of a row's axes, or an element's, and not for the others.
std::optional<Nest> nestOf(const ir::Loops& loops);

}  // namespace lowering
