#include "lowering/tensor/reduce.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "ir/error.h"
#include "ir/text/text.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Op;

constexpr double infinity = std::numeric_limits<double>::infinity();

Value zero(ir::ExprPool& pool) { return {pool, pool.integer(DType::I64, 0)}; }

Tensor extreme(Context& c, Op op, Op ofBool, const Tensor& tensor, const Dims& dims) {
  if (tensor.dtype == DType::Bool) return reduce(c, ofBool, tensor, dims);
  return reduce(c, op, cast(tensor, accumulator(tensor.dtype)), dims);
}

/// The tensor, with what an index says in dimensions of extent 1 left out: all of it is 0.
Tensor withoutUnits(ir::ExprPool& pool, const Tensor& tensor) {
  return {tensor.dtype, tensor.sizes, [&pool, tensor](Index index) {
            for (std::size_t d = 0; d < index.size(); ++d) {
              if (tensor.sizes[d] == 1) index[d] = zero(pool);
            }
            return tensor.at(index);
          }};
}

/// Of each result the element at these places along the dimensions that are reduced.
Tensor elementOf(ir::ExprPool& pool, const Tensor& tensor, const Dims& dims, const std::vector<int64_t>& places) {
  ir::Shape sizes = tensor.sizes;
  for (int64_t d : dims) sizes[d] = 1;
  return withoutUnits(pool, {tensor.dtype, sizes, [=, &pool](Index index) {
                               for (std::size_t i = 0; i < dims.size(); ++i)
                                 index[dims[i]] = {pool, pool.integer(DType::I64, places[i])};
                               return tensor.at(index);
                             }});
}

/// Where each of three elements of a result is: far apart and not at the ends, where padding is; on GPUs one beside the other, as
/// threads wait for what they do not read anyway.
std::array<std::vector<int64_t>, 3> typicalPlaces(const Tensor& tensor, const Dims& dims, ir::Backend backend) {
  std::array<std::vector<int64_t>, 3> places;
  const auto isLong = [&](int64_t d) { return tensor.sizes[d] >= 3; };
  const auto last = std::find_if(dims.rbegin(), dims.rend(), isLong);
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t d : dims) {
      const int64_t beside = last != dims.rend() && *last == d ? i : 0;
      places[static_cast<std::size_t>(i)].push_back(backend == ir::Backend::Cpu ? tensor.sizes[d] * (i + 1) / 4 : beside);
    }
  return places;
}

/// Of each result the median of three elements: one that is far from all others is none of them, or not the median.
Tensor typicalOf(Context& c, const Tensor& tensor, const Dims& dims) {
  const auto places = typicalPlaces(tensor, dims, c.backend());
  const auto element = [&](std::size_t i) { return elementOf(c.pool(), tensor, dims, places[i]); };
  return map([](Value a, Value b, Value c) { return max(min(a, b), min(max(a, b), c)); }, element(0), element(1), element(2));
}

/// Of elements from which `origin` has been subtracted.
Moments shiftedMoments(Context& c, const Tensor& shifted, const Tensor& origin, const Dims& dims) {
  const int64_t n = countOf(shifted, dims);
  const Tensor total = sum(c, shifted, dims);
  const Tensor squares = sum(c, product(shifted, shifted), dims);
  const auto aroundMean = [n](Value q, Value s) {
    const Value isBeyond = (q == infinity) & (abs(s) < infinity);  // finite elements whose squares are not: neither is their sum
    return where(isBeyond, q, max(q - s * s / n, 0.0));
  };
  return {map([n](Value p, Value s) { return p + s / n; }, origin, total), map(aroundMean, squares, total)};
}

}  // namespace

Tensor firstOf(Context& c, const Tensor& tensor, const Dims& dims) {
  return elementOf(c.pool(), tensor, dims, std::vector<int64_t>(dims.size()));
}

Tensor reduce(Context& c, Op op, const Tensor& tensor, const Dims& dims) {
  ir::ExprPool& pool = c.pool();
  ir::Shape sizes = tensor.sizes;
  for (int64_t d : dims) sizes[d] = 1;
  if (countOf(tensor, dims) == 0)
    return lazy(tensor.dtype, sizes, [=, &pool](const Index&) { return Value{pool, pool.identity(op, tensor.dtype)}; });
  Reductions& all = c.reductions();
  const Tensor reduced = lazy(tensor.dtype, sizes, [=, &pool, &all, number = all.tensors.size()](const Index& index) {
    Index inner = index;
    std::vector<const ir::Expr*> axes;
    for (int64_t d : dims) {
      if (tensor.sizes[d] == 1) continue;
      axes.push_back(pool.axis(tensor.sizes[d]));
      inner[d] = {pool, axes.back()};
    }
    const ir::Expr* result = pool.reduce(op, tensor.at(inner).expr(), axes);
    if (!axes.empty()) all.elements.emplace(result, Reductions::Element{number, index});
    return Value{pool, result};
  });
  all.tensors.push_back(reduced);
  return withoutUnits(pool, reduced);
}

