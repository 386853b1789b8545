// Copies of whole tensors, and of several joined in one.
#include "ir/index/ceil_div.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

Tensors same(Context& c) { return {c.tensor("self")}; }
const Lowering cloneOf{"aten::clone", same};
const Lowering liftFreshCopyOf{"aten::lift_fresh_copy", same};
const Lowering aliasCopyOf{"aten::alias_copy", same};
const Lowering detachCopyOf{"aten::detach_copy", same};
const Lowering copyOf{"aten::copy", [](Context& c) {
                        const Tensor self = c.tensor("self");
                        return Tensors{cast(expand(c.tensor("src"), self.sizes), self.dtype)};
                      }};

/// Tensors one after another along a dimension, in which only their extents may differ.
Tensor joined(const Tensors& tensors, std::size_t dim) {
  ir::Shape sizes = tensors.front().sizes;
  sizes[dim] = 0;
  for (const Tensor& tensor : tensors) sizes[dim] += tensor.sizes[dim];
  return lazy(tensors.front().dtype, sizes, [tensors, dim](const Index& index) {
    Index place = index;
    Value value = tensors.front().at(place);
    int64_t start = tensors.front().sizes[dim];
    if (tensors.size() > 1) value = readWhere(index[dim] < start, value, value.like(0));
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const int64_t end = start + tensors[i].sizes[dim];
      place[dim] = index[dim] - start;
      value = readWhere((index[dim] >= start) & (index[dim] < end), tensors[i].at(place), value);
      start = end;
    }
    return value;
  });
}

/// A tensor of one dimension without elements is left out, whatever the others' sizes are.
Tensors catOf(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto dim = static_cast<std::size_t>(c.dim("dim", type.sizes.size()));
  Tensors tensors;
  for (const Tensor& tensor : c.tensors("tensors"))
    if (tensor.sizes.size() == type.sizes.size() && tensor.sizes[dim] > 0) tensors.push_back(cast(tensor, type.dtype));
  if (tensors.empty()) return {zeros(c)};
  return {joined(tensors, dim)};
}

Tensors stackOf(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto dim = static_cast<std::size_t>(c.dim("dim", type.sizes.size()));
  Tensors tensors;
  for (const Tensor& tensor : c.tensors("tensors")) tensors.push_back(cast(unsqueezed(tensor, dim), type.dtype));
  return {joined(tensors, dim)};
}

/// Each tensor is padded with zeros to `num_chunks` equal parts along a dimension; parts of one number are together, of which the
/// dimensions from that one on are one.
Tensors chunkCat(Context& c) {
  const ir::TensorType& type = c.outputType();
  const Tensors tensors = c.tensors("tensors");
  const auto dim = static_cast<std::size_t>(c.dim("dim", tensors.front().sizes.size()));
  const int64_t chunks = c.integer("num_chunks");
  Tensors parts;
  for (const Tensor& tensor : tensors) {
    ir::Shape chunk = tensor.sizes;
    chunk[dim] = ceilDiv(tensor.sizes[dim], chunks);
    const ir::Shape inner(chunk.begin() + static_cast<std::ptrdiff_t>(dim), chunk.end());
    ir::Shape sizes(chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(dim));
    sizes.insert(sizes.end(), {chunks, numelOf(inner)});
    parts.push_back(lazy(type.dtype, sizes, [=](const Index& index) {
      Index at = leading(index, 2);
      for (const Value& place : unflattened(index.back(), inner)) at.push_back(simplified(place));
      at[dim] = at[dim] + index[dim] * inner.front();
      const Value element = cast(tensor.at(at), type.dtype);
      return readWhere(at[dim] < tensor.sizes[dim], element, element.like(0));
    }));
  }
  return {joined(parts, dim + 1)};
}

/// Matrices along the diagonal of a larger one.
Tensors blockDiagonal(Context& c) {
  const ir::TensorType& type = c.outputType();
  struct Block {
    Tensor matrix;
    int64_t row, column;
  };
  std::vector<Block> blocks;
  int64_t row = 0, column = 0;
  for (const Tensor& tensor : c.tensors("tensors")) {
    const int64_t rows = tensor.sizes.size() == 2 ? tensor.sizes[0] : 1;
    const int64_t columns = tensor.sizes.empty() ? 1 : tensor.sizes.back();
    blocks.push_back({reshaped(c.pool(), cast(tensor, type.dtype), {rows, columns}), row, column});
    row += rows;
    column += columns;
  }
  return {lazy(type.dtype, type.sizes, [blocks, zero = zeros(c)](const Index& at) {
    Value value = zero.at(at);
    for (const auto& [matrix, row, column] : blocks) {
      if (numelOf(matrix.sizes) == 0) continue;
      const Value isIn =
          (at[0] >= row) & (at[0] < row + matrix.sizes[0]) & (at[1] >= column) & (at[1] < column + matrix.sizes[1]);
      value = readWhere(isIn, matrix.at({at[0] - row, at[1] - column}), value);
    }
    return value;
  })};
}
const Lowering chunkCatOf{"aten::_chunk_cat", chunkCat};
const Lowering blockDiag{"aten::block_diag", blockDiagonal};

const Lowering cat{"aten::cat", catOf};
const Lowering stack{"aten::stack", stackOf};

}  // namespace
}  // namespace lowering
