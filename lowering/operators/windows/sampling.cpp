// Images at places that a grid names, and the gradients of images and of grids.
#include <algorithm>

#include "lowering/operators/windows/tap.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// ATen's numbers of modes.
enum Interpolation : int64_t { Bilinear, Nearest, Bicubic };
enum Padding : int64_t { Zeros, Border, Reflection };

/// A place along a dimension of an image, counted in elements, and its derivative by the grid's number.
struct Source {
  Value at, slope;
};

/// How a grid's numbers name places: -1 and 1 are the ends of the image.
struct Sampler {
  explicit Sampler(const Context& c)
      : interpolation(c.integer("interpolation_mode")),
        padding(c.integer("padding_mode")),
        alignsCorners(c.flag("align_corners")) {}

  /// The place that a grid's number names along a dimension of so many elements.
  Source unpadded(Value number, int64_t extent) const {
    const auto last = static_cast<double>(extent - 1), size = static_cast<double>(extent);
    const double scale = (alignsCorners ? last : size) / 2;
    return {alignsCorners ? (number + 1.0) / 2.0 * last : ((number + 1.0) * size - 1.0) / 2.0, number.like(scale)};
  }
  /// The same inside the image, unless padding is zeros. NaN is a place outside where padding is zeros, and else the first one.
  Source padded(Source source, int64_t extent) const {
    const auto last = static_cast<double>(extent - 1);
    if (padding == Reflection) source = reflected(source, alignsCorners ? 0 : -0.5, alignsCorners ? last : last + 0.5);
    if (padding != Zeros) source = clipped(source, last);
    return source;
  }
  Source sourceOf(Value number, int64_t extent) const { return padded(unpadded(number, extent), extent); }

  int64_t interpolation, padding;
  bool alignsCorners;

 private:
  /// Mirrored at two places until it is between them.
  static Source reflected(const Source& source, double low, double high) {
    if (low == high) return {source.at.like(0), source.at.like(0)};
    const Value from = source.at - low, distance = abs(from);
    const Value beyond = rem(distance, high - low), flips = floor(distance / (high - low));
    const Value isForward = rem(flips, 2.0) == 0.0;
    const Value direction = where(isForward == (from < 0.0), source.slope.like(-1.0), source.slope.like(1.0));
    return {where(isForward, beyond + low, (high - low) - beyond + low), source.slope * direction};
  }
  /// The first or last element for places outside.
  static Source clipped(const Source& source, double last) {
    const Value isInside = (source.at > 0.0) & (source.at < last);
    return {min(where(source.at > 0.0, source.at, 0.0), last), where(isInside, source.slope, 0.0)};
  }
};

/// The element at a whole number, where there is one; no number is too large for an integer.
Place elementAt(Value number, int64_t extent) {
  const Value near = min(where(number > -2.0, number, -2.0), static_cast<double>(extent));
  const Value at = cast(near, DType::I64);
  return {min(max(at, 0), extent - 1), (at >= 0) & (at < extent)};
}

/// The elements of which a sample is made along one dimension. The derivatives of their weights by the place are `slopes`, and
/// the derivative of the place by the grid's number is `scale`.
struct Line {
  std::vector<Tap> taps;
  std::vector<Value> slopes;
  Value scale;
};

/// Two elements on each side of a place by Keys' cubic convolution. Those outside of the image are padded one by one.
Line curve(const Sampler& sampler, Value number, int64_t extent) {
  constexpr double a = -0.75;
  const Source source = sampler.unpadded(number, extent);
  const Value before = floor(source.at), t = source.at - before;
  const auto near = [&](Value x) { return ((a + 2) * x - (a + 3)) * x * x + 1.0; };
  const auto far = [&](Value x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  const auto nearSlope = [&](Value x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; };
  const auto farSlope = [&](Value x) { return (3 * a * x - 10 * a) * x + 8 * a; };
  const Value weights[]{far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)};
  Line line{{}, {farSlope(t + 1.0), nearSlope(t), -nearSlope(1.0 - t), -farSlope(2.0 - t)}, source.slope};
  for (int i = 0; i < 4; ++i) {
    const Value at = sampler.padded({before + static_cast<double>(i - 1), t}, extent).at;
    line.taps.push_back({elementAt(at, extent), weights[i]});
  }
  return line;
}
/// The nearest element, those on both sides of a place, or more of them on a curve.
Line lineOf(const Sampler& sampler, Value number, int64_t extent) {
  if (sampler.interpolation == Bicubic) return curve(sampler, number, extent);
  const Source source = sampler.sourceOf(number, extent);
  if (sampler.interpolation == Nearest)
    return {{{elementAt(round(source.at), extent), number.like(1)}}, {number.like(0)}, source.slope};
  const Value before = floor(source.at), weight = source.at - before;
  return {{{elementAt(before, extent), 1.0 - weight}, {elementAt(before + 1.0, extent), weight}},
          {number.like(-1), number.like(1)},
          source.slope};
}

