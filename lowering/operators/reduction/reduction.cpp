// Sums, extremes, where they are, variances and norms.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "lowering/operators/reduction/norm.h"

namespace lowering {
namespace {

using ir::DType;

/// The reduced tensors as the call wants them: without the dimensions unless it keeps them, in the outputs' dtypes.
Tensors results(Context& c, Tensors tensors, const Dims& dims) {
  const bool keepDim = c.has("keepdim") && c.flag("keepdim");
  for (Tensor& tensor : tensors) tensor = keepDim ? tensor : squeeze(c, tensor, dims);
  return asOutputs(c, std::move(tensors));
}

Dims dimsOf(const Context& c, const Tensor& x) { return c.dims("dim", x.sizes.size()); }

using Reduction = Tensor (*)(Context&, const Tensor&, const Dims&);

/// A reduction of `self`, converted to the result's dtype first.
template <Reduction reduction>
Tensors inResultType(Context& c) {
  const Tensor x = cast(c.tensor("self"), c.outputType().dtype);
  return results(c, {reduction(c, x, dimsOf(c, x))}, dimsOf(c, x));
}
/// Dimensions along which memory repeats one element, as a sum's expanded gradient does, are a factor.
Tensor summed(Context& c, const Tensor& x, const Dims& dims) {
  const ir::TensorType& type = c.typeOf("self");
  Dims repeated;
  std::copy_if(dims.begin(), dims.end(), std::back_inserter(repeated), [&](int64_t d) { return type.strides[d] == 0; });
  const int64_t times = countOf(x, repeated);
  return map([times](Value s) { return times == 1 ? s : s * times; }, sum(c, firstOf(c, x, repeated), dims));
}
Tensor averaged(Context& c, const Tensor& x, const Dims& dims) { return dividedBy(summed(c, x, dims), countOf(x, dims)); }
Tensor multiplied(Context& c, const Tensor& x, const Dims& dims) {
  return reduce(c, ir::Op::Mul, cast(x, ir::isFloating(x.dtype) ? ir::opmath(x.dtype) : DType::I64), dims);
}
const Lowering sumOf{"aten::sum", inResultType<summed>};
const Lowering meanOf{"aten::mean", inResultType<averaged>};
const Lowering prodOf{"aten::prod", inResultType<multiplied>};

/// The sum of the elements that are no NaN.
Tensor summedNumbers(Context& c, const Tensor& x, const Dims& dims) {
  const auto number = [](Value x) { return where(isNan(x), 0.0, x); };
  return sum(c, ir::isFloating(x.dtype) ? map(number, x) : x, dims);
}
const Lowering nansum{"aten::nansum", inResultType<summedNumbers>};

Tensors countNonzero(Context& c) {
  const Tensor isCounted = cast(cast(c.tensor("self"), DType::Bool), DType::I64);
  const Dims dims = dimsOf(c, isCounted);
  return results(c, {sum(c, isCounted, dims)}, dims);
}
const Lowering countNonzeroOf{"aten::count_nonzero", countNonzero};

/// The sum of a matrix' diagonal.
Tensors traceOf(Context& c) {
  const Tensor self = cast(c.tensor("self"), c.outputType().dtype);
  const int64_t extent = std::min(self.sizes[0], self.sizes[1]);
  const Tensor diagonal = lazy(self.dtype, {extent}, [self](const Index& at) { return self.at({at[0], at[0]}); });
  return asOutputs(c, {squeeze(c, sum(c, diagonal, {0}), {0})});
}
const Lowering trace{"aten::trace", traceOf};

template <Reduction reduction>
Tensors extremeOf(Context& c) {
  const Tensor x = c.tensor("self");
  return results(c, {reduction(c, x, dimsOf(c, x))}, dimsOf(c, x));
}
const Lowering amaxOf{"aten::amax", extremeOf<amax>};
const Lowering aminOf{"aten::amin", extremeOf<amin>};
const Lowering maxOf{"aten::max.default", extremeOf<amax>};
const Lowering minOf{"aten::min.default", extremeOf<amin>};

template <Reduction reduction>
Tensors truthOf(Context& c) {
  const Tensor x = cast(c.tensor("self"), DType::Bool);
  return results(c, {reduction(c, x, dimsOf(c, x))}, dimsOf(c, x));
}
const Lowering anyOf{"aten::any", truthOf<amax>};
const Lowering allOf{"aten::all", truthOf<amin>};

/// Where the extreme is first, as a row-major number over the dimensions; where the first NaN is, if there is one.
Tensor placeOf(Context& c, const Tensor& x, const Tensor& extreme, const Dims& dims) {
  const int64_t end = countOf(x, dims);
  const Tensor places = lazy(DType::I64, x.sizes, [=, &pool = c.pool(), extreme = cast(extreme, x.dtype)](const Index& index) {
    Value place{pool, pool.integer(DType::I64, 0)};
    for (int64_t d : dims) place = place * x.sizes[d] + index[d];
    const Value element = x.at(index);
    const Value equal = element == extreme.at(index);
    return where(ir::isFloating(x.dtype) ? equal | isNan(element) : equal, place, end);
  });
  return amin(c, places, dims);
}

template <Reduction reduction>
Tensors placeOfExtreme(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const Dims dims = dimsOf(c, x);
  return results(c, {placeOf(c, x, reduction(c, x, dims), dims)}, dims);
}
template <Reduction reduction>
Tensors extremeAndPlace(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const Dims dims = dimsOf(c, x);
  const Tensor extreme = reduction(c, x, dims);
  return results(c, {extreme, placeOf(c, x, extreme, dims)}, dims);
}
const Lowering argmax{"aten::argmax", placeOfExtreme<amax>};
const Lowering argmin{"aten::argmin", placeOfExtreme<amin>};
/// Both extremes, along a dimension or of all elements.
Tensors extremes(Context& c) {
  const Tensor x = c.tensor("self");
  const Dims dims = dimsOf(c, x);
  return results(c, {amin(c, x, dims), amax(c, x, dims)}, dims);
}
const Lowering aminmax{"aten::aminmax", extremes};
const Lowering maxDim{"aten::max.dim", extremeAndPlace<amax>};
const Lowering minDim{"aten::min.dim", extremeAndPlace<amin>};

/// The divisor of a sum of squares: the number of elements less the correction, but nothing below 0.
double degreesOfFreedom(const Context& c, const Tensor& x, const Dims& dims) {
  double correction = 1;
  if (c.has("unbiased")) correction = c.flag("unbiased") ? 1 : 0;
  if (c.has("correction") && !c.isNone("correction")) correction = c.number("correction");
  return std::fmax(static_cast<double>(countOf(x, dims)) - correction, 0);
}

struct Spread {
  Tensor variance, mean;
  Dims dims;
};
/// On a CPU in f64, as ATen's: squares of large and of small numbers are none of f32. On a GPU rows in two traversals, around
/// their mean; everything else in one.
Spread spreadOf(Context& c) {
  const bool isHost = c.followsHost();
  const Tensor x = isHost ? cast(c.tensor("self"), DType::F64) : c.tensor("self");
  const Dims dims = dimsOf(c, x);
  const auto last = static_cast<int64_t>(x.sizes.size()) - 1;
  const bool isRows = dims.size() < x.sizes.size() && !dims.empty() && dims.back() == last;
  const Moments m = isRows && !isHost ? moments(c, x, dims) : momentsAroundElement(c, x, dims);
  const Tensor variance = dividedBy(m.squares, degreesOfFreedom(c, x, dims));
  return {variance, m.mean, dims};
}
Tensor root(const Tensor& tensor) {
  return map([](Value x) { return sqrt(x); }, tensor);
}

const Lowering var{"aten::var", [](Context& c) {
                     const Spread s = spreadOf(c);
                     return results(c, {s.variance}, s.dims);
                   }};
const Lowering stddev{"aten::std", [](Context& c) {
                        const Spread s = spreadOf(c);
                        return results(c, {root(s.variance)}, s.dims);
                      }};
const Lowering varMean{"aten::var_mean", [](Context& c) {
                         const Spread s = spreadOf(c);
                         return results(c, {s.variance, s.mean}, s.dims);
                       }};
const Lowering stdMean{"aten::std_mean", [](Context& c) {
                         const Spread s = spreadOf(c);
                         return results(c, {root(s.variance), s.mean}, s.dims);
                       }};

/// The Euclidean norm unless `order` names another.
Tensors norm(Context& c, const std::string& order) {
  const Tensor x = inOpmath(cast(c.tensor("self"), c.outputType().dtype));
  const Dims dims = dimsOf(c, x);
  return results(c, {vectorNorm(c, x, c.isNone(order) ? 2 : c.number(order), dims)}, dims);
}
const Lowering normOf{"aten::norm", [](Context& c) { return norm(c, "p"); }};
const Lowering linalgVectorNorm{"aten::linalg_vector_norm", [](Context& c) { return norm(c, "ord"); }};

}  // namespace
}  // namespace lowering
