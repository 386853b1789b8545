// Images at places that a grid names, and the gradients of images and of grids.
#include <array>

#include "ir/error.h"
#include "lowering/operators/windows/tap.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// ATen's numbers of modes.
enum Interpolation : int64_t { Bilinear, Nearest };
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
        alignsCorners(c.flag("align_corners")) {
    if (interpolation != Bilinear && interpolation != Nearest)
      ir::fail(ir::ErrorKind::Unsupported, "only nearest and bilinear samples of images are lowered");
  }

  /// The place that a grid's number names along a dimension of so many elements. NaN is a place outside where padding is zeros,
  /// and else the first one.
  Source sourceOf(Value number, int64_t extent) const {
    const auto last = static_cast<double>(extent - 1), size = static_cast<double>(extent);
    const double scale = (alignsCorners ? last : size) / 2;
    Source source{alignsCorners ? (number + 1.0) / 2.0 * last : ((number + 1.0) * size - 1.0) / 2.0, number.like(scale)};
    if (padding == Reflection) source = reflected(source, alignsCorners ? 0 : -0.5, alignsCorners ? last : last + 0.5);
    if (padding != Zeros) source = clipped(source, last);
    return source;
  }

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

/// The elements on both sides of a place along a dimension, or the nearest one.
std::vector<Tap> tapsOf(const Sampler& sampler, Value source, int64_t extent) {
  if (sampler.interpolation == Nearest) return {{elementAt(round(source), extent), source.like(1)}};
  const Value before = floor(source), weight = source - before;
  return {{elementAt(before, extent), 1.0 - weight}, {elementAt(before + 1.0, extent), weight}};
}

/// An image at the places of a grid: the last dimensions of an output's index are a row and a column of the grid.
struct Samples {
  explicit Samples(const Context& c) : sampler(c), grid(inOpmath(c.tensor("grid"))), image(inOpmath(c.tensor("input"))) {
    if (grid.dtype != DType::F32) ir::fail(ir::ErrorKind::Unsupported, "grids of {} are not lowered", ir::name(grid.dtype));
  }

  /// Along the image's rows and columns.
  int64_t extent(std::size_t d) const { return image.sizes[2 + d]; }
  Source source(const Index& output, std::size_t d) const {
    const Index at{output[0], output[output.size() - 2], output.back(), output[0].like(d == 0 ? 1 : 0)};
    return sampler.sourceOf(grid.at(at), extent(d));
  }
  std::vector<Tap> taps(const Index& output, std::size_t d) const { return tapsOf(sampler, source(output, d).at, extent(d)); }
  /// An element of the image in an output's channel, 0 outside.
  Value read(const Index& output, const Place& y, const Place& x) const {
    return sumOf(image, elementsAt({{output[0], output[1]}}, {{y}, {x}}));
  }

  Sampler sampler;
  Tensor grid, image;
};

Tensors sampled(Context& c) {
  const Samples samples(c);
  const ir::TensorType& type = c.outputType();
  return asOutputs(c, {lazy(samples.image.dtype, type.sizes, [=](const Index& output) {
                     std::optional<Value> sum;
                     for (const Tap& y : samples.taps(output, 0))
                       for (const Tap& x : samples.taps(output, 1)) {
                         const Value one = samples.read(output, y.place, x.place) * (y.weight * x.weight);
                         sum = sum ? *sum + one : one;
                       }
                     return *sum;
                   })});
}

/// Each output adds its gradient, by their weights, to the elements that it was made of: the last dimensions count these.
Tensor gradientOfImage(Context& c, const Samples& samples, const Tensor& grad) {
  const int64_t taps = samples.sampler.interpolation == Nearest ? 1 : 2;
  const auto tap = [samples](const Index& index, std::size_t d) {
    return numbered(samples.taps(leading(index, 2), d), index[index.size() - 2 + d]);
  };
  ir::Shape sizes = grad.sizes;
  sizes.insert(sizes.end(), {taps, taps});
  const auto element = [tap](const Index& index) {
    return elementsAt({{index[0], index[1]}}, {{tap(index, 0).place}, {tap(index, 1).place}}).front();
  };
  const auto value = [tap, grad](const Index& index) {
    return grad.at(leading(index, 2)) * (tap(index, 0).weight * tap(index, 1).weight);
  };
  return scatteredTo(ir::Op::Add, zeros(c), sizes, element, value);
}

/// The sum, over the channels, of the slope of the image at the place.
Tensor gradientOfGrid(Context& c, const Samples& samples, const Tensor& grad, const ir::TensorType& type) {
  if (samples.sampler.interpolation == Nearest) return zeros(c.pool(), type);
  const ir::Shape sizes{grad.sizes[0], grad.sizes[1], grad.sizes[2], grad.sizes[3], 2};
  const Tensor slopes = lazy(grad.dtype, sizes, [=](const Index& index) {
    const Index output = leading(index, 1);
    const std::vector<Tap> y = samples.taps(output, 0), x = samples.taps(output, 1);
    const auto at = [&](std::size_t row, std::size_t column) { return samples.read(output, y[row].place, x[column].place); };
    const Value ofX = (at(0, 1) - at(0, 0)) * y[0].weight + (at(1, 1) - at(1, 0)) * y[1].weight;
    const Value ofY = (at(1, 0) - at(0, 0)) * x[0].weight + (at(1, 1) - at(0, 1)) * x[1].weight;
    return grad.at(output) * where(index.back() == 0, ofX, ofY);
  });
  const Tensor sums = squeeze(c, sum(c, slopes, {1}), {1});
  return cast(lazy(grad.dtype, type.sizes,
                   [=](const Index& index) {
                     const Index output{index[0], index[0].like(0), index[1], index[2]};
                     const Value x = samples.source(output, 1).slope, y = samples.source(output, 0).slope;
                     return sums.at(index) * where(index.back() == 0, x, y);
                   }),
              type.dtype);
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
const Lowering gridSampler2dBackward{"aten::grid_sampler_2d_backward", sampledBackward};

}  // namespace
}  // namespace lowering
