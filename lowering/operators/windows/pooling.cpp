// Averages and maxima of windows, and their gradients.
#include <functional>
#include <numeric>

#include "lowering/operators/windows/window.h"

namespace lowering {
namespace {

using ir::DType;

Value integer(ir::ExprPool& pool, int64_t number) { return {pool, pool.integer(DType::I64, number)}; }

// ---------------------------------------------------------------------------------------------------------------------
// Averages.

/// By how much the sum of a window is divided along one dimension: its elements, or those that exist.
Value divisorOf(const Window& window, Value output, bool countsPadding) {
  const auto& [kernel, stride, padding, dilation, input, outputs] = window;
  const int64_t end = countsPadding ? input + padding : input, lastStart = (outputs - 1) * stride - padding;
  const Value start = window.first(output);
  const bool isWhole = lastStart + kernel <= end && (countsPadding || padding == 0);
  if (isWhole) return integer(output.pool(), kernel);
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
    Value all = integer(output.front().pool(), divisor.value_or(1));
    for (std::size_t d = 0; d < windows.size() && !divisor; ++d)
      all = all * divisorOf(windows[d], output[output.size() - windows.size() + d], countsPadding);
    return cast(simplified(all), dtype);
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
  return {cast(lazy(x.dtype, type.sizes,
                    [=](const Index& index) {
                      return sumOf(x, elementsOf(averages.windows, index)) / averages.divisorAt(index, x.dtype);
                    }),
               type.dtype)};
}

template <std::size_t dims>
Tensors averagePoolBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output"));
  const ir::TensorType& type = c.outputType();
  const Averages averages(c, dims, type.sizes, grad.sizes);
  const Tensor shares =
      lazy(grad.dtype, grad.sizes, [=](const Index& index) { return grad.at(index) / averages.divisorAt(index, grad.dtype); });
  return {
      cast(lazy(grad.dtype, type.sizes, [=](const Index& index) { return sumOf(shares, outputsOf(averages.windows, index)); }),
           type.dtype)};
}

const Lowering avgPool1d{"aten::avg_pool1d", averagePool<1>};
const Lowering avgPool2d{"aten::avg_pool2d", averagePool<2>};
const Lowering avgPool3d{"aten::avg_pool3d", averagePool<3>};
const Lowering avgPool2dBackward{"aten::avg_pool2d_backward", averagePoolBackward<2>};
const Lowering avgPool3dBackward{"aten::avg_pool3d_backward", averagePoolBackward<3>};

// ---------------------------------------------------------------------------------------------------------------------
// Maxima.

/// The number of an element among those of the last dimensions.
Value numberOf(const Index& index, const ir::Shape& sizes, std::size_t dims) {
  const auto last = static_cast<std::ptrdiff_t>(dims);
  return simplified(flattened(Index(index.end() - last, index.end()), ir::Shape(sizes.end() - last, sizes.end())));
}

/// The first element of a window that exists, as ATen returns it for a window of -inf.
Value firstOf(const std::vector<Window>& windows, const Index& output, const ir::Shape& sizes) {
  Index first;
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const Window& window = windows[d];
    const Value start = window.first(output[output.size() - windows.size() + d]);
    const Value missing = floorDiv(max(-start, 0) + (window.dilation - 1), window.dilation);
    first.push_back(window.padding == 0 ? start : start + missing * window.dilation);
  }
  return numberOf(first, sizes, windows.size());
}

/// The largest element of each window, the last NaN if there is one, and where it is: the first one of several.
template <std::size_t dims>
Tensors maxPool(Context& c) {
  const Tensor x = c.tensor("self");
  const ir::TensorType& type = c.outputType();
  const std::vector<Window> windows = windowsOf(c, x.sizes, type.sizes, dims);
  struct Best {
    Value value, place;
  };
  const auto best = [=](const Index& output) {
    ir::ExprPool& pool = output.front().pool();
    const Value least = Value{pool, pool.identity(ir::Op::Max, x.dtype)};
    Best found{least, firstOf(windows, output, x.sizes)};
    for (const Element& element : elementsOf(windows, output)) {
      const Value value = read(x, element, least);
      Value isBetter = value > found.value;
      if (ir::isFloating(x.dtype)) isBetter = isBetter | isNan(value);
      found = {where(isBetter, value, found.value), where(isBetter, numberOf(element.index, x.sizes, dims), found.place)};
    }
    return found;
  };
  return {lazy(x.dtype, type.sizes, [best](const Index& index) { return best(index).value; }),
          lazy(DType::I64, type.sizes, [best](const Index& index) { return best(index).place; })};
}

