#include "runtime/run_tensor.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/empty_strided.h>

#include <algorithm>

#include "inputs/data/materialize.h"
#include "runtime/torch/guard.h"

namespace runtime {

RunTensor runTensor(const ir::Graph& graph, int value) {
  const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), value);
  const int place = input == graph.inputs.end() ? -1 : static_cast<int>(input - graph.inputs.begin());
  const ir::TensorType& type = graph.values.at(static_cast<std::size_t>(value)).type;
  return {value, place, type.sizes, type.strides, inputs::scalarType(type.dtype)};
}

at::Tensor allocate(const RunTensor& tensor, const std::vector<at::Tensor>& operands, at::Device device, Guards guards) {
  if (tensor.input >= 0) return operands[static_cast<std::size_t>(tensor.input)];
  const auto options = at::TensorOptions(tensor.dtype).device(device);
  if (guards == Guards::None)
    return device.is_cpu() ? at::detail::empty_strided_cpu(tensor.sizes, tensor.strides, tensor.dtype)
                           : at::empty_strided(tensor.sizes, tensor.strides, options);
  at::Tensor made = emptyGuarded(tensor.sizes, tensor.strides, options);
  if (guards == Guards::Written) poison(made);
  return made;
}

}  // namespace runtime
