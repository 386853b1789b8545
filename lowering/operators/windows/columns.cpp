// The windows of images as columns of matrices, and the images that such columns add up to.
#include "lowering/operators/windows/window.h"

namespace lowering {
namespace {

/// An image's windows, with as many outputs as fit: a row of the matrix is a channel and a place inside the window, a column is a
/// window.
struct Columns {
  Columns(const Context& c, const ir::Shape& image) : windows(windowsOf(c, image, image, 2)) {
    for (Window& window : windows)
      window.output = (window.input + 2 * window.padding - (window.kernel - 1) * window.dilation - 1) / window.stride + 1;
    rows = {image[image.size() - 3], windows[0].kernel, windows[1].kernel};
    columns = {windows[0].output, windows[1].output};
  }

  std::vector<Window> windows;
  ir::Shape rows, columns;
};

Tensors columnsOf(Context& c) {
  const Tensor image = c.tensor("self");
  const Columns all(c, image.sizes);
  return {lazy(image.dtype, c.outputType().sizes, [=](const Index& index) {
    const Index row = unflattened(index[index.size() - 2], all.rows), column = unflattened(index.back(), all.columns);
    Index channel = leading(index, 2);
    channel.push_back(row[0]);
    std::vector<Places> places;
    for (std::size_t d = 0; d < 2; ++d) places.push_back({all.windows[d].element(column[d], row[1 + d])});
    const Element element = elementsAt(channel, places).front();
    return read(image, element, image.at(element.index).like(0));
  })};
}

/// Each element of the image is the sum of those that all windows have of it.
Tensors imageOf(Context& c) {
  const Tensor matrix = inOpmath(c.tensor("self"));
  const ir::TensorType& type = c.outputType();
  const Columns all(c, type.sizes);
  return {cast(lazy(matrix.dtype, type.sizes,
                    [=](const Index& index) {
                      const Tensor copies{matrix.dtype, type.sizes, [=](const Index& output) {
                                            Index row{index[index.size() - 3]}, column;
                                            for (std::size_t d = 0; d < 2; ++d) {
                                              column.push_back(output[output.size() - 2 + d]);
                                              row.push_back(all.windows[d].number(column[d], index[index.size() - 2 + d]));
                                            }
                                            Index at = leading(output, 3);
                                            at.push_back(simplified(flattened(row, all.rows)));
                                            at.push_back(simplified(flattened(column, all.columns)));
                                            return matrix.at(at);
                                          }};
                      return sumOf(copies, outputsOf(all.windows, index));
                    }),
               type.dtype)};
}

const Lowering im2col{"aten::im2col", columnsOf};
const Lowering col2im{"aten::col2im", imageOf};

}  // namespace
}  // namespace lowering
