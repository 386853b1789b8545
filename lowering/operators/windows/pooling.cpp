// Averages and maxima of windows, and their gradients.
#include "lowering/operators/windows/maxima.h"
#include "lowering/operators/windows/window.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

using ir::DType;

// ---------------------------------------------------------------------------------------------------------------------
// Averages.

/// By how much the sum of a window is divided along one dimension: by its elements, or by the elements that exist.
Value divisorOf(const Window& window, Value output, bool countsPadding) {
  const auto& [kernel, stride, padding, dilation, input, outputs] = window;
  const int64_t end = countsPadding ? input + padding : input, lastStart = (outputs - 1) * stride - padding;
  const Value start = window.first(output);
  const bool isWhole = lastStart + kernel <= end && (countsPadding || padding == 0);
  if (isWhole) return output.like(kernel);
  const Value last = min(start + kernel, end);
  return last - (countsPadding ? start : max(start, 0));
}

struct Averages {
  Averages(const Context& c, std::size_t dims, const ir::Shape& input, const ir::Shape& output)
      : windows(windowsOf(c, input, output, dims)), countsPadding(c.flag("count_include_pad")) {
    if (c.has("divisor_override") && !c.isNone("divisor_override")) divisor = c.integer("divisor_override");
  }
  /// What the sum of an output's window is divided by.
  Value divisorAt(const Index& output, DType dtype) const {
    const Index last = trailing(output, windows.size());
    Value all = last.front().like(divisor.value_or(1));
    for (std::size_t d = 0; d < windows.size() && !divisor; ++d) all = all * divisorOf(windows[d], last[d], countsPadding);
    return cast(simplified(all), dtype);
  }
  /// What an element of an output's window takes of the output's gradient: the reciprocals along each dimension, which the
  /// windows of an element share.
  Value shareAt(const Index& output, DType dtype) const {
    if (divisor) return 1.0 / divisorAt(output, dtype);
    const Index last = trailing(output, windows.size());
    std::optional<Value> share;
    for (std::size_t d = 0; d < windows.size(); ++d) {
      const Value along = 1.0 / cast(simplified(divisorOf(windows[d], last[d], countsPadding)), dtype);
      share = share ? *share * along : along;
    }
    return *share;
  }

  std::vector<Window> windows;
  bool countsPadding;
  std::optional<int64_t> divisor;
};

template <std::size_t dims>
Tensors averagePool(Context& c) {
  const Tensor x = inOpmath(c.tensor("self"));
  const ir::TensorType& type = c.outputType();
  const Averages averages(c, dims, x.sizes, type.sizes);
  return asOutputs(c, {lazy(x.dtype, type.sizes, [=](const Index& index) {
                     return sumOf(x, elementsOf(averages.windows, index, &Window::elements)) / averages.divisorAt(index, x.dtype);
                   })});
}

template <std::size_t dims>
Tensors averagePoolBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::TensorType& type = c.outputType();
  const Averages averages(c, dims, type.sizes, grad.sizes);
  const Tensor shares =
      lazy(grad.dtype, grad.sizes, [=](const Index& index) { return grad.at(index) * averages.shareAt(index, grad.dtype); });
  return asOutputs(c, {lazy(grad.dtype, type.sizes, [=](const Index& index) {
                     return sumOf(shares, elementsOf(averages.windows, index, &Window::outputs));
                   })});
}

const Lowering avgPool1d{"aten::avg_pool1d", averagePool<1>};
const Lowering avgPool2d{"aten::avg_pool2d", averagePool<2>};
const Lowering avgPool3d{"aten::avg_pool3d", averagePool<3>};
const Lowering avgPool2dBackward{"aten::avg_pool2d_backward", averagePoolBackward<2>};
const Lowering avgPool3dBackward{"aten::avg_pool3d_backward", averagePoolBackward<3>};

// ---------------------------------------------------------------------------------------------------------------------
// Maxima.

/// The first element of a window that exists, as ATen returns it for a window of -inf.
Value firstOf(const std::vector<Window>& windows, const Index& output, const ir::Shape& sizes) {
  const Index last = trailing(output, windows.size());
  Index first;
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const Window& window = windows[d];
    const Value start = window.first(last[d]);
    const Value missing = floorDiv(max(-start, 0) + (window.dilation - 1), window.dilation);
    first.push_back(window.padding == 0 ? start : start + missing * window.dilation);
  }
  return numberOf(first, sizes, windows.size());
}

template <std::size_t dims>
Tensors maxPool(Context& c) {
  const Tensor x = c.tensor("self");
  const ir::TensorType& type = c.outputType();
  const std::vector<Window> windows = windowsOf(c, x.sizes, type.sizes, dims);
  const auto largest = [=](const Index& output) {
    return largestOf(x, elementsOf(windows, output, &Window::elements), firstOf(windows, output, x.sizes), dims);
  };
  return {lazy(x.dtype, type.sizes, [largest](const Index& index) { return largest(index).value; }),
          lazy(DType::I64, type.sizes, [largest](const Index& index) { return largest(index).number; })};
}

/// An element's gradient is the sum of the gradients of the windows in which it was the largest. A GPU's thread reads all windows
/// of its element, as threads that add would meet. A CPU's task owns planes, and adds each window's gradient where its index
/// says.
template <std::size_t dims>
Tensors maxPoolBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output")), places = c.tensor("indices");
  const ir::TensorType& type = c.outputType();
  if (c.backend() == ir::Backend::Cpu)
    return {scatteredTo(c, ir::Op::Add, zeros(c), grad.sizes, elementsNumbered(places, type.sizes, dims), grad.at)};
  const std::vector<Window> windows = windowsOf(c, type.sizes, grad.sizes, dims);
  return asOutputs(c, {lazy(grad.dtype, type.sizes, [=, sizes = type.sizes](const Index& index) {
                     const Value own = numberOf(index, sizes, dims);
                     const Tensor ownGradients{grad.dtype, grad.sizes, [=](const Index& output) {
                                                 return where(places.at(output) == own, grad.at(output), 0.0);
                                               }};
                     return sumOf(ownGradients, elementsOf(windows, index, &Window::outputs));
                   })});
}

const Lowering maxPool2d{"aten::max_pool2d_with_indices", maxPool<2>};
const Lowering maxPool3d{"aten::max_pool3d_with_indices", maxPool<3>};
const Lowering maxPool2dBackward{"aten::max_pool2d_with_indices_backward", maxPoolBackward<2>};
const Lowering maxPool3dBackward{"aten::max_pool3d_with_indices_backward", maxPoolBackward<3>};

// ---------------------------------------------------------------------------------------------------------------------
// Back to the places of maxima.

template <std::size_t dims>
Tensors unpool(Context& c) {
  const Tensor self = c.tensor("self");
  return {scatteredTo(c, {}, zeros(c), self.sizes, elementsNumbered(c.tensor("indices"), c.outputType().sizes, dims), self.at)};
}
const Lowering maxUnpool2d{"aten::max_unpool2d", unpool<2>};
const Lowering maxUnpool3d{"aten::max_unpool3d", unpool<3>};

}  // namespace
}  // namespace lowering
