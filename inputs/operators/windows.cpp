#include <algorithm>
#include <functional>
#include <numeric>

#include "inputs/operators/facts.h"
#include "inputs/random.h"

namespace inputs {
namespace {

// --- positions of maxima in planes of so many dimensions ---

constexpr int64_t largestExtent = int64_t{1} << 31;

/// Positions along one dimension that a window covers: `first + i * step` for i below `count`.
struct Span {
  int64_t first, step, count;
};

ir::Shape lastSizes(const ir::TensorType& type, size_t count) {
  if (type.sizes.size() < count)
    ir::fail(ir::ErrorKind::Unsupported, "{} has no {} dimensions to pool over", toText(type), count);
  return {type.sizes.end() - static_cast<std::ptrdiff_t>(count), type.sizes.end()};
}

/// A flat index into the last dimensions of the input: one position of each dimension's span, drawn at random. `indices` is the
/// tensor of them, which has the output's dimensions.
Domain inWindow(ir::Shape input, const ir::TensorType& indices, std::function<Span(size_t dim, int64_t output)> span) {
  lastSizes(indices, input.size());
  const int64_t plane = std::accumulate(input.begin(), input.end(), int64_t{1}, std::multiplies<>());
  return {ByPosition{[input = std::move(input), span = std::move(span)](const ir::Shape& at, uint64_t random) {
            int64_t flat = 0;
            for (size_t d = 0; d < input.size(); ++d) {
              Span window = span(d, at[at.size() - input.size() + d]);
              int64_t chosen =
                  window.first + window.step * integerBelow(randomBits(random, d), std::max<int64_t>(window.count, 1));
              flat = flat * input[d] + std::clamp<int64_t>(chosen, 0, std::max<int64_t>(input[d] - 1, 0));
            }
            return flat;
          }},
          {0, plane - 1}};
}

template <size_t dims>
std::vector<int64_t> perDimension(const Call& call, size_t argument, const std::vector<int64_t>& otherwise) {
  std::vector<int64_t> values = call.integers(argument);
  if (values.empty()) values = otherwise;
  if (values.size() == 1) values.resize(dims, values[0]);
  bool valid =
      values.size() == dims && std::all_of(values.begin(), values.end(), [](int64_t v) { return v >= 0 && v < largestExtent; });
  if (!valid) ir::fail(ir::ErrorKind::Unsupported, "argument {} of a pooling operator is not {} sizes", argument, dims);
  return values;
}

/// In the window of each output: `(grad_output, self, kernel_size, stride, padding, dilation, ceil_mode, indices)`.
template <size_t dims>
Domain maxPoolIndex(const Call& call) {
  ir::Shape input = lastSizes(call.tensor(1), dims);
  auto kernel = perDimension<dims>(call, 2, {1}), stride = perDimension<dims>(call, 3, kernel);
  auto padding = perDimension<dims>(call, 4, {0}), dilation = perDimension<dims>(call, 5, {1});
  return inWindow(input, call.tensor(7), [=](size_t d, int64_t output) {
    int64_t start = output * stride[d] - padding[d], step = std::max<int64_t>(dilation[d], 1);
    int64_t skipped = start < 0 ? (-start + step - 1) / step : 0;
    int64_t fitting = start < input[d] ? (input[d] - 1 - start) / step + 1 : 0;
    return Span{start + skipped * step, step, std::min(kernel[d], fitting) - skipped};
  });
}

/// The same: `(grad_output, self, indices)`.
template <size_t dims>
Domain adaptiveMaxPoolIndex(const Call& call) {
  ir::Shape input = lastSizes(call.tensor(1), dims), output = lastSizes(call.tensor(2), dims);
  return inWindow(input, call.tensor(2), [=](size_t d, int64_t o) {
    int64_t first = o * input[d] / output[d], end = ((o + 1) * input[d] + output[d] - 1) / output[d];
    return Span{first, 1, end - first};
  });
}

/// Anywhere in the input's plane: `(grad_output, self, kernel_size, output_size, indices)`.
template <size_t dims>
Domain inPlane(const Call& call) {
  const ir::Shape input = lastSizes(call.tensor(1), dims);
  return below(std::accumulate(input.begin(), input.end(), int64_t{1}, std::multiplies<>()), call.tensor(4));
}

/// An output position of its own for each element of a plane: `(self, indices, output_size)`.
template <size_t dims>
Domain unpooledIndex(const Call& call) {
  ir::Shape output = call.integers(2), input = lastSizes(call.tensor(1), dims);
  const auto count = [](const ir::Shape& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  };
  const int64_t all = count(output), taken = std::max<int64_t>(count(input), 1);
  if (all <= 0 && call.tensor(1).numel() > 0) ir::fail(ir::ErrorKind::Unsupported, "no index is valid in a plane of no elements");
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            int64_t position = 0;
            for (size_t d = 0; d < dims; ++d) position = position * input[d] + at[at.size() - dims + d];
            return static_cast<int64_t>(static_cast<Int128>(position) * all / taken);
          }},
          {0, all - 1}};
}

/// Elements of an image that are stored at places of a larger one.
template <size_t dims>
Domain unpooledValue(const Call& call) {
  const auto numel = [](const ir::Shape& sizes, size_t count) {
    const auto last = sizes.end() - static_cast<std::ptrdiff_t>(std::min(count, sizes.size()));
    return std::accumulate(last, sizes.end(), int64_t{1}, std::multiplies<>());
  };
  return equalIf(isRepeated(call.given(1)) || numel(call.tensor(1).sizes, dims) > numel(call.integers(2), dims));
}

}  // namespace

Family windowFacts() {
  static const OperatorFacts rows[] = {
      {.operators = "max_pool2d_with_indices adaptive_max_pool2d fractional_max_pool2d",
       .judged = {{.indices = {{1, IndexKind::Plane}}}}},
      {"max_pool2d_with_indices_backward", {{7, maxPoolIndex<2>}}},
      {.operators = "avg_pool2d_backward _adaptive_avg_pool2d_backward max_pool2d_with_indices_backward",
       .reads = {{"self", Reads::Nothing}}},
      {"max_pool3d_with_indices_backward", {{7, maxPoolIndex<3>}}},
      {"adaptive_max_pool2d_backward", {{2, adaptiveMaxPoolIndex<2>}}},
      {"adaptive_max_pool3d_backward", {{2, adaptiveMaxPoolIndex<3>}}},
      {"fractional_max_pool2d_backward", {{4, inPlane<2>}}},
      {"fractional_max_pool3d_backward", {{4, inPlane<3>}}},
      {"max_unpool2d", {{0, unpooledValue<2>}, {1, unpooledIndex<2>}}},
      {"max_unpool3d", {{0, unpooledValue<3>}, {1, unpooledIndex<3>}}},
      // An average of large elements and others is rounded by chance, in eager as well.
      {"avg_pool2d avg_pool3d _adaptive_avg_pool2d _adaptive_avg_pool3d", {{0, Tame{}}}},
      {"grid_sampler_2d grid_sampler_3d", {{1, sine}}},
      // The product of an infinite gradient, or of a huge one, is anything where the other factor is 0 but for a rounding.
      {"grid_sampler_2d_backward grid_sampler_3d_backward", {{0, Finite{}}, {1, Finite{}}, {2, sine}}},
      {"upsample_linear1d_backward upsample_bilinear2d_backward upsample_trilinear3d_backward", {{0, Finite{}}}},
      // Weights of both signs cancel beside a large element.
      {"upsample_bicubic2d upsample_bicubic2d_backward", {{0, Tame{}}}},
  };
  return rows;
}

}  // namespace inputs
