#include "runtime/torch/precision.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>

#include "runtime/torch/types.h"

namespace runtime {
namespace {

/// The distance from 1 to the next number of a dtype.
double epsilonOf(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf: return std::numeric_limits<c10::Half>::epsilon();
    case at::kBFloat16: return std::numeric_limits<c10::BFloat16>::epsilon();
    case at::kDouble: return std::numeric_limits<double>::epsilon();
    default: return std::numeric_limits<float>::epsilon();
  }
}

}  // namespace

at::Tensor inFloat64(const at::Tensor& tensor) {
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
  const at::Tensor flat = flatStorage(tensor);
  const at::ScalarType type = inDouble(tensor.scalar_type());
  return shapeLike(type == tensor.scalar_type() ? flat.clone() : flat.to(type), tensor);
}

at::Tensor offByARounding(const at::Tensor& tensor, std::optional<at::ScalarType> cast, uint64_t seed) {
  const double step = epsilonOf(cast.value_or(tensor.scalar_type()));
  at::Generator generator = at::globalContext().defaultGenerator(tensor.device()).clone();
  generator.set_current_seed(seed);
  const auto wide = tensor.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const at::Tensor values = flatStorage(tensor).to(wide);
  const at::Tensor part = at::empty(values.sizes(), values.options()).uniform_(-0.5, 0.5, generator);
  const at::Tensor moved = at::addcmul(values, values, part, step).to(tensor.scalar_type());
  return shapeLike(at::where(moved.isfinite(), moved, flatStorage(tensor)), tensor);
}

}  // namespace runtime
