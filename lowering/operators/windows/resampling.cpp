// Images in another size: of the nearest elements, of elements between which lines or cubic curves are drawn, and of averages.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/operators/windows/tap.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// A number as f32 or f64 holds it.
double rounded(double number, DType dtype) { return dtype == DType::F64 ? number : static_cast<float>(number); }

/// One dimension: extents, and the input's elements for one of the output, as the call says or as the extents are.
struct ResizedAxis {
  int64_t input = 1, output = 1;
  DType dtype = DType::F32;  ///< what places and weights are computed in: f32 or f64
  double scale = 1;
  double outputs = 1;     ///< the output's elements for one of the input
  double offset = 0;      ///< of an element's place in it: 0 at its beginning, 1/2 in its middle
  bool isCopied = false;  ///< whether an element's place is its own, whatever the factor

  double ofExtents() const { return rounded(static_cast<double>(input) / static_cast<double>(output), dtype); }
  /// The place of an element, as a number that may lie between two.
  Value real(Value index) const { return cast(index, dtype); }
};

/// Where ATen copies elements although a factor says otherwise, which differs from kernel to kernel.
enum class Copies {
  Never,
  Together,     ///< where all extents are equal
  Each,         ///< along each dimension whose extents are equal
  EachOrTwice,  ///< and along each that has twice the elements, as if the factor were 2
};

/// The last dimensions, with the factors of the output's size that the call may give: a list, or one by one.
std::vector<ResizedAxis> axesOf(const Context& c, const ir::Shape& input, const ir::Shape& output, std::size_t dims, DType dtype,
                                Copies copies) {
  static constexpr const char* names[]{"scales_d", "scales_h", "scales_w"};
  std::vector<ResizedAxis> axes;
  for (std::size_t d = 0; d < dims; ++d) {
    ResizedAxis axis{input[input.size() - dims + d], output[output.size() - dims + d], dtype};
    std::optional<double> factor;
    const char* name = dims == 1 ? "scales" : names[3 - dims + d];
    if (c.has("scale_factors") && !c.isNone("scale_factors")) factor = c.numbers("scale_factors")->at(d);
    if (c.has(name) && !c.isNone(name)) factor = c.number(name);
    axis.isCopied = axis.input == axis.output && (copies == Copies::Each || copies == Copies::EachOrTwice);
    const bool isTwice = 2 * axis.input == axis.output && copies == Copies::EachOrTwice;
    const bool counts = factor && *factor > 0 && !axis.isCopied && !isTwice;
    axis.scale = counts ? rounded(1.0 / *factor, dtype) : axis.ofExtents();
    axis.outputs = rounded(counts ? *factor : static_cast<double>(axis.output) / static_cast<double>(axis.input), dtype);
    axes.push_back(axis);
  }
  const bool areEqual = std::all_of(axes.begin(), axes.end(), [](const ResizedAxis& axis) { return axis.input == axis.output; });
  for (ResizedAxis& axis : axes) axis.isCopied = axis.isCopied || (areEqual && copies == Copies::Together);
  return axes;
}
bool areCopied(const std::vector<ResizedAxis>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const ResizedAxis& axis) { return axis.isCopied; });
}

Value whole(Value x) { return cast(x, DType::I64); }

// ---------------------------------------------------------------------------------------------------------------------
// The nearest elements.

/// Which places of an element of the output and of the input are near each other.
enum class Compared { Beginnings, Middles };

Copies nearestCopies(const Context& c, const ir::TensorType& image, std::size_t dims, Compared which) {
  if (!c.followsHost()) return dims == 2 ? Copies::Each : Copies::Never;
  const bool hasOwnKernel = dims == 3 && image.hasChannelsLast() && image.sizes[1] > 3;
  return which == Compared::Beginnings && (dims == 2 || hasOwnKernel) ? Copies::EachOrTwice : Copies::Never;
}
Copies nearestCopiesBackward(const Context& c, std::size_t dims, Compared which) {
  if (!c.followsHost()) return dims == 2 ? Copies::Together : Copies::Never;
  return which == Compared::Beginnings ? Copies::EachOrTwice : Copies::Never;
}

