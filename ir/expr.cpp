#include "ir/expr.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.h"
#include "ir/scalar.h"

namespace ir {
namespace {

/// Which operand dtypes an operation takes.
enum class Operands : uint8_t { Floating, Integers, Numbers, Bits, NotComplex };
enum class Cost : uint8_t { Instruction, Function };

struct OpRow {
  std::string_view name;
  int arity;
  Operands operands = Operands::NotComplex;
  Cost cost = Cost::Instruction;
};

constexpr std::array opRows{
    OpRow{"const", 0}, OpRow{"axis", 0}, OpRow{"load", 1}, OpRow{"reduce", 1}, OpRow{"scan", 1},
#define OP(name, text, arity, operands, cost) OpRow{text, arity, Operands::operands, Cost::cost},
#include "ir/ops.def"
};

const OpRow& row(Op op) { return opRows[static_cast<size_t>(op)]; }

bool takes(Op op, DType dtype) {
  switch (row(op).operands) {
    case Operands::Floating: return isFloating(dtype);
    case Operands::Integers: return isIntegral(dtype);
    case Operands::Numbers: return isFloating(dtype) || isIntegral(dtype);
    case Operands::Bits: return dtype == DType::Bool || isIntegral(dtype);
    case Operands::NotComplex: return !isComplex(dtype);
  }
  fail(ErrorKind::Internal, "operation {} takes no operands", name(op));
}

void checkOperands(Op op, const std::vector<const Expr*>& src) {
  const bool isScalar = op > Op::Scan && op != Op::Cast;
  require(isScalar, "{} is not made as a scalar operation", name(op));
  require(static_cast<int>(src.size()) == arity(op), "{} takes {} operands, not {}", name(op), arity(op), src.size());
  for (const Expr* x : src) require(x != nullptr, "{} has an operand that is missing", name(op));
  if (op == Op::Philox) require(src[0]->dtype == DType::I64, "philox takes i64, not {}", name(src[0]->dtype));
  const bool isWhere = op == Op::Where;
  if (isWhere) require(src[0]->dtype == DType::Bool, "where takes a b8 condition, not {}", name(src[0]->dtype));
  const DType first = src[isWhere ? 1 : 0]->dtype;
  require(takes(op, first), "{} does not take {}", name(op), name(first));
  for (size_t i = isWhere ? 2 : 1; i < src.size(); ++i)
    require(src[i]->dtype == first, "{} of {} and {}", name(op), name(first), name(src[i]->dtype));
}

bool isConstant(const Expr* x, int64_t value) { return x->isConst() && !isFloating(x->dtype) && x->integer() == value; }

bool dividesByZero(Op op, const std::vector<const Expr*>& src) {
  const bool divides = op == Op::Div || op == Op::FloorDiv || op == Op::Mod || op == Op::Rem;
  return divides && isConstant(src[1], 0);
}

/// The operand that is the result whatever the other one is (integers and Bools alone), or nullptr.
const Expr* unchanged(Op op, const Expr* a, const Expr* b) {
  const bool isBool = a->dtype == DType::Bool;
  if (op == Op::Add && isConstant(a, 0)) return b;
  if ((op == Op::Add || op == Op::Sub) && isConstant(b, 0)) return a;
  if (op == Op::Mul && (isConstant(a, 1) || isConstant(b, 0))) return b;
  if (op == Op::Mul && (isConstant(b, 1) || isConstant(a, 0))) return a;
  if ((op == Op::Div || op == Op::FloorDiv) && isConstant(b, 1)) return a;
  if (isBool && op == Op::And && (isConstant(a, 1) || isConstant(b, 0))) return b;
  if (isBool && op == Op::And && (isConstant(b, 1) || isConstant(a, 0))) return a;
  if (isBool && op == Op::Or && (isConstant(a, 0) || isConstant(b, 1))) return b;
  if (isBool && op == Op::Or && (isConstant(b, 0) || isConstant(a, 1))) return a;
  return nullptr;
}

size_t hashPayload(const Payload& payload) {
  switch (payload.index()) {
    case 1: return std::hash<int64_t>{}(std::get<int64_t>(payload));
    case 2: return std::hash<uint64_t>{}(std::bit_cast<uint64_t>(std::get<double>(payload)));
    case 3: return static_cast<size_t>(std::get<AxisInfo>(payload).id);
    case 4:
      return static_cast<size_t>(std::get<LoadInfo>(payload).buffer) * 2 + static_cast<size_t>(std::get<LoadInfo>(payload).mode);
    case 5: return static_cast<size_t>(std::get<ReduceInfo>(payload).op);
    default: return 0;
  }
}

bool samePayload(const Payload& a, const Payload& b) {
  if (a.index() != b.index()) return false;
  if (const double* x = std::get_if<double>(&a))
    return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(std::get<double>(b));
  return a == b;
}

struct ByContent {
  size_t operator()(const Expr* x) const {
    size_t hash = static_cast<size_t>(x->op) * 64 + static_cast<size_t>(x->dtype);
    const auto mix = [&hash](size_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL + (hash >> 29); };
    for (const Expr* s : x->src) mix(reinterpret_cast<size_t>(s) >> 4);
    mix(hashPayload(x->payload));
    return hash;
  }
  bool operator()(const Expr* a, const Expr* b) const {
    return a->op == b->op && a->dtype == b->dtype && a->src == b->src && samePayload(a->payload, b->payload);
  }
};

/// The constant of `dtype` that a value of dtype `from` becomes.
Expr constantOf(DType dtype, DType from, const Scalar& value) {
  require(!isComplex(dtype), "a constant is not {}", name(dtype));
  return std::visit([dtype](auto held) { return Expr{Op::Const, dtype, {}, held}; }, convert(dtype, from, value));
}

}  // namespace

std::string_view name(Op op) { return row(op).name; }

Op opFromName(std::string_view text) {
  for (size_t i = static_cast<size_t>(Op::Scan) + 1; i < opRows.size(); ++i)
    if (opRows[i].name == text) return static_cast<Op>(i);
  return Op::Const;
}

int arity(Op op) { return row(op).arity; }

bool isFunction(Op op) { return row(op).cost == Cost::Function; }

bool isReduction(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Max || op == Op::Min || op == Op::LogAddExp || op == Op::And || op == Op::Or;
}

bool isPredicate(Op op) { return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le || op == Op::IsNan; }

struct ExprPool::State {
  std::deque<Expr> nodes;
  std::unordered_set<const Expr*, ByContent, ByContent> interned;
  std::unordered_map<int, const Expr*> axes;
  int nextAxis = 0;
};

ExprPool::ExprPool() : state_(std::make_unique<State>()) {}
ExprPool::~ExprPool() = default;

int64_t ExprPool::size() const { return static_cast<int64_t>(state_->nodes.size()); }

const Expr* ExprPool::intern(Expr expr) {
  if (const auto found = state_->interned.find(&expr); found != state_->interned.end()) return *found;
  state_->nodes.push_back(std::move(expr));
  state_->interned.insert(&state_->nodes.back());
  return &state_->nodes.back();
}

const Expr* ExprPool::rounded(DType dtype, double value) { return intern(constantOf(dtype, DType::F64, value)); }

const Expr* ExprPool::integer(DType dtype, int64_t value) { return intern(constantOf(dtype, DType::I64, value)); }

const Expr* ExprPool::axis(int64_t extent) { return axis(state_->nextAxis, extent); }

const Expr* ExprPool::axis(int id, int64_t extent) {
  require(id >= 0 && extent >= 0, "axis {} of extent {}", id, extent);
  const Expr* made = state_->axes.try_emplace(id, nullptr).first->second;
  if (made == nullptr) made = state_->axes[id] = intern({Op::Axis, DType::I64, {}, AxisInfo{id, extent}});
  require(made->axis().extent == extent, "axis {} has extent {}, not {}", id, made->axis().extent, extent);
  state_->nextAxis = std::max(state_->nextAxis, id + 1);
  return made;
}

const Expr* ExprPool::load(int buffer, DType dtype, const Expr* offset, LoadMode mode) {
  require(offset->dtype == DType::I64, "a load's offset is i64, not {}", name(offset->dtype));
  require(buffer >= 0, "a load of buffer {}", buffer);
  return intern({Op::Load, dtype, {offset}, LoadInfo{buffer, mode}});
}

const Expr* ExprPool::load(int buffer, const Expr* offset, const Expr* mask, const Expr* other, LoadMode mode) {
  require(mask->dtype == DType::Bool, "a load's mask is b8, not {}", name(mask->dtype));
  if (mask->isConst() && mask->integer() == 0) return other;
  const Expr* plain = load(buffer, other->dtype, offset, mode);
  return mask->isConst() ? plain : intern({Op::Load, other->dtype, {offset, mask, other}, plain->payload});
}

const Expr* ExprPool::make(Op op, std::vector<const Expr*> src) {
  checkOperands(op, src);
  if (op == Op::Where && src[0]->isConst()) return src[src[0]->integer() != 0 ? 1 : 2];
  const DType operand = src.back()->dtype;
  const DType result = isPredicate(op) ? DType::Bool : op == Op::Philox ? DType::U32 : operand;
  const bool constants = std::all_of(src.begin(), src.end(), [](const Expr* x) { return x->isConst(); });
  if (isFloating(operand) || op == Op::Where || dividesByZero(op, src)) return intern({op, result, std::move(src), {}});
  if (constants) {
    std::vector<int64_t> values;
    for (const Expr* x : src) values.push_back(x->integer());
    return integer(result, evaluate(op, operand, values));
  }
  if (op == Op::Mod && isConstant(src[1], 1)) return integer(result, 0);
  if (src.size() == 2)
    if (const Expr* x = unchanged(op, src[0], src[1])) return x;
  return intern({op, result, std::move(src), {}});
}

const Expr* ExprPool::reduce(Op op, const Expr* body, const std::vector<const Expr*>& axes) {
  require(isReduction(op) && takes(op, body->dtype), "a reduction of {} by {}", name(body->dtype), name(op));
  if (axes.empty()) return body;
  std::vector<const Expr*> src{body};
  for (const Expr* axis : axes) {
    require(axis->op == Op::Axis, "a reduction over {}, which is no axis", name(axis->op));
    src.push_back(axis);
  }
  return intern({Op::Reduce, body->dtype, std::move(src), ReduceInfo{op}});
}

const Expr* ExprPool::scan(Op op, const Expr* body, const Expr* axis) {
  require(isReduction(op) && takes(op, body->dtype), "a scan of {} by {}", name(body->dtype), name(op));
  require(axis->op == Op::Axis, "a scan over {}, which is no axis", name(axis->op));
  if (axis->axis().extent == 1) return body;
  return intern({Op::Scan, body->dtype, {body, axis}, ReduceInfo{op}});
}

const Expr* ExprPool::identity(Op op, DType dtype) {
  require(isReduction(op) && takes(op, dtype), "a reduction of {} by {}", name(dtype), name(op));
  if (op == Op::Add || op == Op::Or) return integer(dtype, 0);
  if (op == Op::Mul || op == Op::And) return integer(dtype, 1);
  const bool isMax = op == Op::Max || op == Op::LogAddExp;
  if (isFloating(dtype)) return constant(dtype, isMax ? -INFINITY : INFINITY);
  return integer(dtype, isMax ? lowest(dtype) : highest(dtype));
}

const Expr* ExprPool::cast(DType dtype, const Expr* x) {
  if (x->dtype == dtype) return x;
  require(takes(Op::Cast, dtype) && takes(Op::Cast, x->dtype), "cast of {} to {}", name(x->dtype), name(dtype));
  if (!x->isConst()) return intern({Op::Cast, dtype, {x}, {}});
  const Scalar value = isFloating(x->dtype) ? Scalar{std::get<double>(x->payload)} : Scalar{x->integer()};
  return intern(constantOf(dtype, x->dtype, value));
}

}  // namespace ir
