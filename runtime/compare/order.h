#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace runtime {

/// Dimensions from the widest stride to the narrowest: the order in which the elements lie in memory.
std::vector<int64_t> memoryOrder(const at::Tensor& tensor);
/// The first elements of a tensor in the order in which the elements of `like`, which has its sizes, lie in memory.
at::Tensor head(const at::Tensor& tensor, const at::Tensor& like, int64_t elements);

}  // namespace runtime
