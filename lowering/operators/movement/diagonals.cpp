// Diagonals of matrices, and matrices with given diagonals.
#include <utility>

#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// The diagonal of matrices along two dimensions of a tensor of `rank` of them: that `offset` places to the right of the main
/// one, or below it. Its elements are along the last dimension of a tensor without these two.
struct Diagonal {
  Diagonal(const Context& c, std::size_t rank)
      : offset(c.integer("offset")),
        row(static_cast<std::size_t>(c.dim("dim1", rank))),
        column(static_cast<std::size_t>(c.dim("dim2", rank))) {}

  Value has(const Index& matrix) const { return matrix[column] - matrix[row] == offset; }
  /// An element of the matrix, which is on the diagonal, there; and the other way round.
  Index fromMatrix(const Index& matrix) const {
    Index diagonal;
    for (std::size_t d = 0; d < matrix.size(); ++d)
      if (d != row && d != column) diagonal.push_back(matrix[d]);
    diagonal.push_back(offset >= 0 ? matrix[row] : matrix[column]);
    return diagonal;
  }
  Index toMatrix(const Index& diagonal) const {
    Index matrix;
    for (std::size_t d = 0, next = 0; d < diagonal.size() + 1; ++d) {
      if (d == row)
        matrix.push_back(offset >= 0 ? diagonal.back() : diagonal.back() - offset);
      else if (d == column)
        matrix.push_back(offset >= 0 ? diagonal.back() + offset : diagonal.back());
      else
        matrix.push_back(diagonal[next++]);
    }
    return matrix;
  }

  int64_t offset;
  std::size_t row, column;
};

/// A diagonal's elements, and else the elements of `other`.
Tensors replaced(const Context& c, const Tensor& elements, const Tensor& other) {
  const Diagonal diagonal(c, other.sizes.size());
  if (elements.sizes.back() == 0) return {other};
  return {lazy(other.dtype, other.sizes, [=](const Index& index) {
    return readWhere(diagonal.has(index), elements.at(diagonal.fromMatrix(index)), other.at(index));
  })};
}

/// The same, and else 0.
Tensors alone(const Context& c, const Tensor& elements) { return replaced(c, elements, zeros(c)); }

const Lowering diagonalCopy{"aten::diagonal_copy", [](Context& c) {
                              const Tensor self = c.tensor("self");
                              const Diagonal diagonal(c, self.sizes.size());
                              return Tensors{lazy(self.dtype, c.outputType().sizes,
                                                  [=](const Index& index) { return self.at(diagonal.toMatrix(index)); })};
                            }};
const Lowering diagonalScatter{"aten::diagonal_scatter", [](Context& c) {
                                 const Tensor self = c.tensor("self");
                                 return replaced(c, cast(c.tensor("src"), self.dtype), self);
                               }};
const Lowering diagonalBackward{"aten::diagonal_backward", [](Context& c) { return alone(c, c.tensor("grad_output")); }};
const Lowering diagEmbed{"aten::diag_embed", [](Context& c) { return alone(c, c.tensor("self")); }};

}  // namespace
}  // namespace lowering