/// The input's elements of a whole number of outputs each, or 0.
int64_t copiesOf(const ResizedAxis& axis) {
  const bool isWhole = axis.output % axis.input == 0;
  const int64_t copies = axis.output / axis.input;
  return isWhole && axis.scale == axis.ofExtents() && (copies & (copies - 1)) == 0 ? copies : 0;
}
/// Of a whole number of outputs an element, or of one; nothing where numbers are rounded.
std::optional<Value> exactlyNearest(const ResizedAxis& axis, Value index) {
  const int64_t copies = copiesOf(axis);
  if (axis.isCopied || copies == 1) return index;
  return copies > 0 ? std::optional(floorDiv(index, copies)) : std::nullopt;
}
/// ATen's: the product rounded down, in f32. It may lie beyond the last element.
Value roundedDown(const ResizedAxis& axis, Value index) {
  const Value place = axis.offset == 0 ? axis.real(index) : axis.real(index) + axis.offset;
  return whole(floor(place * axis.scale));
}
Value nearest(const ResizedAxis& axis, Value index) {
  if (const std::optional<Value> exact = exactlyNearest(axis, index)) return *exact;
  return min(roundedDown(axis, index), axis.input - 1);
}

/// The element that takes an output's gradient on a GPU: of it and its neighbours the one whose outputs, from the first one to
/// the next element's first, have it among them. Outputs beyond the last element's have none.
Place takerOf(const ResizedAxis& axis, Value index) {
  if (const std::optional<Value> exact = exactlyNearest(axis, index)) return {*exact};
  const auto firstOf = [&](Value element) { return whole(ceil(axis.real(element) * axis.outputs - axis.offset)); };
  const Value near = roundedDown(axis, index);
  const Value at = where(index < firstOf(near), near - 1, where(index < firstOf(near + 1), near, near + 1));
  return {min(max(at, 0), axis.input - 1), (at >= 0) & (at < axis.input)};
}

Index nearestOf(const std::vector<ResizedAxis>& axes, const Index& index) {
  const Index last = trailing(index, axes.size());
  Index from = leading(index, axes.size());
  for (std::size_t d = 0; d < axes.size(); ++d) from.push_back(nearest(axes[d], last[d]));
  return from;
}

std::vector<ResizedAxis> nearestAxes(const Context& c, const ir::Shape& input, const ir::Shape& output, std::size_t dims,
                                     Compared which, Copies copies) {
  std::vector<ResizedAxis> axes = axesOf(c, input, output, dims, DType::F32, copies);
  for (ResizedAxis& axis : axes) axis.offset = which == Compared::Middles ? 0.5 : 0;
  return axes;
}

template <std::size_t dims, Compared which = Compared::Beginnings>
Tensors nearestResized(Context& c) {
  const std::string name = c.has("input") ? "input" : "self";
  const Tensor x = c.tensor(name);
  const ir::Shape sizes = c.outputType().sizes;
  const std::vector<ResizedAxis> axes =
      nearestAxes(c, x.sizes, sizes, dims, which, nearestCopies(c, c.typeOf(name), dims, which));
  return {lazy(x.dtype, sizes, [=](const Index& index) { return x.at(nearestOf(axes, index)); })};
}

template <std::size_t dims, Compared which = Compared::Beginnings>
Tensors nearestResizedBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::TensorType& type = c.outputType();
  const std::vector<ResizedAxis> axes =
      nearestAxes(c, type.sizes, grad.sizes, dims, which, nearestCopiesBackward(c, dims, which));
  const auto isWhole = [](const ResizedAxis& axis) { return copiesOf(axis) > 0; };
  const auto element = [axes, onHost = c.followsHost()](const Index& index) {
    if (onHost) return Element{nearestOf(axes, index)};
    std::vector<Places> takers;
    for (std::size_t d = 0; d < dims; ++d) takers.push_back({takerOf(axes[d], trailing(index, dims)[d])});
    return elementsAt({leading(index, dims)}, takers).front();
  };
  if (!std::all_of(axes.begin(), axes.end(), isWhole))
    return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, element, grad.at)};
  return asOutputs(c, {lazy(grad.dtype, type.sizes, [=](const Index& index) {
                     const Index last = trailing(index, dims);
                     std::vector<Places> copies(dims);
                     for (std::size_t d = 0; d < dims; ++d)
                       for (int64_t i = 0; i < copiesOf(axes[d]); ++i) copies[d].push_back({last[d] * copiesOf(axes[d]) + i});
                     return sumOf(grad, elementsAt({leading(index, dims)}, copies));
                   })});
}