/// Each element has the gradients of those windows in which it was the largest. A GPU reads them all, where several threads would
/// add to one element; a CPU adds each one, as tasks own planes.
template <std::size_t dims>
Tensors maxPoolBackward(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_output")), places = c.tensor("indices");
  const ir::TensorType& type = c.outputType();
  if (c.backend() == ir::Backend::Cpu) {
    const ir::Shape plane(type.sizes.end() - dims, type.sizes.end());
    const auto elementAt = [=](const Index& output) {
      return placeOf(places.at(output), std::accumulate(plane.begin(), plane.end(), int64_t{1}, std::multiplies<>()));
    };
    const auto place = [=](const Index& output) {
      Index at = leading(output, dims);
      for (const Value& one : unflattened(elementAt(output).at, plane)) at.push_back(simplified(one));
      return at;
    };
    const auto value = [=](const Index& output) { return where(*elementAt(output).exists, grad.at(output), 0.0); };
    return {accumulated(c, {ir::Op::Add, grad.sizes, place, value})};
  }
  const std::vector<Window> windows = windowsOf(c, type.sizes, grad.sizes, dims);
  return {cast(lazy(grad.dtype, type.sizes,
                    [=, sizes = type.sizes](const Index& index) {
                      const Value own = numberOf(index, sizes, dims);
                      const Tensor ownGradients{grad.dtype, grad.sizes, [=](const Index& output) {
                                                  return where(places.at(output) == own, grad.at(output), 0.0);
                                                }};
                      return sumOf(ownGradients, outputsOf(windows, index));
                    }),
               type.dtype)};
}

const Lowering maxPool2d{"aten::max_pool2d_with_indices", maxPool<2>};
const Lowering maxPool3d{"aten::max_pool3d_with_indices", maxPool<3>};
const Lowering maxPool2dBackward{"aten::max_pool2d_with_indices_backward", maxPoolBackward<2>};
const Lowering maxPool3dBackward{"aten::max_pool3d_with_indices_backward", maxPoolBackward<3>};

// ---------------------------------------------------------------------------------------------------------------------
// Averages of adaptive windows.

/// Windows of one dimension that together are all of it: window `o` begins with element floor(o * input / output), and ends
/// before element ceil((o + 1) * input / output).
struct Share {
  int64_t input = 1, output = 1;

  Value begin(Value index) const { return floorDiv(index * input, output); }
  Value end(Value index) const { return floorDiv((index + 1) * input + (output - 1), output); }
  int64_t most() const { return input % output == 0 ? input / output : input / output + 2; }
  Value size(Value index) const {
    return input % output == 0 ? integer(index.pool(), input / output) : end(index) - begin(index);
  }
  Places elements(Value index) const {
    Places places;
    for (int64_t i = 0; i < most(); ++i) {
      const Value at = begin(index) + i;
      places.push_back({at, input % output == 0 ? std::nullopt : std::optional(at < end(index))});
    }
    return places;
  }
};

std::vector<Share> sharesOf(const ir::Shape& input, const ir::Shape& output) {
  std::vector<Share> shares;
  for (std::size_t d = output.size() - 2; d < output.size(); ++d) shares.push_back({input[d], output[d]});
  requireFew(shares[0].most() * shares[1].most());
  return shares;
}
std::vector<Element> elementsOf(const std::vector<Share>& shares, const Index& index) {
  std::vector<Places> places;
  for (std::size_t d = 0; d < shares.size(); ++d) places.push_back(shares[d].elements(index[index.size() - shares.size() + d]));
  return elementsAt(leading(index, shares.size()), places);
}
Value sizeOf(const std::vector<Share>& shares, const Index& index, DType dtype) {
  Value size = integer(index.front().pool(), 1);
  for (std::size_t d = 0; d < shares.size(); ++d) size = size * shares[d].size(index[index.size() - shares.size() + d]);
  return cast(simplified(size), dtype);
}

const Lowering adaptivePool{
    "aten::_adaptive_avg_pool2d", [](Context& c) {
      const Tensor x = inOpmath(c.tensor("self"));
      const ir::TensorType& type = c.outputType();
      const std::vector<Share> shares = sharesOf(x.sizes, type.sizes);
      return Tensors{
          cast(lazy(x.dtype, type.sizes,
                    [=](const Index& index) { return sumOf(x, elementsOf(shares, index)) / sizeOf(shares, index, x.dtype); }),
               type.dtype)};
    }};
/// The windows that an element is in are adaptive windows themselves, of outputs.
const Lowering adaptivePoolBackward{
    "aten::_adaptive_avg_pool2d_backward", [](Context& c) {
      const Tensor grad = inOpmath(c.tensor("grad_output"));
      const ir::TensorType& type = c.outputType();
      const std::vector<Share> shares = sharesOf(type.sizes, grad.sizes), back = sharesOf(grad.sizes, type.sizes);
      const Tensor each =
          lazy(grad.dtype, grad.sizes, [=](const Index& index) { return grad.at(index) / sizeOf(shares, index, grad.dtype); });
      return Tensors{cast(lazy(grad.dtype, type.sizes, [=](const Index& index) { return sumOf(each, elementsOf(back, index)); }),
                          type.dtype)};
    }};

}  // namespace
}  // namespace lowering
