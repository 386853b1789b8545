#include "tests/random_expr.h"

#include <memory>
#include <string>

#include "ir/walk.h"

namespace tests {

const ir::Expr* RandomExpr::make(ir::DType dtype, const Leaves& leaves, int depth) {
  if (depth == 0 || below(8) == 0) return leaf(dtype, leaves);
  if (below(6) == 0)
    return pool_.make(ir::Op::Where,
                      {make(ir::DType::Bool, leaves, depth - 1), make(dtype, leaves, depth - 1), make(dtype, leaves, depth - 1)});
  if (below(6) == 0) return cast(dtype, leaves, depth);
  if (dtype == ir::DType::Bool) return predicate(leaves, depth);
  return ir::isFloating(dtype) ? floating(dtype, leaves, depth) : integer(dtype, leaves, depth);
}

const ir::Expr* RandomExpr::leaf(ir::DType dtype, const Leaves& leaves) {
  Leaves fitting;
  for (const ir::Expr* x : leaves)
    if (x->dtype == dtype) fitting.push_back(x);
  if (!fitting.empty() && below(4) != 0) return pick(fitting);
  const auto value = static_cast<int64_t>(below(17)) - 8;
  return ir::isFloating(dtype) ? pool_.constant(dtype, static_cast<double>(value) / 4) : pool_.integer(dtype, value);
}

const ir::Expr* RandomExpr::cast(ir::DType dtype, const Leaves& leaves, int depth) {
  const ir::DType from = pick(options_.dtypes);
  const ir::Expr* x = make(from, leaves, depth - 1);
  if (!ir::isFloating(from) || ir::isFloating(dtype) || dtype == ir::DType::Bool) return pool_.cast(dtype, x);
  const ir::Expr* isNan = pool_.make(ir::Op::IsNan, {x});
  const ir::Expr* number = pool_.make(ir::Op::Where, {isNan, pool_.constant(from, 0), x});
  const double least = ir::isSigned(dtype) ? -100 : 0;
  const ir::Expr* bounded =
      pool_.make(ir::Op::Min, {pool_.make(ir::Op::Max, {number, pool_.constant(from, least)}), pool_.constant(from, 100)});
  return pool_.cast(dtype, bounded);
}

const ir::Expr* RandomExpr::apply(ir::Op op, ir::DType dtype, const Leaves& leaves, int depth) {
  Leaves operands;
  for (int i = 0; i < ir::arity(op); ++i) operands.push_back(make(dtype, leaves, depth - 1));
  return pool_.make(op, std::move(operands));
}

const ir::Expr* RandomExpr::floating(ir::DType dtype, const Leaves& leaves, int depth) {
  using ir::Op;
  static const std::vector<Op> exact{Op::Add, Op::Sub,   Op::Mul,  Op::Div,   Op::Max,   Op::Min, Op::Neg,
                                     Op::Abs, Op::Floor, Op::Ceil, Op::Trunc, Op::Round, Op::Sqrt};
  static const std::vector<Op> others{Op::Rsqrt, Op::Exp, Op::Expm1, Op::Log, Op::Log2, Op::Log1p,
                                      Op::Sin,   Op::Cos, Op::Tanh,  Op::Erf, Op::Rem,  Op::Pow};
  return apply(options_.exactOnly || below(3) != 0 ? pick(exact) : pick(others), dtype, leaves, depth);
}

const ir::Expr* RandomExpr::integer(ir::DType dtype, const Leaves& leaves, int depth) {
  using ir::Op;
  static const std::vector<Op> total{Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min, Op::And,
                                     Op::Or,  Op::Xor, Op::Neg, Op::Not, Op::Abs};
  static const std::vector<Op> dividing{Op::Div, Op::FloorDiv, Op::Mod, Op::Rem};
  static const std::vector<Op> shifting{Op::Shl, Op::Shr};
  if (options_.division && below(5) == 0)
    return pool_.make(pick(dividing), {make(dtype, leaves, depth - 1), pool_.integer(dtype, 1 + static_cast<int64_t>(below(9)))});
  if (below(8) == 0)
    return pool_.make(pick(shifting), {make(dtype, leaves, depth - 1), pool_.integer(dtype, static_cast<int64_t>(below(8)))});
  return apply(pick(total), dtype, leaves, depth);
}

const ir::Expr* RandomExpr::predicate(const Leaves& leaves, int depth) {
  using ir::Op;
  static const std::vector<Op> logic{Op::And, Op::Or, Op::Xor, Op::Not, Op::Eq, Op::Ne};
  static const std::vector<Op> order{Op::Eq, Op::Ne, Op::Lt, Op::Le};
  ir::DType dtype = pick(options_.dtypes);
  if (dtype == ir::DType::Bool) return apply(pick(logic), dtype, leaves, depth);
  return ir::isFloating(dtype) && below(5) == 0 ? apply(Op::IsNan, dtype, leaves, depth)
                                                : apply(pick(order), dtype, leaves, depth);
}

// ---------------------------------------------------------------------------------------------------------------------
// Loops of them.

const ir::Expr* elementOffset(ir::ExprPool& pool, const std::vector<const ir::Expr*>& axes, const ir::Strides& strides) {
  const ir::Expr* sum = pool.integer(ir::DType::I64, 0);
  for (size_t i = 0; i < axes.size(); ++i)
    sum = pool.make(ir::Op::Add, {sum, pool.make(ir::Op::Mul, {axes[i], pool.integer(ir::DType::I64, strides[i])})});
  return sum;
}

namespace {

ir::Strides randomStrides(RandomExpr& random, const ir::Shape& sizes) {
  ir::Strides strides = ir::contiguousStrides(sizes);
  if (sizes.size() >= 2 && random.below(3) == 0) {
    strides.front() = 1;
    for (size_t i = 1; i < sizes.size(); ++i) strides[i] = strides[i - 1] * sizes[i - 1];
  }
  if (!sizes.empty() && random.below(4) == 0) strides[random.below(sizes.size())] = 0;
  return strides;
}

/// An element of a buffer, or one that is some places further along an axis where there is such a one: each its own, or the same.
const ir::Expr* randomLoad(RandomExpr& random, ir::ExprPool& pool, int buffer, const ir::TensorType& type,
                           const std::vector<const ir::Expr*>& axes) {
  using ir::Op;
  if (axes.empty() || random.below(3) != 0) return pool.load(buffer, type.dtype, elementOffset(pool, axes, type.strides));
  const auto number = [&](int64_t value) { return pool.integer(ir::DType::I64, value); };
  const size_t dim = random.below(axes.size());
  const int64_t shift = static_cast<int64_t>(random.below(5)) - 2;
  ir::Strides strides = type.strides;
  if (random.below(2) == 0) strides[dim] = 0;
  const ir::Expr* offset = elementOffset(pool, axes, strides);
  const ir::Expr* place = pool.make(Op::Add, {axes[dim], number(shift)});
  const ir::Expr* isInside =
      pool.make(Op::And, {pool.make(Op::Le, {number(0), place}), pool.make(Op::Lt, {place, number(axes[dim]->axis().extent)})});
  const ir::Expr* shifted = pool.make(Op::Add, {offset, number(shift * strides[dim])});
  return pool.load(buffer, shifted, isInside, random.make(type.dtype, axes));
}

/// `x` with some of these axes replaced by others of the same extent, which are added to `reduced`.
const ir::Expr* alongOthers(RandomExpr& random, ir::ExprPool& pool, const ir::Expr* x, const std::vector<const ir::Expr*>& axes,
                            std::vector<const ir::Expr*>& reduced) {
  for (const ir::Expr* axis : axes) {
    if (random.below(2) == 0) continue;
    reduced.push_back(pool.axis(axis->axis().extent));
    x = ir::substitute(pool, x, axis, reduced.back());
  }
  return x;
}

/// Adds a reduction of an expression of the leaves over some of the axes: it is a leaf from then on, so that others have it
/// inside.
void addReduction(RandomExpr& random, const std::vector<const ir::Expr*>& axes, std::vector<const ir::Expr*>& leaves,
                  ir::ExprPool& pool) {
  using ir::Op;
  std::vector<ir::DType> dtypes{ir::DType::F32, ir::DType::F64, ir::DType::I64, ir::DType::Bool};
  std::erase_if(dtypes, [&](ir::DType dtype) { return !random.draws(dtype); });
  const ir::DType dtype = random.pick(dtypes);
  const bool isBool = dtype == ir::DType::Bool;
  const Op op = random.pick(isBool ? std::vector{Op::And, Op::Or} : std::vector{Op::Add, Op::Mul, Op::Max, Op::Min});
  std::vector<const ir::Expr*> reduced;
  const ir::Expr* body = alongOthers(random, pool, random.make(dtype, leaves), axes, reduced);
  leaves.push_back(pool.reduce(op, body, reduced));
}

/// Adds an output over the first axes alone, and what is stored to it: made of leaves that depend on no other axis.
void addRowResult(RandomExpr& random, ir::Loops& loops, std::vector<const ir::Expr*> leaves) {
  const std::vector<const ir::Expr*> axes(loops.axes.begin(),
                                          loops.axes.begin() + static_cast<int>(random.below(loops.axes.size() + 1)));
  const auto isOfRow = [&](const ir::Expr* axis) { return std::find(axes.begin(), axes.end(), axis) != axes.end(); };
  std::erase_if(leaves, [&](const ir::Expr* leaf) {
    const std::vector<const ir::Expr*> free = ir::freeAxes({leaf});
    return !std::all_of(free.begin(), free.end(), isOfRow);
  });
  ir::Shape sizes;
  for (const ir::Expr* axis : axes) sizes.push_back(axis->axis().extent);
  const ir::TensorType type = ir::TensorType::contiguous(ir::DType::F32, sizes);
  loops.stores.push_back(
      {static_cast<int>(loops.buffers.size()), elementOffset(*loops.pool, axes, type.strides), random.make(type.dtype, leaves)});
  loops.buffers.push_back({"row", type, -1, false, true});
}

}  // namespace

ir::Loops randomLoops(uint64_t seed, const RandomOptions& options) {
  ir::Loops loops;
  loops.name = "random" + std::to_string(seed);
  loops.pool = std::make_shared<ir::ExprPool>();
  ir::ExprPool& pool = *loops.pool;
  RandomExpr random(pool, seed, options);
  ir::Shape sizes(random.below(4));
  int64_t most = options.mostPoints;
  for (int64_t& size : sizes) {
    size = options.extents.empty() ? 1 + static_cast<int64_t>(random.below(static_cast<uint64_t>(options.maxExtent)))
                                   : std::min(most, random.pick(options.extents));
    most = std::max<int64_t>(most / size, 1);
  }
  for (const int64_t size : sizes) loops.axes.push_back(pool.axis(size));
  std::vector<const ir::Expr*> leaves = loops.axes;
  const int inputs = 2 + static_cast<int>(random.below(2));
  for (int i = 0; i < inputs; ++i) {
    const ir::TensorType type{random.pick(options.dtypes), sizes, randomStrides(random, sizes)};
    loops.buffers.push_back({"in" + std::to_string(i), type, -1, true, false});
    leaves.push_back(randomLoad(random, pool, i, type, loops.axes));
  }
  if (options.reductions)
    for (int i = 0; i < 3; ++i) addReduction(random, loops.axes, leaves, pool);
  const int outputs = 1 + static_cast<int>(random.below(2));
  for (int i = 0; i < outputs; ++i) {
    const ir::TensorType type = ir::TensorType::contiguous(random.pick(options.dtypes), sizes);
    loops.buffers.push_back({"out" + std::to_string(i), type, -1, false, true});
    loops.stores.push_back({inputs + i, elementOffset(pool, loops.axes, type.strides), random.make(type.dtype, leaves)});
  }
  if (options.reductions) addRowResult(random, loops, leaves);
  return loops;
}

std::vector<ir::Memory> randomMemory(const ir::Loops& loops, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ir::Memory> memory;
  for (const ir::Buffer& buffer : loops.buffers) {
    memory.push_back(ir::Memory::zeros(buffer.type.dtype, buffer.type.storageElements()));
    const auto value = [&] { return static_cast<int64_t>(random() % 33) - 16; };
    if (auto* doubles = std::get_if<std::vector<double>>(&memory.back().data))
      for (double& x : *doubles) x = ir::round(buffer.type.dtype, static_cast<double>(value()) / 4);
    else
      for (int64_t& x : std::get<std::vector<int64_t>>(memory.back().data)) x = ir::wrap(buffer.type.dtype, value());
  }
  return memory;
}

}  // namespace tests
