#include "codegen/llvm/expr.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>

#include "codegen/llvm/combine.h"
#include "codegen/llvm/values/cast.h"
#include "codegen/llvm/values/integer.h"
#include "codegen/llvm/values/random.h"
#include "ir/error.h"
#include "ir/index/lane_run.h"
#include "ir/scalar.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

[[noreturn]] void refuse(Op op, DType dtype) {
  ir::fail(ir::ErrorKind::Internal, "{} of {} has no CPU code", ir::name(op), ir::name(dtype));
}

}  // namespace

LlvmExpr::LlvmExpr(const Scope& scope, const Expr* axis, const LaneSet& lanes) : scope_(scope), laneAxis_(axis), lanes_(lanes) {
  lane_ = iota(scope.builder, lanes.count, 64);
  // Lanes that are not active repeat the nearest one that is: their reads are then inside the buffers.
  if (lanes.isPartial() && lanes.active != nullptr) lane_ = minimum(lane_, Vec{&scope.builder, lanes.active} - 1, true);
  if (lanes.isPartial() && lanes.first != nullptr) lane_ = maximum(lane_, Vec{&scope.builder, lanes.first}, true);
}

Vec LlvmExpr::operator()(const Expr* expr) {
  for (const Expr* node : ir::postorder({expr}))
    if (!done_.contains(node)) {
      const Vec value = print(node);
      done_[node] = {value, isIndex(node)};
    }
  return ofWidth(expr, 64);
}

/// An operand's value: of an I64, in so many bits.
Vec LlvmExpr::ofWidth(const Expr* node, int bits) const {
  const Vec value = done_.at(node).value;
  if (node->dtype != DType::I64 || value.bits() == bits) return value;
  return bits == 64 ? signExtend(value, 64) : truncate(value, 32);
}

bool LlvmExpr::fits32(const Expr* node) { return node->dtype != DType::I64 || bounds_.of(node).fits32(); }

/// The bits in which a node is computed of its I64 operands. What 32 bits hold takes half as many registers in vectors.
int LlvmExpr::widthOf(const Expr* expr) {
  const auto isVector = [&](const Expr* node) { return done_.at(node).value.isVector(); };
  const auto fits = [&](const Expr* node) { return fits32(node); };
  const bool isShift = expr->op == Op::Shl || expr->op == Op::Shr;
  const bool isNarrow = !isShift && std::any_of(expr->src.begin(), expr->src.end(), isVector) && fits32(expr) &&
                        std::all_of(expr->src.begin(), expr->src.end(), fits);
  return isNarrow ? 32 : 64;
}

Vec LlvmExpr::print(const Expr* expr) {
  if (expr->op == Op::Const) return constant(scope_.builder, expr);
  if (expr->op == Op::Axis) return axis(expr);
  if (expr->op == Op::Load) return load(expr);
  if (expr->op == Op::Cast) return cast(expr);
  if (expr->op == Op::Where) {
    const int bits = widthOf(expr);
    return select(operand(expr, 0), operand(expr, 1, bits), operand(expr, 2, bits));
  }
  if (expr->op == Op::Philox) return random(expr);
  return operation(expr);
}

Vec LlvmExpr::cast(const Expr* expr) {
  const auto held = [&](const Expr* node) { return node->dtype == DType::I64 && widthOf(expr) == 32 ? DType::I32 : node->dtype; };
  return convert(scope_.cpu, operand(expr, 0, widthOf(expr)), held(expr->src[0]), held(expr));
}

Vec LlvmExpr::axis(const Expr* expr) const {
  if (expr == laneAxis_) return lane_;
  const auto found = scope_.axes.find(expr);
  ir::require(found != scope_.axes.end(), "axis {} is not bound where it is used", expr->axis().id);
  return {&scope_.builder, found->second};
}

bool LlvmExpr::isIndex(const Expr* expr) const {
  if (expr->dtype != DType::I64) return false;
  if (expr->op == Op::Axis) return true;
  if (expr->op == Op::Const) return expr->integer() >= 0;
  const bool keeps = expr->op == Op::Add || expr->op == Op::Mul || expr->op == Op::Div || expr->op == Op::FloorDiv ||
                     expr->op == Op::Mod || expr->op == Op::Rem;
  return keeps && std::all_of(expr->src.begin(), expr->src.end(), [this](const Expr* x) { return done_.at(x).isIndex; });
}

Vec LlvmExpr::load(const Expr* expr) {
  if (expr->isMasked()) return masked(expr);
  const Vec offset = operand(expr, 0);
  if (expr->load().mode == ir::LoadMode::Contiguous) return scope_.memory.loadContiguous(expr->load().buffer, offset, lanes_);
  return offset.isVector() ? perLane(expr) : scope_.memory.load(expr->load().buffer, offset);
}

