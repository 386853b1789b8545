#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "runtime/torch/tensor_list.h"

namespace runtime {

/// The tensors behind a TensorList, for the files that speak torch.
struct TensorList::State {
  std::vector<at::Tensor> tensors;
};

inline TensorList makeTensorList(std::vector<at::Tensor> tensors) {
  return TensorList(std::make_shared<TensorList::State>(TensorList::State{std::move(tensors)}));
}

}  // namespace runtime
