#include "inputs/sample.h"

#include <limits>

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

int64_t argumentBytes(const Sample& sample) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t bytes = 0;
  for (const ir::TensorType* type : tensorsOf(sample)) {
    int64_t size = 0;
    if (__builtin_mul_overflow(type->storageElements(), ir::sizeOf(type->dtype), &size)) return most;
    if (__builtin_add_overflow(bytes, size, &bytes)) return most;
  }
  return bytes;
}

}  // namespace inputs
