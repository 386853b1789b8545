// Normalisation of rows: the last dimensions of a tensor.
#include <limits>

#include "ir/error.h"
#include "lowering/operators/normalization/normalization.h"

namespace lowering {
namespace {

/// The dimensions that `normalized_shape` names, and those before them.
struct Rows {
  Rows(const Context& c, const Tensor& x) {
    const auto* shape = c.argument("normalized_shape").as<ir::List>();
    ir::require(shape != nullptr && shape->items.size() <= x.sizes.size(), "the normalized shape does not fit");
    const auto all = everyDim(x);
    const auto first = all.end() - static_cast<std::ptrdiff_t>(shape->items.size());
    outer.assign(all.begin(), first);
    inner.assign(first, all.end());
  }
  Dims outer, inner;
};

std::optional<Tensor> converted(const std::optional<Tensor>& tensor, ir::DType dtype) {
  if (!tensor) return std::nullopt;
  return cast(*tensor, dtype);
}

Tensors layerNorm(Context& c) {
  const Tensor x = inOpmath(c.tensor("input"));
  const Rows rows(c, x);
  const Moments m = moments(c, c.tensor("input"), rows.inner);
  const int64_t n = countOf(x, rows.inner);
  const Tensor scale = inverseDeviation(dividedBy(m.squares, n), c.number("eps"));
  const auto weight = converted(c.optionalTensor("weight"), x.dtype), bias = converted(c.optionalTensor("bias"), x.dtype);
  return asOutputs(c, {affine(centered(x, m.mean, scale), weight, bias), m.mean, scale});
}

Tensors layerNormBackward(Context& c) {
  const Tensor x = inOpmath(c.tensor("input"));
  const Rows rows(c, x);
  const Tensor grad = cast(c.tensor("grad_out"), x.dtype), scale = cast(c.tensor("rstd"), x.dtype);
  const Tensor normal = centeredAgain(x, cast(c.tensor("mean"), x.dtype), scale);
  const Tensor weighted = affine(grad, converted(c.optionalTensor("weight"), x.dtype), {});
  const Tensor level = mean(c, weighted, rows.inner), slope = mean(c, product(weighted, normal), rows.inner);
  return wanted(
      c, {centeredGradient(weighted, normal, scale, level, slope),
          squeeze(c, sum(c, product(grad, normal), rows.outer), rows.outer), squeeze(c, sum(c, grad, rows.outer), rows.outer)});
}

// ---------------------------------------------------------------------------------------------------------------------
// By the root of the mean square alone.

/// What is added to the mean square: as given, or what 1 differs by from the next number of a dtype.
double epsilonOf(const Context& c, ir::DType dtype) {
  if (!c.argument("eps").is<ir::None>()) return c.number("eps");
  return dtype == ir::DType::F64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// The norm, and with it the scale where that is a result.
Tensors rmsNorm(Context& c) {
  const Tensor x = inOpmath(c.tensor("input"));
  const Rows rows(c, x);
  const Tensor scale = inverseDeviation(mean(c, product(x, x), rows.inner), epsilonOf(c, x.dtype));
  Tensors results{affine(product(x, scale), converted(c.optionalTensor("weight"), x.dtype), {}), scale};
  results.resize(static_cast<std::size_t>(c.outputCount()));
  return asOutputs(c, results);
}

Tensors rmsNormBackward(Context& c) {
  const Tensor x = inOpmath(c.tensor("input"));
  const Rows rows(c, x);
  const Tensor grad = cast(c.tensor("grad_out"), x.dtype), scale = cast(c.tensor("rstd"), x.dtype);
  const Tensor normal = product(x, scale);
  const Tensor weighted = affine(grad, converted(c.optionalTensor("weight"), x.dtype), {});
  const Tensor slope = mean(c, product(weighted, normal), rows.inner);
  const auto gradient = [](Value grad, Value normal, Value scale, Value slope) { return (grad - normal * slope) * scale; };
  return wanted(
      c, {map(gradient, weighted, normal, scale, slope), squeeze(c, sum(c, product(grad, normal), rows.outer), rows.outer)});
}

const Lowering rmsNormAlone{"aten::rms_norm", rmsNorm};
const Lowering fusedRmsNorm{"aten::_fused_rms_norm", rmsNorm};
const Lowering fusedRmsNormBackward{"aten::_fused_rms_norm_backward", rmsNormBackward};
const Lowering nativeLayerNorm{"aten::native_layer_norm", layerNorm};
const Lowering nativeLayerNormBackward{"aten::native_layer_norm_backward", layerNormBackward};

}  // namespace
}  // namespace lowering
