// The windows of images as columns of matrices, and what copies of elements in windows add up to.
#include <utility>

#include "lowering/operators/windows/window.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// An image's windows, with as many outputs as fit: a row of the matrix is a channel and a place inside the window, a column is a
/// window.
struct ImageMatrix {
  ImageMatrix(const Context& c, const ir::Shape& image) : windows(windowsOf(c, image, image, 2)) {
    for (Window& window : windows) window.output = (window.input + 2 * window.padding - window.span()) / window.stride + 1;
    rows = {image[image.size() - 3], windows[0].kernel, windows[1].kernel};
    columns = {windows[0].output, windows[1].output};
  }

  std::vector<Window> windows;
  ir::Shape rows, columns;
};

Tensors columnsOf(Context& c) {
  const Tensor image = c.tensor("self");
  const ImageMatrix all(c, image.sizes);
  return {lazy(image.dtype, c.outputType().sizes, [=](const Index& index) {
    const Index row = unflattened(index[index.size() - 2], all.rows), column = unflattened(index.back(), all.columns);
    Index channel = leading(index, 2);
    channel.push_back(row[0]);
    std::vector<Places> places;
    for (std::size_t d = 0; d < 2; ++d) places.push_back({all.windows[d].element(column[d], row[1 + d])});
    return sumOf(image, elementsAt({channel}, places));
  })};
}

/// An element of the image is the sum of its copies in all windows.
Tensors imageOf(Context& c) {
  const Tensor matrix = inOpmath(c.tensor("self"));
  const ir::TensorType& type = c.outputType();
  const ImageMatrix all(c, type.sizes);
  return asOutputs(c, {lazy(matrix.dtype, type.sizes, [=](const Index& index) {
                     const Index place = trailing(index, 2);
                     const Tensor copies{matrix.dtype, type.sizes, [=](const Index& output) {
                                           const Index column = trailing(output, 2);
                                           Index row{index[index.size() - 3]};
                                           for (std::size_t d = 0; d < 2; ++d)
                                             row.push_back(all.windows[d].number(column[d], place[d]));
                                           Index at = leading(output, 3);
                                           at.push_back(simplified(flattened(row, all.rows)));
                                           at.push_back(simplified(flattened(column, all.columns)));
                                           return matrix.at(at);
                                         }};
                     return sumOf(copies, elementsOf(all.windows, index, &Window::outputs));
                   })});
}

/// Windows of `size` elements, a `step` apart: an element's gradient is the sum of the gradients of its copies in all windows,
/// which are along a new last dimension.
Tensors unfoldBackwardOf(Context& c) {
  const Tensor grad = inOpmath(c.tensor("grad_in"));
  const ir::Shape sizes = c.outputType().sizes;
  if (sizes.empty())
    return asOutputs(c, {squeeze(c, sum(c, grad, everyDim(grad)), everyDim(grad))});  // a number's window is itself, or nothing
  const auto dim = static_cast<std::size_t>(c.dim("dim", sizes.size()));
  const Window window{c.integer("size"), c.integer("step"), 0, 1, sizes[dim], grad.sizes[dim]};
  return asOutputs(c, {lazy(grad.dtype, sizes, [=](const Index& index) {
                     std::vector<Element> copies;
                     for (const auto& [output, exists] : window.outputs(index[dim])) {
                       Element copy{index, exists};
                       copy.index[dim] = output;
                       copy.index.push_back(window.number(output, index[dim]));
                       copies.push_back(std::move(copy));
                     }
                     return sumOf(grad, copies);
                   })});
}

const Lowering im2col{"aten::im2col", columnsOf};
const Lowering col2im{"aten::col2im", imageOf};
const Lowering unfoldBackward{"aten::unfold_backward", unfoldBackwardOf};

}  // namespace
}  // namespace lowering
