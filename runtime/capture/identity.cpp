#include "runtime/capture/identity.h"

#include <cctype>

#include "ir/error.h"
#include "ir/verify/verify.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// A name as a word: `layer1_0_weight` of `layer1.0.weight`.
std::string asWord(const std::string& name) {
  std::string word = name;
  for (char& letter : word)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  const bool startsBadly = word.empty() || std::isdigit(static_cast<unsigned char>(word.front())) != 0;
  return startsBadly ? "_" + word : word;
}

}  // namespace

std::optional<int> TensorIdentity::memoryOf(const at::Tensor& tensor) const {
  if (tensor.layout() != at::kStrided || !tensor.has_storage() || tensor.is_nested())
    ir::fail(ir::ErrorKind::Unsupported, "tensors without strided memory cannot be captured");
  if (tensor.is_conj() || tensor.is_neg())
    ir::fail(ir::ErrorKind::Unsupported, "views that conjugate or negate cannot be captured");
  const auto found = byStorage_.find(tensor.storage().unsafeGetStorageImpl());
  return found == byStorage_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int> TensorIdentity::find(const at::Tensor& tensor) const {
  const std::optional<int> memory = memoryOf(tensor);
  if (!memory) return std::nullopt;
  const ir::TensorType type = typeOf(tensor);
  const auto found = byPlace_.find({*memory, tensor.storage_offset(), type.dtype, type.sizes, type.strides});
  return found == byPlace_.end() ? std::nullopt : std::optional(found->second);
}

bool TensorIdentity::isOutside(const at::Tensor& tensor) const {
  const std::optional<int> memory = memoryOf(tensor);
  return !memory || memories_[static_cast<size_t>(*memory)].isOutside;
}

int TensorIdentity::add(const at::Tensor& tensor, const std::string& name, bool isOutside) {
  const ir::TensorType type = typeOf(tensor);
  const auto bytes = static_cast<int64_t>(tensor.storage().nbytes());
  std::optional<int> memory = memoryOf(tensor);
  if (!memory) {
    memory = static_cast<int>(memories_.size());
    memories_.push_back({tensor.storage().getWeakStorageImpl(), bytes, isOutside, 0});
    byStorage_.emplace(tensor.storage().unsafeGetStorageImpl(), *memory);
  }
  Memory& own = memories_[static_cast<size_t>(*memory)];
  own.bytes = std::max(own.bytes, bytes);
  ++own.values;
  const int value = add(name, type);
  ir::GraphValue& added = values_.back();
  added.storage = *memory;
  added.offset = tensor.storage_offset();
  added.onHost = tensor.is_cpu() && !device_.is_cpu();
  byPlace_.emplace(Place{*memory, added.offset, type.dtype, type.sizes, type.strides}, value);
  return value;
}

int TensorIdentity::add(const std::string& name, const ir::TensorType& type) {
  values_.push_back({unused(name), type});
  return static_cast<int>(values_.size()) - 1;
}

void TensorIdentity::rename(int value, const std::string& name) {
  std::string& own = values_.at(static_cast<size_t>(value)).name;
  names_.erase(own);
  own = unused(name);
}

std::string TensorIdentity::unused(const std::string& name) {
  std::string word = asWord(name);
  while (!ir::isValueName(word) || !names_.insert(word).second) word += "_";
  return word;
}

std::vector<ir::GraphValue> TensorIdentity::values(std::vector<ir::Storage>& storages) {
  std::vector<ir::GraphValue> values = values_;
  // By memory: the first value in it, and its storage once that is known.
  std::vector<int> first(memories_.size(), -1), storageOf(memories_.size(), -1);
  const auto share = [&](int memory, const std::string& name) {
    storageOf[static_cast<size_t>(memory)] = static_cast<int>(storages.size());
    storages.push_back({name, memories_[static_cast<size_t>(memory)].bytes});
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const int memory = std::exchange(values[i].storage, -1);
    if (memory < 0) continue;
    const Memory& own = memories_[static_cast<size_t>(memory)];
    const bool covers = values[i].offset == 0 && values[i].type.storageElements() * ir::sizeOf(values[i].type.dtype) == own.bytes;
    int& one = first[static_cast<size_t>(memory)];
    const bool isFirst = one < 0;
    if (isFirst) one = static_cast<int>(i);
    if (isFirst && (covers || (own.values == 1 && values[i].offset == 0))) continue;
    if (isFirst) share(memory, unused("memory_of_" + values[i].name));
    if (storageOf[static_cast<size_t>(memory)] < 0) {
      share(memory, values[static_cast<size_t>(one)].name);
      values[static_cast<size_t>(one)].storage = storageOf[static_cast<size_t>(memory)];
    }
    values[i].storage = storageOf[static_cast<size_t>(memory)];
  }
  return values;
}

}  // namespace runtime
