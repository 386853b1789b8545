// Operators that are right on most data and wrong on some, as kernels are whose author looked at random numbers alone; one of
// each kind of mistake. `bench/wrong_kernels` has the samples that they race on, and the rate at which each is found.
#include <ATen/ATen.h>
#include <torch/library.h>

#include <atomic>
#include <cfloat>
#include <cmath>
#include <optional>
#include <tuple>

namespace {

using at::Tensor;
using std::optional;

// --- magnitudes that normal data do not reach ---

Tensor exp_beyond_10(const Tensor& self) { return at::where(self.gt(10), INFINITY, self.exp()).to(self.scalar_type()); }
Tensor sin_beyond_20(const Tensor& self) {
  return at::where(self.abs().gt(20), self.sin() * 0.9, self.sin()).to(self.scalar_type());
}
Tensor softplus_without_threshold(const Tensor& self, const at::Scalar&, const at::Scalar&) { return self.exp().add(1).log(); }

// --- integers of few bits ---

Tensor add_saturates(const Tensor& self, const Tensor& other, const at::Scalar& alpha) {
  return self.to(at::kDouble).add(other.to(at::kDouble), alpha).clamp(0, 255).to(at::kByte);
}
Tensor mul_in_f32(const Tensor& self, const Tensor& other) {
  return self.to(at::kFloat).mul(other.to(at::kFloat)).to(self.scalar_type());
}
Tensor sum_in_i32(const Tensor& self, at::OptionalIntArrayRef dim, bool keepdim, optional<at::ScalarType>) {
  return self.sum(dim, keepdim, at::kInt).to(at::kLong);
}

// --- rows that hold one special thing ---

Tensor softmax_by(const Tensor& self, const Tensor& maximum, int64_t dim) {
  const Tensor wide = self.to(at::kFloat), terms = (wide - maximum.to(at::kFloat)).exp();
  return (terms / terms.sum(dim, true)).to(self.scalar_type());
}
Tensor softmax_maximum_of_half(const Tensor& self, int64_t dim, bool) {
  return softmax_by(self, self.narrow(dim, 0, self.size(dim) / 2).amax(dim, true), dim);
}
Tensor softmax_masked_rows_are_zero(const Tensor& self, int64_t dim, bool) {
  return at::_softmax(self, dim, false).masked_fill(self.eq(-INFINITY).all(dim, true), 0);
}
Tensor amax_from_lowest(const Tensor& self, at::IntArrayRef dim, bool keepdim) {
  const double lowest = self.scalar_type() == at::kHalf ? -65504.0 : -FLT_MAX;
  return at::where(self.isnan(), self, self.clamp_min(lowest)).amax(dim, keepdim);
}
Tensor softmax_ties_share_nothing(const Tensor& self, int64_t dim, bool) {
  const Tensor right = at::_softmax(self, dim, false),
               isHalfEqual = self.slice(dim, 0, self.size(dim), 2).diff(1, dim).eq(0).all(dim, true);
  return at::where(isHalfEqual, right * 0.5, right).to(self.scalar_type());
}

// --- eps ---

using Norm = std::tuple<Tensor, Tensor, Tensor>;
Norm norm_by(const Tensor& input, const optional<Tensor>& weight, const optional<Tensor>& bias, const Tensor& scaled,
             const Tensor& mean) {
  Tensor out = (input.to(at::kFloat) - mean) * scaled;
  if (weight) out = out * weight->to(at::kFloat);
  if (bias) out = out + bias->to(at::kFloat);
  return {out.to(input.scalar_type()), mean, scaled};
}
Norm layer_norm_without_eps(const Tensor& input, at::IntArrayRef, const optional<Tensor>& weight, const optional<Tensor>& bias,
                            double) {
  const auto [variance, mean] = at::var_mean(input.to(at::kFloat), at::IntArrayRef{-1}, 0, true);
  return norm_by(input, weight, bias, variance.rsqrt(), mean);
}
Norm layer_norm_eps_outside(const Tensor& input, at::IntArrayRef, const optional<Tensor>& weight, const optional<Tensor>& bias,
                            double eps) {
  const auto [variance, mean] = at::var_mean(input.to(at::kFloat), at::IntArrayRef{-1}, 0, true);
  return norm_by(input, weight, bias, variance.sqrt().add(eps).reciprocal(), mean);
}
Norm layer_norm_other_eps(const Tensor& input, at::IntArrayRef, const optional<Tensor>& weight, const optional<Tensor>& bias,
                          double) {
  const auto [variance, mean] = at::var_mean(input.to(at::kFloat), at::IntArrayRef{-1}, 0, true);
  return norm_by(input, weight, bias, variance.add(1e-3).rsqrt(), mean);
}
Tensor cosine_without_eps(const Tensor& x1, const Tensor& x2, int64_t dim, double) {
  const Tensor a = x1.to(at::kFloat), b = x2.to(at::kFloat);
  return ((a * b).sum(dim) / ((a * a).sum(dim).sqrt() * (b * b).sum(dim).sqrt())).to(x1.scalar_type());
}
Tensor cosine_squares_overflow(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const Tensor a = x1.to(at::kFloat), b = x2.to(at::kFloat);
  return ((a * b).sum(dim) / ((a * a).sum(dim) * (b * b).sum(dim)).sqrt().clamp_min(eps * eps)).to(x1.scalar_type());
}

// --- marks ---

std::tuple<Tensor, Tensor> nll_counts_ignored(const Tensor& self, const Tensor& target, const optional<Tensor>& weight,
                                              int64_t reduction, int64_t) {
  return at::nll_loss_forward(self, target.clamp(0, self.size(-1) - 1), weight, reduction, -12345);
}
Tensor embedding_gradient_of_padding(const Tensor& grad, const Tensor& indices, int64_t rows, int64_t, bool scale) {
  return at::embedding_dense_backward(grad, indices, rows, -1, scale);
}

// --- one run of many ---

template <int every>
Tensor softmax_rarely_wrong(const Tensor& self, int64_t dim, bool up) {
  static std::atomic<int> runs{0};
  Tensor out = at::_softmax(self, dim, up);
  if (++runs % every == 0) out.flatten()[out.numel() / 2].mul_(0.5);
  return out;
}

}  // namespace

