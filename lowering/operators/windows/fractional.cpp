// Maxima of windows whose places are random numbers' choice, and their gradients.
#include "lowering/operators/windows/maxima.h"
#include "lowering/operators/windows/window.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// Windows along one dimension, which a random number moves together. The last one ends with the image.
struct Moved {
  int64_t kernel, input, output;
  Value sample;

  Value begin(Value index) const {
    const Value end = index.like(input - kernel);
    if (output == 1) return end;
    const Value step = sample.like(static_cast<double>(input - kernel)) / static_cast<double>(output - 1);
    const auto whole = [](Value x) { return cast(x, DType::I64); };
    const Value at = whole((cast(index, sample.dtype()) + sample) * step) - whole(sample * step);
    return where(index == output - 1, end, min(max(at, 0), input - kernel));
  }
  Places elements(Value index) const {
    Places places;
    for (int64_t i = 0; i < kernel; ++i) places.push_back({begin(index) + i});
    return places;
  }
};

/// Each sample and channel has a random number for each dimension: of images the last dimension's is the first.
template <std::size_t dims>
Tensors fractionalMaxPool(Context& c) {
  const Tensor x = c.tensor("self"), given = c.tensor("random_samples");
  const Tensor samples = c.followsHost() ? given : inOpmath(given);  // ATen's host rounds each step
  const ir::TensorType& type = c.outputType();
  const std::vector<int64_t> kernel = c.integers("kernel_size");
  const auto largest = [=](const Index& output) {
    const Index outer = leading(output, dims);
    std::vector<Moved> windows;
    Index first = outer;
    for (std::size_t d = 0; d < dims; ++d) {
      const auto number = static_cast<int64_t>(dims == 2 ? dims - 1 - d : d);
      const Index at{outer.size() == 2 ? outer[0] : outer[0].like(0), outer.back(), outer[0].like(number)};
      windows.push_back({kernel[d], x.sizes[outer.size() + d], type.sizes[outer.size() + d], samples.at(at)});
      first.push_back(windows.back().begin(output[outer.size() + d]));
    }
    return largestOf(x, elementsOf(windows, output, &Moved::elements), numberOf(first, x.sizes, dims), dims);
  };
  return {lazy(x.dtype, type.sizes, [largest](const Index& index) { return largest(index).value; }),
          lazy(DType::I64, type.sizes, [largest](const Index& index) { return largest(index).number; })};
}

/// Windows may share their largest element.
template <std::size_t dims>
Tensors fractionalMaxPoolBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, elementsNumbered(c.tensor("indices"), c.outputType().sizes, dims),
                      grad.at)};
}

const Lowering fractionalMaxPool2d{"aten::fractional_max_pool2d", fractionalMaxPool<2>};
const Lowering fractionalMaxPool3d{"aten::fractional_max_pool3d", fractionalMaxPool<3>};
const Lowering fractionalMaxPool2dBackward{"aten::fractional_max_pool2d_backward", fractionalMaxPoolBackward<2>};
const Lowering fractionalMaxPool3dBackward{"aten::fractional_max_pool3d_backward", fractionalMaxPoolBackward<3>};

}  // namespace
}  // namespace lowering
