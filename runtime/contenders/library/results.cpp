#include "runtime/contenders/library/results.h"

#include <ATen/ops/empty_strided.h>

#include "inputs/data/materialize.h"
#include "ir/error.h"

namespace runtime::library {
namespace {

/// Whether the tensor's elements lie where these strides say; strides of dimensions of one element say nothing.
bool liesAlike(const at::Tensor& tensor, const std::vector<int64_t>& strides) {
  for (int64_t dim = 0; dim < tensor.dim(); ++dim)
    if (tensor.size(dim) > 1 && tensor.stride(dim) != strides[static_cast<size_t>(dim)]) return false;
  return true;
}

at::Tensor conformed(at::Tensor tensor, const ir::TensorType& type, at::Device device) {
  const at::ScalarType dtype = inputs::scalarType(type.dtype);
  const auto made = [&] { return at::empty_strided(type.sizes, type.strides, at::TensorOptions(dtype).device(device)); };
  if (!tensor.defined()) return made();
  ir::require(tensor.scalar_type() == dtype && tensor.sizes() == at::IntArrayRef(type.sizes), "its results have other types");
  if (tensor.strides() == at::IntArrayRef(type.strides)) return tensor;
  if (liesAlike(tensor, type.strides)) return tensor.as_strided(type.sizes, type.strides);
  return made().copy_(tensor);
}

}  // namespace

Results conformed(Results results, const std::vector<ir::TensorType>& types, at::Device device) {
  ir::require(results.size() <= types.size(), "it has {} results, eager has {}", results.size(), types.size());
  results.resize(types.size());
  for (size_t i = 0; i < results.size(); ++i) results[i] = conformed(std::move(results[i]), types[i], device);
  return results;
}

}  // namespace runtime::library