const Lowering nearest1d{"aten::upsample_nearest1d", nearestResized<1>};
const Lowering nearest2d{"aten::upsample_nearest2d", nearestResized<2>};
const Lowering nearest3d{"aten::upsample_nearest3d", nearestResized<3>};
const Lowering nearest1dBackward{"aten::upsample_nearest1d_backward", nearestResizedBackward<1>};
const Lowering nearest2dBackward{"aten::upsample_nearest2d_backward", nearestResizedBackward<2>};
const Lowering nearest3dBackward{"aten::upsample_nearest3d_backward", nearestResizedBackward<3>};
const Lowering exact1d{"aten::_upsample_nearest_exact1d", nearestResized<1, Compared::Middles>};
const Lowering exact2d{"aten::_upsample_nearest_exact2d", nearestResized<2, Compared::Middles>};
const Lowering exact3d{"aten::_upsample_nearest_exact3d", nearestResized<3, Compared::Middles>};
const Lowering exact1dBackward{"aten::_upsample_nearest_exact1d_backward", nearestResizedBackward<1, Compared::Middles>};
const Lowering exact2dBackward{"aten::_upsample_nearest_exact2d_backward", nearestResizedBackward<2, Compared::Middles>};
const Lowering exact3dBackward{"aten::_upsample_nearest_exact3d_backward", nearestResizedBackward<3, Compared::Middles>};

// ---------------------------------------------------------------------------------------------------------------------
// Lines and cubic curves.

double scaleOfCorners(const ResizedAxis& axis) {
  const double scale = axis.output > 1 ? static_cast<double>(axis.input - 1) / static_cast<double>(axis.output - 1) : 0.0;
  return rounded(scale, axis.dtype);
}

/// Where the middle of an output's element is in the input, or, with aligned corners, where it is itself.
Value sourceOf(const ResizedAxis& axis, Value index, bool alignsCorners, bool isCubic) {
  if (alignsCorners) return axis.real(index) * scaleOfCorners(axis);
  const Value source = (axis.real(index) + 0.5) * axis.scale - 0.5;
  return isCubic ? source : max(source, 0.0);
}

/// The two neighbours of a place. Where elements are copied both are the element.
std::vector<Tap> onLine(const ResizedAxis& axis, Value index, bool alignsCorners) {
  if (axis.isCopied) return {{{index}, axis.real(index).like(1.0)}, {{index}, axis.real(index).like(0.0)}};
  const Value source = sourceOf(axis, index, alignsCorners, false);
  const Value before = min(whole(source), axis.input - 1);
  const Value weight = min(max(source - axis.real(before), 0.0), 1.0);
  return {{{before}, 1.0 - weight}, {{min(before + 1, axis.input - 1)}, weight}};
}

/// The four neighbours of a place, those beyond the ends being the ends, with the weights of Keys' cubic convolution.
std::vector<Tap> onCurve(const ResizedAxis& axis, Value index, bool alignsCorners) {
  constexpr double a = -0.75;
  const Value source = sourceOf(axis, index, alignsCorners, true), start = floor(source), t = source - start;
  const auto near = [&](Value x) { return ((a + 2) * x - (a + 3)) * x * x + 1.0; };
  const auto far = [&](Value x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const Value weights[]{far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)};
  std::vector<Tap> taps;
  for (int64_t i = 0; i < 4; ++i) taps.push_back({{min(max(whole(start) + (i - 1), 0), axis.input - 1)}, weights[i]});
  return taps;
}

/// The elements under a triangle around a place, which is as wide as two elements of the input or, where there are more, of the
/// output, and high enough for weights of 1 together.
std::vector<Tap> underTriangle(const ResizedAxis& axis, Value index, bool alignsCorners) {
  if (axis.isCopied) return {{{index}, axis.real(index).like(1.0)}};
  const double scale = alignsCorners ? scaleOfCorners(axis) : axis.scale, support = std::max(scale, 1.0);
  if ((static_cast<double>(axis.output) - 0.5) * scale - support + 0.5 >= static_cast<double>(axis.input))
    ir::fail(ir::ErrorKind::Unsupported, "outputs beyond the image, of which ATen reads what is behind it, are not lowered");
  const Value center = (axis.real(index) + 0.5) * scale;
  const Value begin = max(whole(center - support + 0.5), 0), end = min(whole(center + support + 0.5), axis.input);
  std::vector<Tap> taps;
  std::optional<Value> total;
  for (int64_t i = 0; i < 2 * static_cast<int64_t>(std::ceil(support)) + 1; ++i) {
    const Value at = begin + i, exists = at < end;
    const Value height = where(exists, max(1.0 - abs((axis.real(at) - center + 0.5) * (1 / support)), 0.0), 0.0);
    total = total ? *total + height : height;
    taps.push_back({{min(at, axis.input - 1), exists}, height});
  }
  for (Tap& tap : taps) tap.weight = tap.weight / *total;
  return taps;
}