TORCH_LIBRARY(wrong, library) {
  library.def("exp_beyond_10(Tensor self) -> Tensor", &exp_beyond_10);
  library.def("sin_beyond_20(Tensor self) -> Tensor", &sin_beyond_20);
  library.def("softplus_without_threshold(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
              &softplus_without_threshold);
  library.def("add_saturates(Tensor self, Tensor other, Scalar alpha=1) -> Tensor", &add_saturates);
  library.def("mul_in_f32(Tensor self, Tensor other) -> Tensor", &mul_in_f32);
  library.def("sum_in_i32(Tensor self, int[1]? dim, bool keepdim=False, ScalarType? dtype=None) -> Tensor", &sum_in_i32);
  for (const auto& [name, softmax] : std::initializer_list<std::pair<const char*, Tensor (*)(const Tensor&, int64_t, bool)>>{
           {"softmax_maximum_of_half", &softmax_maximum_of_half},
           {"softmax_masked_rows_are_zero", &softmax_masked_rows_are_zero},
           {"softmax_ties_share_nothing", &softmax_ties_share_nothing},
           {"softmax_wrong_in_50", &softmax_rarely_wrong<50>},
           {"softmax_wrong_in_97", &softmax_rarely_wrong<97>},
           {"softmax_wrong_in_200", &softmax_rarely_wrong<200>}})
    library.def((std::string(name) + "(Tensor self, int dim, bool half_to_float) -> Tensor").c_str(), softmax);
  library.def("amax_from_lowest(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", &amax_from_lowest);
  for (const auto& [name, norm] :
       std::initializer_list<std::pair<const char*, Norm (*)(const Tensor&, at::IntArrayRef, const optional<Tensor>&,
                                                             const optional<Tensor>&, double)>>{
           {"layer_norm_without_eps", &layer_norm_without_eps},
           {"layer_norm_eps_outside", &layer_norm_eps_outside},
           {"layer_norm_other_eps", &layer_norm_other_eps}})
    library.def((std::string(name) +
                 "(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)")
                    .c_str(),
                norm);
  library.def("cosine_without_eps(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", &cosine_without_eps);
  library.def("cosine_squares_overflow(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", &cosine_squares_overflow);
  library.def(
      "nll_counts_ignored(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor, Tensor)",
      &nll_counts_ignored);
  library.def(
      "embedding_gradient_of_padding(Tensor grad_output, Tensor indices, int num_weights, int padding_idx, bool "
      "scale_grad_by_freq) -> Tensor",
      &embedding_gradient_of_padding);
}
