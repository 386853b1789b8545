#include "inputs/data/value_range.h"

#include <algorithm>
#include <cmath>

#include "inputs/call.h"
#include "inputs/data/batch_norms.h"
#include "inputs/data/index_range.h"

namespace inputs {
namespace {

ValueRange positive(const Call&) { return Positive{}; }
ValueRange nonZero(const Call&) { return NonZero{}; }
ValueRange tameNonZero(const Call&) { return NonZero{true}; }
ValueRange degree(const Call&) { return Below{16}; }
ValueRange halves(const Call&) { return Halves{}; }
ValueRange finiteHalves(const Call&) { return Halves{true}; }
ValueRange finite(const Call&) { return Finite{}; }
ValueRange tame(const Call&) { return Tame{}; }
ValueRange nonFinite(const Call&) { return NonFinite{}; }
ValueRange probability(const Call&) { return Uniform{0, 1}; }
ValueRange sine(const Call&) { return Uniform{-0.99, 0.99}; }
ValueRange variance(const Call&) { return Uniform{0.5, 2}; }

/// Extent of argument 1 along the dimension of argument 2.
double extent(const Call& call) { return std::max(1.0, static_cast<double>(call.sizeAlong(1, 2))); }

/// Probabilities that add up to about 1 along that dimension.
ValueRange softmaxOutput(const Call& call) { return Uniform{0, 2.0 / extent(call)}; }

/// Logarithms of such probabilities.
ValueRange logSoftmaxOutput(const Call& call) {
  double mean = -std::log(extent(call));
  return Uniform{mean - 1, mean + 0.5};
}

/// elu(x) is above -alpha * scale; an input is anything.
ValueRange eluResult(const Call& call) {
  if (!call.flag(4)) return Halves{true};
  double lowest = -call.number(1, 1) * call.number(2, 1);
  return Uniform{0.99 * lowest, 2 + std::abs(lowest)};
}

/// The base of a power: positive for a fractional exponent, not zero for a negative one.
ValueRange base(const Call& call) {
  if (call.isTensor(1)) return Positive{};
  double exponent = call.number(1, 1);
  // The error of a power grows with its logarithm.
  if (exponent != std::floor(exponent))
    return ir::isIntegral(call.tensor(0).dtype) ? ValueRange(Positive{}) : Uniform{0.0625, 256};
  if (exponent < 0) return NonZero{};
  return Plain{};
}

ValueRange dividend(const Call& call) { return ir::isIntegral(call.tensor(0).dtype) ? ValueRange(Tame{}) : Plain{}; }

ValueRange exponent(const Call& call) {
  if (ir::isIntegral(call.tensor(1).dtype)) return Below{4};
  return Plain{};
}

/// A symmetric matrix whose diagonal elements are larger than the sum of the other elements of their rows.
ValueRange positiveDefinite(const Call& call) {
  if (call.tensor(0).rank() < 2) return Plain{};  // no matrix: ATen refuses it
  const int64_t rows = call.size(0, -1);
  return ByPosition{[rows](const ir::Shape& at, uint64_t) {
    const int64_t row = at[at.size() - 2], column = at.back();
    return row == column ? rows + 1 : (row + column) % 3 - 1;
  }};
}

/// A conversion to integers is undefined for NaN and for numbers that the integers cannot hold.
ValueRange converted(std::optional<ir::DType> to) {
  return to && ir::isIntegral(*to) && *to != ir::DType::Bool ? ValueRange(Tame{}) : Plain{};
}

/// A mean far from zero is rounded to f32, where eager's host sums in f64: of a batch of a few elements digits would be lost.
ValueRange batch(const Call& call) {
  constexpr int64_t few = 64;
  const int64_t channels = std::max<int64_t>(call.size(0, 1), 1);
  return call.tensor(0).numel() / channels < few ? ValueRange(Uniform{-2, 2}) : Tame{};
}

/// Distances of order 0 count NaN on CUDA alone; those of order 2 may be made of a product, in which infinities cancel to NaN.
ValueRange distant(const Call& call) {
  constexpr double withoutProducts = 2;
  const double order = call.number(2, 2);
  return order == 0 || (order == 2 && call.number(3, 0) != withoutProducts) ? ValueRange(Tame{}) : Plain{};
}

struct ValueRow {
  std::string_view operators;  ///< names without `aten.`, overload and the underscore of in-place forms
  size_t argument;
  ValueRange (*domain)(const Call&);
};

constexpr std::string_view polynomials =
    "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w "
    "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p "
    "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
    "special_shifted_chebyshev_polynomial_w";

/// Where normal data would give no, or no telling, results, or special values none that are defined.
constexpr ValueRow valueRows[] = {
    {"sqrt rsqrt log log2 log10 log1p lgamma digamma", 0, positive},
    {"xlogy", 1, positive},
    {"pow", 0, base},
    {"pow", 1, exponent},
    {"reciprocal", 0, nonZero},
    // Of a pole eager makes the square of a rounding's reciprocal, of a number whose powers are infinite NaN.
    {"polygamma", 1, [](const Call& call) { return ir::isIntegral(call.tensor(1).dtype) ? ValueRange(Positive{}) : Tame{}; }},
    // Products of three that are infinite or NaN are so by the order in which they are taken.
    {"_trilinear", 0, tame},
    {"_trilinear", 1, tame},
    {"_trilinear", 2, tame},
    // Of powers that are infinite or 0 eager makes NaN.
    {"special_zeta", 0, tame},
    {"special_zeta", 1, tame},
    {"div true_divide floor_divide", 1, nonZero},
    // Of the smallest integer by -1 there is no quotient: processors end the process.
    {"div true_divide floor_divide", 0, dividend},
    // Of quotients beyond what integers hold eager's vectors on CPUs make NaN.
    {"remainder fmod", 0, tame},
    {"remainder fmod", 1, tameNonZero},
    // Of NaN eager hands out what was in a register.
    {polynomials, 0, tame},
    {polynomials, 1, degree},
    // Eager returns 0 for a subnormal order, whose lower incomplete gamma function is 1.
    {"igamma igammac", 0, [](const Call&) -> ValueRange { return Uniform{0.0625, 16}; }},
    {"igamma igammac", 1, positive},
    {"addcdiv", 2, nonZero},
    {"asin acos atanh erfinv", 0, sine},
    {"acosh", 0, [](const Call&) -> ValueRange { return Uniform{1.1, 8}; }},
    {"grid_sampler_2d grid_sampler_3d", 1, sine},
    {"grid_sampler_2d_backward grid_sampler_3d_backward", 2, sine},
    {"bernoulli logit binary_cross_entropy multinomial", 0, probability},
    {"bernoulli binary_cross_entropy binary_cross_entropy_backward sigmoid_backward kl_div", 1, probability},
    {"binary_cross_entropy_backward", 2, probability},
    {"normal", 0, tame},
    {"normal", 1, variance},
    // Eager asks on CPUs whether it is 0, on CUDA whether it is less than 1.
    {"multilabel_margin_loss_backward", 4, [](const Call&) -> ValueRange { return Below{2}; }},
    {"_cdist_forward", 0, distant},
    {"_cdist_forward", 1, distant},
    {"cholesky", 0, positiveDefinite},
    {"linalg_matrix_exp", 0, tame},  // eager squares as often as the logarithm of the norm says, without an end for NaN
    {"tanh_backward", 1, sine},
    {"elu_backward", 5, eluResult},
    // Of large gradients a small difference is left.
    {"_softmax_backward_data _log_softmax_backward_data", 0, tame},
    // A thousand of them may meet in one element, one after the other: what cancels in between is lost.
    {"scatter_add", 0, tame},
    {"scatter_add", 3, [](const Call&) -> ValueRange { return Uniform{-4, 4}; }},
    {"_softmax_backward_data", 1, softmaxOutput},
    {"_log_softmax_backward_data", 1, logSoftmaxOutput},
    {batchNorms, 4, variance},
    {batchNormGradients, 4, variance},
    {batchNormGradients, 6, variance},
    {"native_layer_norm_backward", 4, variance},
    {"native_group_norm_backward", 3, variance},
    {"eq ne lt le gt ge", 0, halves},
    {"eq ne lt le gt ge", 1, halves},
    {"logical_and logical_or logical_xor", 0, halves},
    {"logical_and logical_or logical_xor", 1, halves},
    {"logical_not sign sgn round floor ceil trunc frac", 0, halves},
    {"threshold_backward hardsigmoid_backward leaky_relu_backward", 1, halves},
    // A NaN is below every threshold for eager's vectors on CPUs, and above it for their last, scalar elements and on GPUs.
    {"hardtanh_backward hardswish_backward", 1, finiteHalves},
    // The mean of infinite elements is infinite or NaN, as eager's vectors, threads and devices share them out.
    {"var std var_mean std_mean", 0, finite},
    // Beside large elements the mean of a norm is rounded as a sum is, which is more than one of its elements may be off.
    {"native_layer_norm native_group_norm", 0, tame},
    {batchNorms, 0, batch},
    // An average of large elements and others is rounded by chance, in eager as well.
    {"avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d", 0, tame},
    // Gradients of norms are small differences of large sums, which a large element would hide.
    {"native_layer_norm_backward native_group_norm_backward", 0, tame},
    {"native_layer_norm_backward native_group_norm_backward", 1, tame},
    {batchNormGradients, 0, tame},
    {batchNormGradients, 1, tame},
    // Eager folds mean, scale and shift into one product and one sum, in which large or infinite ones cancel or do not.
    {"native_layer_norm", 2, tame},
    {"native_layer_norm", 3, tame},
    {"native_group_norm", 1, tame},
    {"native_group_norm", 2, tame},
    {batchNorms, 1, tame},
    {batchNorms, 2, tame},
    {batchNorms, 3, tame},
    {batchNormGradients, 2, variance},  // what is small beside large gradients and means, as results are to fit into halves
    {batchNormGradients, 3, tame},
    {batchNormGradients, 5, tame},
    {"native_layer_norm_backward", 3, tame},
    {"native_layer_norm_backward", 5, tame},
    {"native_group_norm_backward", 2, tame},
    {"native_group_norm_backward", 4, tame},
    {"_to_copy", 0, [](const Call& call) { return converted(call.dtype("dtype")); }},
    {"copy", 1, [](const Call& call) { return converted(call.tensor(0).dtype); }},
    // The product of an infinite gradient, or of a huge one, is anything where the other factor is 0 but for a rounding.
    {"upsample_linear1d_backward upsample_bilinear2d_backward upsample_trilinear3d_backward", 0, finite},
    {"hardswish_backward", 0, tame},
    // The gradient at NaN is 0 where eager's host takes vectors of elements, and NaN where it takes one.
    {"logit_backward", 1, finite},
    // LAPACK's pivots and ranks are any of columns whose lengths are none or too large.
    {"linalg_lstsq", 0, tame},
    {"linalg_lstsq", 1, tame},
    // Eager adds up squares and a product, in which large elements cancel.
    {"_euclidean_dist", 0, tame},
    {"_euclidean_dist", 1, tame},
    {"grid_sampler_2d_backward grid_sampler_3d_backward", 0, finite},
    {"grid_sampler_2d_backward grid_sampler_3d_backward", 1, finite},
    // Weights of both signs cancel beside a large element.
    {"upsample_bicubic2d upsample_bicubic2d_backward", 0, tame},
    {"isnan isinf isfinite isposinf isneginf nan_to_num", 0, nonFinite},
    {"__lshift__ __rshift__ bitwise_left_shift bitwise_right_shift", 1, [](const Call&) -> ValueRange { return Below{4}; }},
};

}  // namespace

ValueRange valueRangeOf(const Sample& sample, size_t argument, size_t item) {
  Call call(sample, item);
  if (auto index = indexRange(call, argument)) return index->drawn;
  for (const ValueRow& row : valueRows)
    if (row.argument == argument && call.isOneOf(row.operators)) return row.domain(call);
  return Plain{};
}

}  // namespace inputs
