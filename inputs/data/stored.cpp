#include "inputs/data/stored.h"

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided.h>

#include <cstring>

#include "inputs/data/fill.h"
#include "inputs/data/materialize.h"

namespace inputs {
namespace {

/// The bytes that a storage of `elements` repeats: the drawn ones, unless what follows them differs.
std::string repeatedBytes(const ir::TensorType& type, const char* storage, int64_t elements) {
  const int64_t size = ir::sizeOf(type.dtype), all = elements * size, drawn = drawnElements(type, Plain{}) * size;
  const bool repeats = all > drawn && std::memcmp(storage + drawn, storage, static_cast<size_t>(all - drawn)) == 0;
  return {storage, static_cast<size_t>(repeats ? drawn : all)};
}

/// Pairs the types of the recorded arguments with the tensors that were made of them.
class Storing {
 public:
  void add(const ir::Argument& argument, const c10::IValue& value) {
    if (const auto* type = argument.as<ir::TensorType>()) {
      const int64_t elements = type->storageElements();
      const at::Tensor flat = at::as_strided(value.toTensor(), {elements}, {1});
      tensors.push_back({*type, repeatedBytes(*type, static_cast<const char*>(flat.const_data_ptr()), elements)});
    }
    if (const auto* list = argument.as<ir::List>()) {
      const auto values = value.toListRef();
      for (size_t i = 0; i < list->items.size(); ++i) add(list->items[i], values[i]);
    }
  }

  std::vector<StoredTensor> tensors;
};

}  // namespace

std::vector<StoredTensor> storedTensors(const Sample& sample, uint64_t seed, const Data& data) {
  const Inputs made = materialize(sample, c10::kCPU, seed, data);
  Storing storing;
  for (size_t i = 0; i < sample.args.size(); ++i) storing.add(sample.args[i], made.args[i]);
  for (size_t i = 0; i < sample.kwargs.size(); ++i) storing.add(sample.kwargs[i].value, made.kwargs[i].second);
  return storing.tensors;
}

}  // namespace inputs
