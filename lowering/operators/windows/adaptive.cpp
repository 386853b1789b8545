// Averages and maxima of windows that together are the whole image, and their gradients.
#include "lowering/operators/windows/maxima.h"
#include "lowering/operators/windows/window.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

/// Windows of one dimension that together are all of it: window `o` begins with element floor(o * input / output), and ends
/// before element ceil((o + 1) * input / output).
struct AdaptiveWindow {
  int64_t input = 1, output = 1;

  Value begin(Value index) const { return floorDiv(index * input, output); }
  Value end(Value index) const { return floorDiv((index + 1) * input + (output - 1), output); }
  int64_t most() const { return input % output == 0 ? input / output : input / output + 2; }
  Value size(Value index) const { return input % output == 0 ? index.like(input / output) : end(index) - begin(index); }
  Places elements(Value index) const {
    Places places;
    for (int64_t i = 0; i < most(); ++i) {
      const Value at = begin(index) + i;
      places.push_back({at, input % output == 0 ? std::nullopt : std::optional(at < end(index))});
    }
    return places;
  }
};

/// The windows along the last dimensions.
struct AdaptiveWindows {
  AdaptiveWindows(const ir::Shape& input, const ir::Shape& output, std::size_t dims) {
    for (std::size_t d = output.size() - dims; d < output.size(); ++d) each.push_back({input[d], output[d]});
  }

  /// Error: as requireFew.
  std::vector<Element> elementsOf(const Index& index) const {
    return lowering::elementsOf(each, index, &AdaptiveWindow::elements);
  }
  Index firstOf(const Index& index) const {
    const Index last = trailing(index, each.size());
    Index first = leading(index, each.size());
    for (std::size_t d = 0; d < each.size(); ++d) first.push_back(each[d].begin(last[d]));
    return first;
  }
  Value sizeOf(const Index& index, DType dtype) const {
    const Index last = trailing(index, each.size());
    Value size = index.back().like(1);
    for (std::size_t d = 0; d < each.size(); ++d) size = size * each[d].size(last[d]);
    return cast(simplified(size), dtype);
  }

  std::vector<AdaptiveWindow> each;
};

template <std::size_t dims>
Tensors averages(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const ir::TensorType& type = c.outputType();
  const AdaptiveWindows windows(x.sizes, type.sizes, dims);
  return asOutputs(c, {lazy(x.dtype, type.sizes, [=](const Index& index) {
                     return sumOf(x, windows.elementsOf(index)) / windows.sizeOf(index, x.dtype);
                   })});
}

/// The windows that an element is in are adaptive windows themselves, of outputs: the sum of their values.
Tensors sumOfOutputs(const Context& c, const Tensor& outputs, std::size_t dims,
                     const std::function<Value(const Index& element, const Index& output)>& value) {
  const ir::TensorType& type = c.outputType();
  const AdaptiveWindows back(outputs.sizes, type.sizes, dims);
  return asOutputs(c, {lazy(outputs.dtype, type.sizes, [=](const Index& index) {
                     return sumOf({outputs.dtype, outputs.sizes, [=](const Index& output) { return value(index, output); }},
                                  back.elementsOf(index));
                   })});
}

template <std::size_t dims>
Tensors averagesBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const AdaptiveWindows windows(c.outputType().sizes, grad.sizes, dims);
  const Tensor each =
      lazy(grad.dtype, grad.sizes, [=](const Index& index) { return grad.at(index) / windows.sizeOf(index, grad.dtype); });
  return sumOfOutputs(c, each, dims, [each](const Index&, const Index& output) { return each.at(output); });
}

template <std::size_t dims>
Tensors maxima(Context& c) {
  const Tensor x = c.tensor("self");
  const ir::Shape sizes = c.outputType().sizes;
  const AdaptiveWindows windows(x.sizes, sizes, dims);
  const auto largest = [=](const Index& output) {
    return largestOf(x, windows.elementsOf(output), numberOf(windows.firstOf(output), x.sizes, dims), dims);
  };
  return {lazy(x.dtype, sizes, [largest](const Index& index) { return largest(index).value; }),
          lazy(DType::I64, sizes, [largest](const Index& index) { return largest(index).number; })};
}

/// An element's gradient is the sum of the gradients of the windows in which it was the largest.
template <std::size_t dims>
Tensors maximaBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output")), places = c.tensor("indices");
  return sumOfOutputs(c, grad, dims, [=, sizes = c.outputType().sizes](const Index& element, const Index& output) {
    return where(places.at(output) == numberOf(element, sizes, dims), grad.at(output), 0.0);
  });
}

const Lowering averages2d{"aten::_adaptive_avg_pool2d", averages<2>};
const Lowering averages3d{"aten::_adaptive_avg_pool3d", averages<3>};
const Lowering averages2dBackward{"aten::_adaptive_avg_pool2d_backward", averagesBackward<2>};
const Lowering averages3dBackward{"aten::_adaptive_avg_pool3d_backward", averagesBackward<3>};
const Lowering maxima2d{"aten::adaptive_max_pool2d", maxima<2>};
const Lowering maxima3d{"aten::adaptive_max_pool3d", maxima<3>};
const Lowering maxima2dBackward{"aten::adaptive_max_pool2d_backward", maximaBackward<2>};
const Lowering maxima3dBackward{"aten::adaptive_max_pool3d_backward", maximaBackward<3>};

}  // namespace
}  // namespace lowering
