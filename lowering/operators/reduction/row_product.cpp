// Products of a single row, or with a single column: sums along rows, at the speed of a copy.
#include <set>

#include "ir/error.h"
#include "ir/walk.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// An operand of a product. A row that several tensors make is stored first where it meets a large matrix: each of its columns
/// would read all of these.
Tensor operandOf(const Context& c, const Tensor& operand, const Tensor& matrix) {
  constexpr int64_t large = int64_t{64} << 20, many = 16;
  const int64_t elements = numelOf(matrix.sizes);
  if (elements * ir::sizeOf(matrix.dtype) < large || elements < many * numelOf(operand.sizes)) return computedOnce(c, operand);
  std::set<int> tensors;
  for (const ir::Expr* load : ir::loadsIn({operand.at(newIndex(c.pool(), operand.sizes)).expr()}))
    if (!load->src[0]->isConst()) tensors.insert(load->load().buffer);
  return tensors.size() > 1 ? c.stored(operand) : computedOnce(c, operand);
}

/// The product of two operands, of matrices of one row or of one column, alone or in a batch.
Tensor productOf(Context& c, const std::string& first, const std::string& second) {
  const ir::TensorType& type = c.outputType();
  const std::size_t row = type.sizes.size() - 2, column = row + 1;
  if (c.backend() == ir::Backend::Cpu) ir::fail(ir::ErrorKind::Unsupported, "products of matrices are not lowered for CPUs");
  if (type.sizes[row] > 1 && type.sizes[column] > 1)
    ir::fail(ir::ErrorKind::Unsupported, "products of several rows and columns are not lowered");
  if (!ir::isFloating(type.dtype)) ir::fail(ir::ErrorKind::Unsupported, "products of {} are not lowered", ir::name(type.dtype));
  const Tensor left = inOpmath(operandOf(c, c.tensor(first), c.tensor(second))),
               right = inOpmath(operandOf(c, c.tensor(second), c.tensor(first)));
  ir::Shape terms = type.sizes;
  terms.push_back(left.sizes.back());
  const Tensor products = lazy(left.dtype, terms, [=](const Index& at) {
    Index ofLeft(at.begin(), at.end() - 1), ofRight = ofLeft;
    ofLeft[column] = ofRight[row] = at.back();
    return left.at(ofLeft) * right.at(ofRight);
  });
  const auto last = static_cast<int64_t>(terms.size()) - 1;
  return squeeze(c, sum(c, products, {last}), {last});
}

/// The product by `alpha`, and `self` by `beta`, which does not count where that is 0.
Tensors added(Context& c, const Tensor& product) {
  const double alpha = c.number("alpha"), beta = c.number("beta");
  const auto scaled = [](Value x, double factor) { return factor == 1 ? x : x * factor; };
  const Tensor first = map([=](Value x) { return scaled(x, alpha); }, product);
  if (beta == 0) return asOutputs(c, {first});
  const Tensor bias = inOpmath(c.tensor("self"));
  return asOutputs(c, {map([=](Value x, Value b) { return x + scaled(b, beta); }, first, bias)});
}

Tensors matrices(Context& c) { return asOutputs(c, {productOf(c, "self", "mat2")}); }
Tensors addedMatrices(Context& c) { return added(c, productOf(c, "mat1", "mat2")); }
Tensors addedBatches(Context& c) { return added(c, productOf(c, "batch1", "batch2")); }

const Lowering mm{"aten::mm", matrices};
const Lowering bmm{"aten::bmm", matrices};
const Lowering addmm{"aten::addmm", addedMatrices};
const Lowering baddbmm{"aten::baddbmm", addedBatches};

}  // namespace
}  // namespace lowering
