#include "runtime/contenders/plan/split_product.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <algorithm>

namespace runtime {
namespace {

/// Elements that a vector of 16 bytes holds.
constexpr int64_t vector = 8;

const ir::TensorType& typeOf(const ir::Graph& graph, int value) { return graph.values[static_cast<size_t>(value)].type; }

/// Whether rows or columns of a matrix begin at multiples of a vector.
bool hasAlignedRows(const ir::TensorType& type) {
  const size_t dims = type.strides.size();
  const int64_t leading = type.strides[dims - 1] == 1 ? type.strides[dims - 2] : type.strides[dims - 1];
  return leading % vector == 0;
}

/// The part of a bias that is added to a part of a result.
at::Tensor part(const at::Tensor& bias, int64_t dim, int64_t all, int64_t start, int64_t length) {
  if (!bias.defined() || bias.dim() < -dim || bias.size(dim) != all) return bias;
  return bias.narrow(dim, start, length);
}

}  // namespace

std::optional<SplitProduct> SplitProduct::of(const ir::Node& node, const ir::Graph& graph, double leastOperations) {
  const std::optional<lowering::Product> product = lowering::productOf(node);
  if (!product) return std::nullopt;
  const ir::TensorType &out = typeOf(graph, product->result), &left = typeOf(graph, product->left),
                       &right = typeOf(graph, product->right);
  const size_t dims = out.sizes.size();
  const int64_t rows = out.sizes[dims - 2], columns = out.sizes[dims - 1], terms = left.sizes[dims - 1];
  const bool isWorthIt = ir::isHalf(out.dtype) && product->operations(graph) >= leastOperations &&
                         std::min({rows, columns, terms}) >= vector && hasAlignedRows(out) && hasAlignedRows(left) &&
                         hasAlignedRows(right);
  const auto down = [&](int64_t size) { return isWorthIt ? size - size % vector : size; };
  const bool hasBias = product->bias >= 0;  // it would be rounded with the first terms
  const int64_t mostRows = down(rows), mostColumns = down(columns), mostTerms = hasBias ? terms : down(terms);
  return SplitProduct(*product, mostRows, mostColumns, mostTerms,
                      mostRows == rows && mostColumns == columns && mostTerms == terms);
}

void SplitProduct::multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right,
                            const at::Tensor& bias) const {
  at::Tensor target = out;
  const bool isBatched = out.dim() == 3;
  if (bias.defined()) {
    isBatched ? at::baddbmm_out(target, bias, left, right, product_.beta, product_.alpha)
              : at::addmm_out(target, bias, left, right, product_.beta, product_.alpha);
    return;
  }
  const int64_t terms = left.size(-1);
  if (terms_ == terms) {
    isBatched ? at::bmm_out(target, left, right) : at::mm_out(target, left, right);
    return;
  }
  const at::Tensor lastLeft = left.narrow(-1, terms_, terms - terms_), lastRight = right.narrow(-2, terms_, terms - terms_);
  const at::Tensor mostLeft = left.narrow(-1, 0, terms_), mostRight = right.narrow(-2, 0, terms_);
  isBatched ? at::bmm_out(target, lastLeft, lastRight) : at::mm_out(target, lastLeft, lastRight);
  isBatched ? at::baddbmm_out(target, target, mostLeft, mostRight) : at::addmm_out(target, target, mostLeft, mostRight);
}

void SplitProduct::run(const BoundCall::TensorOf& tensorOf) const {
  const at::Tensor &out = tensorOf(product_.result), &left = tensorOf(product_.left), &right = tensorOf(product_.right);
  const at::Tensor bias = product_.bias < 0 ? at::Tensor() : tensorOf(product_.bias);
  const int64_t rows = out.size(-2), columns = out.size(-1);
  if (isWhole_) return multiply(out, left, right, bias);
  const auto multiplyPart = [&](int64_t row, int64_t manyRows, int64_t column, int64_t manyColumns) {
    if (manyRows == 0 || manyColumns == 0) return;
    multiply(out.narrow(-2, row, manyRows).narrow(-1, column, manyColumns), left.narrow(-2, row, manyRows),
             right.narrow(-1, column, manyColumns), part(part(bias, -1, columns, column, manyColumns), -2, rows, row, manyRows));
  };
  multiplyPart(0, rows_, 0, columns_);
  multiplyPart(0, rows_, columns_, columns - columns_);
  multiplyPart(rows_, rows - rows_, 0, columns);
}

}  // namespace runtime