bool LlvmExpr::startsLater() const { return lanes_.isPartial() && lanes_.first != nullptr; }

/// What an expression is for the first active lane: a scalar.
Vec LlvmExpr::atFirstLane(const Expr* expr) {
  if (atFirstLane_ == nullptr) atFirstLane_ = std::make_unique<LlvmExpr>(scope_, laneAxis_, LaneSet{});
  if (startsLater()) atFirstLane_->lane_ = {&scope_.builder, lanes_.first};
  return (*atFirstLane_)(expr);
}
Vec LlvmExpr::fromFirstLane(Vec lane) const { return startsLater() ? lane - Vec{&scope_.builder, lanes_.first} : lane; }

/// Whether numbers that count up with the lanes equal one number: their difference is compared with the lanes' numbers, which
/// take a byte each. Nothing where the operands are others.
std::optional<Vec> LlvmExpr::equalsCount(const Expr* expr) {
  const bool isFirst = operand(expr, 0).isVector();
  const Expr* counted = expr->src[isFirst ? 0 : 1];
  const Vec number = operand(expr, isFirst ? 1 : 0);
  if (counted->dtype != DType::I64 || lanes_.count == 1 || lanes_.count > 64 || number.isVector()) return std::nullopt;
  const auto form = ir::affine(counted);
  if (!form || form->of(laneAxis_) != 1) return std::nullopt;
  const Vec fromFirst = number - atFirstLane(counted);
  const Vec wanted = startsLater() ? fromFirst + Vec{&scope_.builder, lanes_.first} : fromFirst;
  const Vec nearest = truncate(minimum(wanted, wanted.like(int64_t{255}), false), 8);
  return iota(scope_.builder, lanes_.count, 8) == splat(nearest, lanes_.count);
}

/// How far lanes are from the first active one, a step apart. The CPU gathers more at once by 32 bits.
Vec LlvmExpr::apart(int64_t step) const {
  const Vec all = fromFirstLane(lane_) * step;
  return std::abs(step) < INT32_MAX / lanes_.count ? truncate(all, 32) : all;
}

/// An offset that is linear in the lane is a scalar plus constants, whatever the scalar is made of.
Vec LlvmExpr::perLane(const Expr* expr) {
  llvm::IRBuilderBase& builder = scope_.builder;
  const int buffer = expr->load().buffer;
  if (const auto step = ir::laneStep(*scope_.kernel.pool, expr->src[0], laneAxis_))
    return scope_.memory.gather(buffer, atFirstLane(expr->src[0]), apart(*step));
  return scope_.memory.gather(buffer, {&builder, builder.getInt64(0)}, offsets(expr->src[0]));
}

/// The offsets of lanes from a buffer's start. The CPU gathers more at once by offsets of 32 bits.
Vec LlvmExpr::offsets(const Expr* index) { return splat(ofWidth(index, fits32(index) ? 32 : 64), lanes_.count); }

Vec LlvmExpr::masked(const Expr* expr) {
  llvm::IRBuilderBase& builder = scope_.builder;
  const int buffer = expr->load().buffer;
  const Vec offset = operand(expr, 0);
  const MaskedRead read{operand(expr, 1), operand(expr, 2)};
  if (expr->load().mode == ir::LoadMode::Contiguous) return scope_.memory.loadContiguous(buffer, offset, lanes_, read);
  if (!offset.isVector() && !read.mask.isVector() && !read.other.isVector()) return scope_.memory.load(buffer, offset, read);
  if (const auto step = ir::laneStep(*scope_.kernel.pool, expr->src[0], laneAxis_))
    return scope_.memory.gather(buffer, atFirstLane(expr->src[0]), apart(*step), read);
  return scope_.memory.gather(buffer, {&builder, builder.getInt64(0)}, offsets(expr->src[0]), read);
}

/// Words of lanes that lie one after another are computed together.
Vec LlvmExpr::random(const Expr* expr) {
  const Vec seed = operand(expr, 0), draw = operand(expr, 1);
  const bool isOfLanes = laneAxis_ != nullptr && lanes_.count > 1 && !seed.isVector() && !draw.isVector();
  const auto run = isOfLanes ? ir::laneRun(*scope_.kernel.pool, expr->src[2], laneAxis_, ir::philoxWords) : std::nullopt;
  if (!run) return randomWord(seed, draw, operand(expr, 2));
  const auto count = static_cast<int>(run->extent(lanes_.count));
  Vec& words = random_[{expr->src[0], expr->src[1], run->first}];
  if (words.builder == nullptr || words.lanes() < count) words = randomWords(seed, draw, (*this)(run->first), count);
  return strided(words, static_cast<int>(run->begin), static_cast<int>(run->step), lanes_.count);
}