Tensor scan(Context& c, Op op, const Tensor& tensor, int64_t dim) {
  return lazy(tensor.dtype, tensor.sizes, [=, &pool = c.pool()](const Index& index) {
    const ir::Expr* along = index[dim].expr();
    if (along->isConst() && tensor.sizes[dim] == 1) return tensor.at(index);
    if (along->op != Op::Axis) ir::fail(ir::ErrorKind::Unsupported, "a scan is asked for at {}", ir::toText(along));
    return Value{pool, pool.scan(op, tensor.at(index).expr(), along)};
  });
}

DType accumulator(DType dtype) {
  if (ir::isFloating(dtype)) return ir::opmath(dtype);
  return dtype == DType::U64 ? DType::U64 : DType::I64;
}

Tensor sum(Context& c, const Tensor& tensor, const Dims& dims) {
  return reduce(c, Op::Add, cast(tensor, accumulator(tensor.dtype)), dims);
}

Tensor mean(Context& c, const Tensor& tensor, const Dims& dims) { return dividedBy(sum(c, tensor, dims), countOf(tensor, dims)); }

Tensor amax(Context& c, const Tensor& tensor, const Dims& dims) { return extreme(c, Op::Max, Op::Or, tensor, dims); }
Tensor amin(Context& c, const Tensor& tensor, const Dims& dims) { return extreme(c, Op::Min, Op::And, tensor, dims); }

Moments moments(Context& c, const Tensor& tensor, const Dims& dims) {
  const Tensor x = inOpmath(tensor);
  const Tensor center = mean(c, x, dims);
  const Tensor around = map([](Value x, Value m) { return x - m; }, x, center);
  if (ir::isLowPrecision(tensor.dtype)) return {center, sum(c, product(around, around), dims)};
  return shiftedMoments(c, around, center, dims);
}

Moments momentsAroundElement(Context& c, const Tensor& tensor, const Dims& dims) {
  if (countOf(tensor, dims) == 0) return moments(c, tensor, dims);  // there is no element
  const Tensor x = inOpmath(tensor);
  const Tensor pivot = typicalOf(c, x, dims);
  return shiftedMoments(c, map([](Value x, Value p) { return x - p; }, x, pivot), pivot, dims);
}

Tensor product(const Tensor& a, const Tensor& b) {
  return map([](Value x, Value y) { return x * y; }, a, b);
}

int64_t countOf(const Tensor& tensor, const Dims& dims) {
  int64_t count = 1;
  for (int64_t d : dims) count *= tensor.sizes[d];
  return count;
}

Dims everyDim(const Tensor& tensor) {
  Dims dims(tensor.sizes.size());
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

Dims allBut(int64_t dim, const Tensor& tensor) {
  Dims dims = everyDim(tensor);
  std::erase(dims, dim);
  return dims;
}

Tensor squeeze(Context& c, const Tensor& tensor, const Dims& dims) {
  ir::Shape sizes = tensor.sizes;
  for (std::size_t i = dims.size(); i-- > 0;) sizes.erase(sizes.begin() + dims[i]);
  return {tensor.dtype, sizes, [&pool = c.pool(), tensor, dims](Index index) {
            for (int64_t d : dims) index.insert(index.begin() + d, zero(pool));
            return tensor.at(index);
          }};
}

Exponentials maskedExponentials(Context& c, const Tensor& tensor, const Dims& dims) {
  const Tensor top = amax(c, tensor, dims);
  const Tensor powers = map([](Value x, Value top) { return where(top == -infinity, 0.0, exp(x - top)); }, tensor, top);
  return {top, powers, sum(c, powers, dims)};
}

Tensor computedOnce(const Context& c, const Tensor& tensor) {
  const std::vector<const ir::Expr*> nodes = ir::postorder({tensor.at(newIndex(c.pool(), tensor.sizes)).expr()});
  const bool isReduced = std::any_of(nodes.begin(), nodes.end(), [](const ir::Expr* node) { return node->op == Op::Reduce; });
  return isReduced ? c.stored(tensor) : tensor;
}

Tensors asOutputs(const Context& c, Tensors tensors) {
  const std::size_t outputs = std::min(tensors.size(), static_cast<std::size_t>(c.outputCount()));
  for (std::size_t i = 0; i < outputs; ++i) tensors[i] = cast(tensors[i], c.outputType(static_cast<int>(i)).dtype);
  return tensors;
}

}  // namespace lowering
