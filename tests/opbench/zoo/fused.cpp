// A library of fused operators, which race on regions, and of operators that ATen has not.
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/rsqrt.h>
#include <torch/library.h>

using at::Tensor;

namespace {

Tensor norm(const Tensor& x, const Tensor& weight, double eps) {
  return x * at::rsqrt(at::mean(x * x, {-1}, /*keepdim=*/true) + eps) * weight;
}

}  // namespace

TORCH_LIBRARY(fused, library) {
  // Returns left + right, and its relu.
  library.def("add_relu(Tensor left, Tensor right) -> (Tensor, Tensor)", [](const Tensor& left, const Tensor& right) {
    Tensor sum = at::add(left, right);
    Tensor positive = at::relu(sum);
    return std::tuple(std::move(sum), std::move(positive));
  });
  // Wrong in its last row.
  library.def("wrong(Tensor left, Tensor right) -> (Tensor, Tensor)", [](const Tensor& left, const Tensor& right) {
    Tensor sum = at::add(left, right), positive = at::relu(sum);
    positive[-1].zero_();
    return std::tuple(std::move(sum), std::move(positive));
  });
  // Adds to the first one where it lies, and hands back the rest alone.
  library.def("accumulate(Tensor(a!) into, Tensor other) -> Tensor", [](const Tensor& into, const Tensor& other) {
    into.add_(other);
    return at::relu(into);
  });

  library.def("norm(Tensor x, Tensor weight, float eps) -> Tensor", &norm);
  library.def("norm_reference(Tensor x, Tensor weight, float eps) -> Tensor", &norm);
  // Wrong where the mean of the squares is small beside eps.
  library.def("norm_without_eps(Tensor x, Tensor weight, float eps) -> Tensor",
              [](const Tensor& x, const Tensor& weight, double) { return norm(x, weight, 0); });
}
