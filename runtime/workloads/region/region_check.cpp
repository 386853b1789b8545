#include "runtime/workloads/region/region_check.h"

#include "ir/error.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

class RegionTypes {
 public:
  RegionTypes(const std::string& op, const ir::Graph& graph, const std::vector<at::Tensor>& inputs)
      : op_(op), graph_(graph), tensors_(graph.values.size()) {
    for (size_t i = 0; i < inputs.size(); ++i) see(graph.inputs[i], inputs[i]);
  }

  void see(int value, const at::Tensor& tensor) {
    const ir::GraphValue& expected = graph_.values[static_cast<size_t>(value)];
    const ir::TensorType found = typeOf(tensor);
    if (found != expected.type)
      refuse("{} is {} where ATen gives {}", expected.name, ir::toText(expected.type), ir::toText(found));
    for (size_t other = 0; other < tensors_.size(); ++other)
      if (tensors_[other].defined() && other != static_cast<size_t>(value)) compare(expected, tensor, other);
    at::Tensor& known = tensors_[static_cast<size_t>(value)];
    if (known.defined() && known.mutable_data_ptr() != tensor.mutable_data_ptr()) refuse("{} is made anew", expected.name);
    known = tensor;
  }

 private:
  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> text, Args&&... args) const {
    ir::fail(ir::ErrorKind::Input, "{}: {}", op_, fmt::format(text, std::forward<Args>(args)...));
  }

  void compare(const ir::GraphValue& value, const at::Tensor& tensor, size_t number) const {
    const ir::GraphValue& other = graph_.values[number];
    const bool share = value.storage >= 0 && value.storage == other.storage;
    if (share != tensor.is_alias_of(tensors_[number]))
      refuse("{} {} in the memory of {}, which ATen sees otherwise", value.name, share ? "lies" : "does not lie", other.name);
    if (!share) return;
    const int64_t expected = value.offset * ir::sizeOf(value.type.dtype) - other.offset * ir::sizeOf(other.type.dtype);
    const int64_t found = tensor.storage_offset() * static_cast<int64_t>(tensor.itemsize()) -
                          tensors_[number].storage_offset() * static_cast<int64_t>(tensors_[number].itemsize());
    if (expected != found) refuse("{} lies {} bytes behind {} where ATen has {}", value.name, expected, other.name, found);
  }

  const std::string& op_;
  const ir::Graph& graph_;
  std::vector<at::Tensor> tensors_;  ///< by value, all kept alive
};

}  // namespace

void checkRegion(const std::string& op, const ir::Graph& graph, const BoundGraph& bound, const std::vector<at::Tensor>& inputs) {
  RegionTypes types(op, graph, inputs);
  bound.run(inputs, [&](int value, const at::Tensor& tensor) { types.see(value, tensor); });
}

}  // namespace runtime