using Taps = std::vector<Tap> (*)(const ResizedAxis& axis, Value index, bool alignsCorners);

/// The sum of a tensor's elements by the weights that `tapsOf` gives them for the index along each of the last dimensions.
template <Taps tapsOf>
Value weighted(const Tensor& x, const std::vector<ResizedAxis>& axes, const Index& index, bool alignsCorners) {
  const Index last = trailing(index, axes.size());
  std::vector<std::vector<Tap>> taps;
  for (std::size_t d = 0; d < axes.size(); ++d) taps.push_back(tapsOf(axes[d], last[d], alignsCorners));
  return weightedSum(x, {leading(index, axes.size())}, taps);
}

Copies copiesOf(const Context& c, Taps taps) {
  if (c.followsHost()) return taps == Taps{onCurve} ? Copies::Never : Copies::Each;
  return taps == Taps{underTriangle} ? Copies::Never : Copies::Together;
}
Copies copiesBackwardOf(const Context& c, Taps taps) {
  if (c.followsHost() && taps == Taps{onLine}) return Copies::Each;
  return c.followsHost() && taps == Taps{underTriangle} ? Copies::Never : Copies::Together;
}

template <std::size_t dims, Taps tapsOf>
Tensors resized(Context& c) {
  const Tensor x = inOpmath(c.tensor(c.has("input") ? "input" : "self"));
  if (!ir::isFloating(x.dtype)) ir::fail(ir::ErrorKind::Unsupported, "lines and curves between integers are not lowered");
  const ir::Shape sizes = c.outputType().sizes;
  const Copies copies = copiesOf(c, tapsOf);
  const std::vector<ResizedAxis> axes = axesOf(c, x.sizes, sizes, dims, x.dtype, copies);
  if (copies == Copies::Together && areCopied(axes)) return asOutputs(c, {x});
  const bool alignsCorners = c.flag("align_corners");
  return asOutputs(c,
                   {lazy(x.dtype, sizes, [=](const Index& index) { return weighted<tapsOf>(x, axes, index, alignsCorners); })});
}

/// The most outputs that one element of the input is an end of a line for; nothing where the call's factor is another one than
/// the extents say.
std::optional<int64_t> mostOutputs(const ResizedAxis& axis, bool alignsCorners) {
  if (!alignsCorners && axis.scale != axis.ofExtents()) return std::nullopt;
  const int64_t outputs = alignsCorners ? axis.output - 1 : axis.output, inputs = alignsCorners ? axis.input - 1 : axis.input;
  if (inputs <= 0 || outputs <= 0) return std::nullopt;
  return ceilDiv(2 * outputs, inputs);
}

/// These outputs, by the element's weights in them. Their places lie above the element before, and below the element
/// after.
std::vector<Tap> outputsOnLines(const ResizedAxis& axis, Value element, bool alignsCorners) {
  const int64_t outputs = alignsCorners ? axis.output - 1 : axis.output, inputs = alignsCorners ? axis.input - 1 : axis.input;
  const Value before =
      alignsCorners ? floorDiv((element - 1) * outputs, inputs) : floorDiv((element * 2 - 1) * outputs - inputs, 2 * inputs);
  const bool areAllEnds = !alignsCorners && copiesOf(axis) > 1;  // else an infinite gradient would meet a weight of 0
  std::vector<Tap> taps;
  for (int64_t i = 1; i <= *mostOutputs(axis, alignsCorners); ++i) {
    const Value at = simplified(before + i);
    const std::vector<Tap> ends = onLine(axis, at, alignsCorners);
    const auto isEnd = [&](const Tap& end) { return end.place.at == element; };
    const auto weightIn = [&](const Tap& end) { return where(isEnd(end), end.weight, 0.0); };
    Value exists = (at >= 0) & (at < axis.output);
    if (!areAllEnds) exists = exists & (isEnd(ends[0]) | isEnd(ends[1]));
    taps.push_back({{at, exists}, weightIn(ends[0]) + weightIn(ends[1])});
  }
  return taps;
}