/// An image at the places of a grid: the last dimensions of an output's index are the grid's. A grid's last dimension
/// counts the image's dimensions from the last one.
struct Samples {
  explicit Samples(const Context& c)
      : sampler(c), grid(inOpmath(c.tensor("grid"))), image(inOpmath(c.tensor("input"))), dims(image.sizes.size() - 2) {}

  Line line(const Index& output, std::size_t d) const {
    Index at{output[0]};
    at.insert(at.end(), output.end() - static_cast<std::ptrdiff_t>(dims), output.end());
    at.push_back(output[0].like(static_cast<int64_t>(dims - 1 - d)));
    return lineOf(sampler, grid.at(at), image.sizes[2 + d]);
  }
  int64_t tapsOfLine() const { return sampler.interpolation == Nearest ? 1 : sampler.interpolation == Bicubic ? 4 : 2; }

  Value sample(const Index& output) const {
    std::vector<std::vector<Tap>> taps;
    for (std::size_t d = 0; d < dims; ++d) taps.push_back(line(output, d).taps);
    return weightedSum(image, {{output[0], output[1]}}, taps);
  }
  /// A sample's derivative by the grid's number for a dimension. Differences along it come first, as they are exact.
  Value slope(const Index& output, std::size_t along) const {
    std::vector<std::vector<Tap>> taps;
    for (std::size_t d = 0; d < dims; ++d) taps.push_back(line(output, d).taps);
    const Line sloped = line(output, along);
    for (std::size_t i = 0; i < sloped.slopes.size(); ++i) taps[along][i].weight = sloped.slopes[i];
    return weightedSum(image, {{output[0], output[1]}}, taps, along) * sloped.scale;
  }

  Sampler sampler;
  Tensor grid, image;
  std::size_t dims;
};

Tensors sampled(Context& c) {
  const Samples samples(c);
  return asOutputs(
      c, {lazy(samples.image.dtype, c.outputType().sizes, [=](const Index& output) { return samples.sample(output); })});
}

/// Each output adds its gradient, by their weights, to the elements that it was made of: the last dimensions count these.
Tensor gradientOfImage(Context& c, const Samples& samples, const Tensor& grad) {
  const std::size_t dims = samples.dims;
  const auto tap = [samples, dims](const Index& index, std::size_t d) {
    return numbered(samples.line(leading(index, dims), d).taps, index[index.size() - dims + d]);
  };
  ir::Shape sizes = grad.sizes;
  sizes.insert(sizes.end(), dims, samples.tapsOfLine());
  const auto element = [tap, dims](const Index& index) {
    std::vector<Places> places;
    for (std::size_t d = 0; d < dims; ++d) places.push_back({tap(index, d).place});
    return elementsAt({{index[0], index[1]}}, places).front();
  };
  const auto value = [tap, grad, dims](const Index& index) {
    Value weight = tap(index, 0).weight;
    for (std::size_t d = 1; d < dims; ++d) weight = weight * tap(index, d).weight;
    return grad.at(leading(index, dims)) * weight;
  };
  return scatteredTo(c, ir::Op::Add, zeros(c), sizes, element, value);
}

/// The sum, over the channels, of the slope of the image at the place.
Tensor gradientOfGrid(Context& c, const Samples& samples, const Tensor& grad, const ir::TensorType& type) {
  if (samples.sampler.interpolation == Nearest) return zeros(c.pool(), type);
  std::vector<Tensor> sums;  // for each number of the grid, which counts dimensions from the last one
  for (std::size_t d = samples.dims; d-- > 0;) {
    const Tensor slopes =
        lazy(grad.dtype, grad.sizes, [=](const Index& output) { return grad.at(output) * samples.slope(output, d); });
    sums.push_back(squeeze(c, sum(c, slopes, {1}), {1}));
  }
  const Tensor gradient = lazy(grad.dtype, type.sizes, [sums](const Index& index) {
    const Index output = leading(index, 1);
    Value of = sums.front().at(output);
    for (std::size_t d = 1; d < sums.size(); ++d) of = where(index.back() == static_cast<int64_t>(d), sums[d].at(output), of);
    return of;
  });
  return cast(gradient, type.dtype);
}

Tensors sampledBackward(Context& c) {
  const Samples samples(c);
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  Tensors outputs;
  if (c.flags("output_mask")[0]) outputs.push_back(gradientOfImage(c, samples, grad));
  const int next = static_cast<int>(outputs.size());
  if (c.outputCount() > next) outputs.push_back(gradientOfGrid(c, samples, grad, c.outputType(next)));
  return outputs;
}

const Lowering gridSampler2d{"aten::grid_sampler_2d", sampled};
const Lowering gridSampler3d{"aten::grid_sampler_3d", sampled};
const Lowering gridSampler2dBackward{"aten::grid_sampler_2d_backward", sampledBackward};
const Lowering gridSampler3dBackward{"aten::grid_sampler_3d_backward", sampledBackward};

}  // namespace
}  // namespace lowering
