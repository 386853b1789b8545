#include "runtime/torch/tensor_list.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/equal.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <utility>

#include "runtime/torch/state.h"
#include "runtime/torch/types.h"

namespace runtime {

int TensorList::size() const { return state_ ? static_cast<int>(state_->tensors.size()) : 0; }

ir::TensorType TensorList::type(int i) const { return typeOf(state_->tensors.at(i)); }

TensorList clone(const TensorList& tensors) {
  const c10::InferenceMode guard;
  std::vector<at::Tensor> copies;
  for (const at::Tensor& tensor : tensors.state().tensors) copies.push_back(cloneStorage(tensor));
  return makeTensorList(std::move(copies));
}

TensorList without(const TensorList& tensors, const std::set<int>& numbers) {
  std::vector<at::Tensor> kept;
  for (int i = 0; i < tensors.size(); ++i)
    if (!numbers.contains(i)) kept.push_back(tensors.state().tensors[static_cast<size_t>(i)]);
  return makeTensorList(std::move(kept));
}

TensorList laidOutLike(const TensorList& tensors, const TensorList& like) {
  const c10::InferenceMode guard;
  std::vector<at::Tensor> laid = tensors.state().tensors;
  for (int i = 0; i < std::min(tensors.size(), like.size()); ++i) {
    at::Tensor& tensor = laid[static_cast<size_t>(i)];
    const at::Tensor& other = like.state().tensors[static_cast<size_t>(i)];
    const bool differ = tensor.sizes() == other.sizes() && tensor.strides() != other.strides();
    if (!differ || !other.is_non_overlapping_and_dense()) continue;
    tensor = at::empty_strided(other.sizes(), other.strides(), tensor.options()).copy_(tensor);
  }
  return makeTensorList(std::move(laid));
}

bool bitwiseEqual(const TensorList& a, const TensorList& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i)
    if (!bitwiseEqual(a, b, i)) return false;
  return true;
}

bool bitwiseEqual(const TensorList& a, const TensorList& b, int i) {
  const c10::InferenceMode guard;
  if (a.type(i) != b.type(i)) return false;
  const auto bytes = [i](const TensorList& list) {  // of one dimension with a stride of 1, which a single element may lack
    const at::Tensor whole = resolved(list.state().tensors[static_cast<size_t>(i)]).contiguous();
    return whole.as_strided({whole.numel()}, {1}).view(at::kByte);
  };
  return a.type(i).numel() == 0 || bytes(a).equal(bytes(b));
}

}  // namespace runtime
