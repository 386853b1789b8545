#include "inputs/sample.h"

namespace inputs {
namespace {

void collect(const ir::Argument& argument, std::vector<const ir::TensorType*>& tensors) {
  if (const auto* type = argument.as<ir::TensorType>()) tensors.push_back(type);
  if (const auto* list = argument.as<ir::List>())
    for (const ir::Argument& item : list->items) collect(item, tensors);
}

}  // namespace

std::vector<const ir::TensorType*> tensorsOf(const Sample& sample) {
  std::vector<const ir::TensorType*> tensors;
  for (const ir::Argument& argument : sample.args) collect(argument, tensors);
  for (const ir::NamedArgument& argument : sample.kwargs) collect(argument.value, tensors);
  return tensors;
}

}  // namespace inputs