/// Each output adds its gradient, by their weights, to the inputs that it was made of: the last dimensions count these.
template <std::size_t dims, Taps tapsOf>
Tensors resizedBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const Copies copies = copiesBackwardOf(c, tapsOf);
  const std::vector<ResizedAxis> axes = axesOf(c, c.outputType().sizes, grad.sizes, dims, grad.dtype, copies);
  if (copies == Copies::Together && areCopied(axes)) return asOutputs(c, {grad});
  const bool alignsCorners = c.flag("align_corners");
  ir::Shape sizes = grad.sizes;
  const Value anywhere{c.pool(), c.pool().integer(DType::I64, 0)};
  for (const ResizedAxis& axis : axes) sizes.push_back(std::ssize(tapsOf(axis, anywhere, alignsCorners)));
  const auto tapAt = [=](const Index& index, std::size_t d) {
    const Index output = trailing(leading(index, dims), dims), number = trailing(index, dims);
    return numbered(tapsOf(axes[d], output[d], alignsCorners), number[d]);
  };
  const auto element = [=](const Index& index) {
    std::vector<Places> places;
    for (std::size_t d = 0; d < dims; ++d) places.push_back({tapAt(index, d).place});
    return elementsAt({leading(index, 2 * dims)}, places).front();
  };
  const auto value = [=](const Index& index) {
    Value share = grad.at(leading(index, dims));
    for (std::size_t d = 0; d < dims; ++d) share = share * cast(tapAt(index, d).weight, share.dtype());
    return share;
  };
  return {scatteredTo(c, ir::Op::Add, zeros(c), sizes, element, value)};
}

/// An element that is in few outputs reads their gradients, as threads that add would meet.
template <std::size_t dims>
Tensors linearBackward(Context& c) {
  constexpr int64_t few = 8;
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::Shape sizes = c.outputType().sizes;
  const Copies copies = copiesBackwardOf(c, onLine);
  const std::vector<ResizedAxis> axes = axesOf(c, sizes, grad.sizes, dims, grad.dtype, copies);
  const bool alignsCorners = c.flag("align_corners");
  const auto areFew = [&](const ResizedAxis& axis) { return mostOutputs(axis, alignsCorners).value_or(few + 1) <= few; };
  const bool isCopy = copies == Copies::Together && areCopied(axes);
  if (isCopy || !std::all_of(axes.begin(), axes.end(), areFew)) return resizedBackward<dims, onLine>(c);
  return asOutputs(c, {lazy(grad.dtype, sizes,
                            [=](const Index& index) { return weighted<outputsOnLines>(grad, axes, index, alignsCorners); })});
}

/// On a CPU ATen repeats the first row of images that become one element wide.
Tensors averaged(Context& c) {
  const ir::Shape &from = c.typeOf(c.has("input") ? "input" : "self").sizes, &to = c.outputType().sizes;
  if (c.followsHost() && to[3] == 1 && to[2] != from[2])
    ir::fail(ir::ErrorKind::Unsupported, "columns of a width of 1, whose first row ATen repeats, are not lowered");
  return resized<2, underTriangle>(c);
}

const Lowering linear1d{"aten::upsample_linear1d", resized<1, onLine>};
const Lowering bilinear2d{"aten::upsample_bilinear2d", resized<2, onLine>};
const Lowering trilinear3d{"aten::upsample_trilinear3d", resized<3, onLine>};
const Lowering bicubic2d{"aten::upsample_bicubic2d", resized<2, onCurve>};
const Lowering linear1dBackward{"aten::upsample_linear1d_backward", linearBackward<1>};
const Lowering bilinear2dBackward{"aten::upsample_bilinear2d_backward", linearBackward<2>};
const Lowering trilinear3dBackward{"aten::upsample_trilinear3d_backward", linearBackward<3>};
const Lowering bicubic2dBackward{"aten::upsample_bicubic2d_backward", resizedBackward<2, onCurve>};
const Lowering antialiased2d{"aten::_upsample_bilinear2d_aa", averaged};
const Lowering antialiased2dBackward{"aten::_upsample_bilinear2d_aa_backward", resizedBackward<2, underTriangle>};

}  // namespace
}  // namespace lowering
