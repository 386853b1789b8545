#include "runtime/contenders/plan/split_product.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <algorithm>

#include "lowering/graph/padded_rows.h"

namespace runtime {
namespace {

/// Elements that a vector of 16 bytes holds.
constexpr int64_t vector = 8;

const ir::TensorType& typeOf(const ir::Graph& graph, int value) { return graph.values[static_cast<size_t>(value)].type; }

int valueOf(const ir::Node& node, const char* name) {
  const ir::Argument* argument = node.find(name);
  const auto* value = argument == nullptr ? nullptr : argument->as<ir::ValueRef>();
  return value == nullptr ? -1 : value->index;
}

double numberOf(const ir::Node& node, const char* name) {
  const ir::Argument* argument = node.find(name);
  if (argument == nullptr) return 1;
  if (const auto* number = argument->as<double>()) return *number;
  const auto* whole = argument->as<int64_t>();
  return whole == nullptr ? 1 : static_cast<double>(*whole);
}

bool isHalf(ir::DType dtype) { return dtype == ir::DType::F16 || dtype == ir::DType::BF16; }

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
  if (!lowering::isProduct(node)) return std::nullopt;
  SplitProduct product;
  const bool isBatched = node.op == "aten.bmm.default" || node.op == "aten.baddbmm.default";
  const bool hasBias = node.op == "aten.addmm.default" || node.op == "aten.baddbmm.default";
  product.output_ = node.outputs.front();
  product.left_ = valueOf(node, hasBias ? (isBatched ? "batch1" : "mat1") : "self");
  product.right_ = valueOf(node, isBatched ? (hasBias ? "batch2" : "mat2") : "mat2");
  if (hasBias) {
    product.bias_ = valueOf(node, "self");
    product.alpha_ = numberOf(node, "alpha");
    product.beta_ = numberOf(node, "beta");
  }
  if (product.left_ < 0 || product.right_ < 0) return std::nullopt;
  const ir::TensorType& out = typeOf(graph, product.output_);
  const ir::TensorType &left = typeOf(graph, product.left_), &right = typeOf(graph, product.right_);
  const size_t dims = out.sizes.size();
  const int64_t rows = out.sizes[dims - 2], columns = out.sizes[dims - 1], terms = left.sizes[dims - 1];
  double operations = 2.0 * static_cast<double>(terms);
  for (const int64_t size : out.sizes) operations *= static_cast<double>(size);
  const auto down = [](int64_t size) { return size - size % vector; };
  product.rows_ = rows, product.columns_ = columns, product.terms_ = terms;
  const bool isWorthIt = isHalf(out.dtype) && operations >= leastOperations && std::min({rows, columns, terms}) >= vector &&
                         hasAlignedRows(out) && hasAlignedRows(left) && hasAlignedRows(right);
  if (isWorthIt) {
    product.rows_ = down(rows), product.columns_ = down(columns);
    if (!hasBias) product.terms_ = down(terms);  // a bias would be rounded with the first terms
  }
  const bool isSplit = product.rows_ < rows || product.columns_ < columns || product.terms_ < terms;
  if (!isSplit && out.isContiguous()) return std::nullopt;
  return product;
}

void SplitProduct::multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right,
                            const at::Tensor& bias) const {
  at::Tensor target = out;
  const bool isBatched = out.dim() == 3;
  if (bias.defined()) {
    isBatched ? at::baddbmm_out(target, bias, left, right, beta_, alpha_)
              : at::addmm_out(target, bias, left, right, beta_, alpha_);
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
  const at::Tensor &out = tensorOf(output_), &left = tensorOf(left_), &right = tensorOf(right_);
  const at::Tensor bias = bias_ < 0 ? at::Tensor() : tensorOf(bias_);
  const int64_t rows = out.size(-2), columns = out.size(-1);
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