Vec LlvmExpr::operation(const Expr* expr) {
  const DType dtype = expr->src[0]->dtype;
  if (!ir::isFloating(dtype)) return onIntegers(expr, dtype);
  const Vec value = onFloats(expr, dtype);
  return ir::isPredicate(expr->op) ? value : fromOpmath(scope_.cpu, value, dtype);
}

Vec LlvmExpr::onFloats(const Expr* expr, DType dtype) {
  const Vec a = toOpmath(scope_.cpu, operand(expr, 0), dtype);
  const Vec b = expr->src.size() > 1 ? toOpmath(scope_.cpu, operand(expr, 1), dtype) : a;
  const LlvmMath& math = scope_.math;
  switch (expr->op) {
    case Op::Neg: return -a;
    case Op::Abs: return abs(a);
    case Op::Floor: return intrinsic("llvm.floor", {a});
    case Op::Ceil: return intrinsic("llvm.ceil", {a});
    case Op::Trunc: return intrinsic("llvm.trunc", {a});
    case Op::Round: return intrinsic("llvm.roundeven", {a});
    case Op::Sqrt: return intrinsic("llvm.sqrt", {a});
    case Op::Rsqrt: return math.rsqrt(a);
    case Op::Exp: return math.exp(a);
    case Op::Expm1: return math.expm1(a);
    case Op::Log: return math.log(a);
    case Op::Log2: return math.log2(a);
    case Op::Log1p: return math.log1p(a);
    case Op::Sin: return math.sin(a);
    case Op::Cos: return math.cos(a);
    case Op::Tanh: return math.tanh(a);
    case Op::Erf: return math.erf(a);
    case Op::IsNan: return isNan(a);
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Rem: return math.rem(a, b);
    case Op::Pow: return math.pow(a, b);
    case Op::LogAddExp: return math.logAddExp(a, b);
    case Op::CopySign: return copySign(splat(a, b.lanes()), splat(b, a.lanes()));
#define FUNCTION(name, text, arity, symbol, form) \
  case Op::name: return math.library(#symbol, LlvmMath::form, (arity) == 1 ? std::vector{a} : std::vector{a, b});
#define ROUTINE(name, symbol) \
  case Op::name: return math.routine(#symbol, a, b);
#include "ir/ops.def"
    case Op::Max: return maximum(a, b, true);
    case Op::Min: return minimum(a, b, true);
    case Op::Eq: return a == b;
    case Op::Ne: return a != b;
    case Op::Lt: return a < b;
    case Op::Le: return a <= b;
    case Op::Not:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::Where:
    case Op::Philox:
    case Op::Cast:
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Reduce:
    case Op::Scan: refuse(expr->op, dtype);
  }
  refuse(expr->op, dtype);
}

Vec LlvmExpr::onIntegers(const Expr* expr, DType dtype) {
  const int bits = widthOf(expr);
  const Vec a = operand(expr, 0, bits);
  const Vec b = expr->src.size() > 1 ? operand(expr, 1, bits) : a;
  const bool isSigned = ir::isSigned(dtype);
  switch (expr->op) {
    case Op::Neg: return -a;
    case Op::Not: return !a;
    case Op::Abs: return isSigned ? select(a < 0, -a, a) : a;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Rem: {
      const bool isIndex = done_.at(expr->src[0]).isIndex && done_.at(expr->src[1]).isIndex;
      return divideIntegers(expr->op, {isSigned, isIndex, isIndex && fits32(expr->src[0]) && fits32(expr->src[1])}, a, b);
    }
    case Op::Max: return maximum(a, b, isSigned);
    case Op::Min: return minimum(a, b, isSigned);
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Shl: return a << b;
    case Op::Shr: return isSigned ? shiftRightSigned(a, b) : a >> b;
    case Op::Eq: return equalsCount(expr).value_or(a == b);
    case Op::Ne: return a != b;
    case Op::Lt: return isSigned ? a < b : lessUnsigned(a, b);
    case Op::Le: return isSigned ? a <= b : !lessUnsigned(b, a);
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Round:
    case Op::Sqrt:
    case Op::Rsqrt:
    case Op::Exp:
    case Op::Expm1:
    case Op::Log:
    case Op::Log2:
    case Op::Log1p:
    case Op::Sin:
    case Op::Cos:
    case Op::Tanh:
    case Op::Erf:
    case Op::IsNan:
    case Op::Pow:
    case Op::LogAddExp:
    case Op::CopySign:
#define FUNCTION(name, ...) case Op::name:
#define ROUTINE(name, ...) case Op::name:
#include "ir/ops.def"
    case Op::Where:
    case Op::Philox:
    case Op::Cast:
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Reduce:
    case Op::Scan: refuse(expr->op, dtype);
  }
  refuse(expr->op, dtype);
}

}  // namespace codegen
