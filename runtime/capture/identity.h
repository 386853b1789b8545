#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace runtime {

/// Tells which value of a graph a tensor is: the place in memory that it is a view of. Memory is held weakly: it is freed as
/// ever, and what is allocated at its address later is other memory.
class TensorIdentity {
 public:
  /// Tensors on the host are marked where the device is none.
  explicit TensorIdentity(at::Device device) : device_(device) {}

  /// The value of a tensor, where it has one. Error: Unsupported for tensors without strided memory.
  std::optional<int> find(const at::Tensor& tensor) const;
  /// Whether some value lies in the tensor's memory.
  bool knowsMemory(const at::Tensor& tensor) const { return memoryOf(tensor).has_value(); }
  /// Whether the tensor lies in memory that was there before the graph ran.
  bool isOutside(const at::Tensor& tensor) const;
  /// Makes it a value, of this name or one like it. `isOutside` says so of memory that is not known yet.
  int add(const at::Tensor& tensor, const std::string& name, bool isOutside);
  /// Adds a value that is no tensor of the run.
  int add(const std::string& name, const ir::TensorType& type);
  void rename(int value, const std::string& name);
  const std::string& name(int value) const { return values_.at(static_cast<size_t>(value)).name; }

  /// The values, and the storages that several of them share.
  std::vector<ir::GraphValue> values(std::vector<ir::Storage>& storages);
  void setRole(int value, ir::Role role) { values_.at(static_cast<size_t>(value)).role = role; }

 private:
  struct Memory {
    c10::weak_intrusive_ptr<c10::StorageImpl> held;
    int64_t bytes = 0;
    bool isOutside = false;
    int values = 0;  ///< how many lie in it
  };
  using Place = std::tuple<int, int64_t, ir::DType, ir::Shape, ir::Strides>;

  std::optional<int> memoryOf(const at::Tensor& tensor) const;
  std::string unused(const std::string& name);

  at::Device device_;
  std::vector<Memory> memories_;
  std::unordered_map<const c10::StorageImpl*, int> byStorage_;
  std::vector<ir::GraphValue> values_;  ///< their storage is one of memories_, or -1
  std::map<Place, int> byPlace_;
  std::unordered_set<std::string> names_;
};

}  // namespace runtime
