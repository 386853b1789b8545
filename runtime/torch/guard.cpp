#include "runtime/torch/guard.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/set.h>
#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>

#include "runtime/torch/state.h"
#include "runtime/torch/tensor_list.h"
#include "runtime/torch/types.h"

namespace runtime {
namespace {

constexpr uint8_t guardPattern = 0xa5;
constexpr uint8_t notANumber = 0xff;  // of every floating dtype

int64_t extentBytes(const at::Tensor& tensor) {
  return static_cast<int64_t>(at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize()));
}

/// `count` bytes of the tensor's storage, from byte `first` on.
at::Tensor storageBytes(const at::Tensor& tensor, int64_t first, int64_t count) {
  auto* memory = static_cast<uint8_t*>(tensor.storage().mutable_data());
  return at::from_blob(memory + first, {count}, at::TensorOptions(at::kByte).device(tensor.device()));
}

/// Where the byte of a guard that was written first stands, seen from the guard's start; the last one where `fromEnd`.
std::optional<int64_t> written(const at::Tensor& guard, bool fromEnd) {
  const at::Tensor indices = guard.ne(guardPattern).nonzero().to(at::kCPU);
  if (indices.numel() == 0) return std::nullopt;
  return indices.const_data_ptr<int64_t>()[fromEnd ? indices.numel() - 1 : 0];
}

/// How an output's guards were written, which then are as they were; nothing where they were not.
std::string violation(const at::Tensor& tensor) {
  const at::Tensor before = storageBytes(tensor, 0, guardBytes);
  const at::Tensor after = storageBytes(tensor, guardBytes + extentBytes(tensor), guardBytes);
  std::string text;
  if (const auto place = written(after, false)) text = fmt::format("byte {} after its end", *place + 1);
  if (const auto place = written(before, true)) text = fmt::format("byte {} before its start", guardBytes - *place);
  if (text.empty()) return text;
  before.fill_(guardPattern);
  after.fill_(guardPattern);
  return text;
}

/// Frees memory with guards, and tells it from other memory: a part of any tensor may lie as if it were between guards.
void freeGuarded(void* memory) { delete static_cast<at::Tensor*>(memory); }

}  // namespace

at::Tensor emptyGuarded(at::IntArrayRef sizes, at::IntArrayRef strides, at::TensorOptions options) {
  const auto size = static_cast<int64_t>(options.dtype().itemsize());
  const auto bytes = static_cast<int64_t>(at::detail::computeStorageNbytes(sizes, strides, static_cast<size_t>(size)));
  const int64_t elements = bytes / size + 2 * (guardBytes / size);
  auto memory = std::make_unique<at::Tensor>(at::empty({elements}, options));
  void* const start = memory->mutable_data_ptr();
  const size_t all = memory->nbytes();
  const at::Device device = memory->device();
  const c10::Storage storage(c10::Storage::use_byte_size_t(), all, c10::DataPtr(start, memory.release(), &freeGuarded, device),
                             /*allocator=*/nullptr, /*resizable=*/false);
  return at::empty({0}, options).set_(storage, guardBytes / size, sizes, strides);
}

at::Tensor cloneGuarded(const at::Tensor& tensor) {
  at::Tensor copy = emptyGuarded(tensor.sizes(), tensor.strides(), tensor.options());
  poison(copy);
  flatStorage(copy).copy_(flatStorage(tensor));
  return copy;
}

at::Tensor cloneBetweenGuards(const at::Tensor& tensor, bool hasOffset) {
  const c10::InferenceMode guard;
  const at::Tensor guarded = emptyGuarded(tensor.sizes(), tensor.strides(), tensor.options());
  const bool hasNan = tensor.is_floating_point() || tensor.is_complex();
  storageBytes(guarded, 0, static_cast<int64_t>(guarded.storage().nbytes())).fill_(hasNan ? notANumber : guardPattern);
  flatStorage(guarded).copy_(flatStorage(tensor));
  const auto keep = [guarded](void*) {};
  const int64_t before = hasOffset ? guarded.storage_offset() : 0;
  auto* const memory = static_cast<char*>(guarded.storage().mutable_data());  // a tensor of no elements has no address
  char* const start = memory + (hasOffset ? 0 : guardBytes);
  const int64_t elements = before + extentBytes(tensor) / static_cast<int64_t>(tensor.itemsize());
  return at::from_blob(start, {elements}, {1}, keep, tensor.options(), tensor.device())
      .as_strided(tensor.sizes(), tensor.strides(), before);
}

bool isGuarded(const at::Tensor& tensor) {
  return tensor.has_storage() && tensor.storage().data_ptr().get_deleter() == &freeGuarded &&
         tensor.storage_offset() * tensor.itemsize() == guardBytes &&
         static_cast<int64_t>(tensor.storage().nbytes()) == extentBytes(tensor) + 2 * guardBytes;
}

void poison(const at::Tensor& tensor) {
  const c10::InferenceMode guard;
  const auto all = static_cast<int64_t>(tensor.storage().nbytes());
  if (all == 0) return;
  const bool hasNan = tensor.is_floating_point() || tensor.is_complex();
  storageBytes(tensor, 0, all).fill_(hasNan && !isGuarded(tensor) ? notANumber : guardPattern);
  if (hasNan && isGuarded(tensor)) storageBytes(tensor, guardBytes, extentBytes(tensor)).fill_(notANumber);
}

std::string writtenOutside(const TensorList& outputs) {
  const c10::InferenceMode guard;
  for (int i = 0; i < outputs.size(); ++i) {
    const at::Tensor& tensor = outputs.state().tensors[static_cast<size_t>(i)];
    if (!isGuarded(tensor)) continue;
    if (const std::string text = violation(tensor); !text.empty())
      return fmt::format("output {} was written outside its memory: {}", i, text);
  }
  return "";
}

namespace {

/// Whether ATen moves elements of this type, which it does not do with all types.
bool isMovable(c10::ScalarType type) {
  constexpr std::array movable{c10::kFloat, c10::kDouble, c10::kHalf, c10::kBFloat16, c10::kLong,
                               c10::kInt,   c10::kShort,  c10::kChar, c10::kByte,     c10::kBool};
  return std::find(movable.begin(), movable.end(), type) != movable.end();
}

}  // namespace

void disguise(const at::Tensor& tensor) {
  const c10::InferenceMode guard;
  thread_local std::mt19937 random{std::random_device()()};
  if (tensor.numel() < 2 || !isMovable(tensor.scalar_type()) || random() % 2 == 0) return poison(tensor);
  const at::Tensor moved = tensor.flatten().roll(1 + static_cast<int64_t>(random() % static_cast<uint64_t>(tensor.numel() - 1)));
  if (at::equal(moved, tensor.flatten())) return poison(tensor);
  tensor.copy_(moved.view_as(tensor));
}

}  // namespace runtime
