#include "codegen/cuda/expr.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "codegen/cuda/registers.h"
#include "codegen/cuda/rounding.h"
#include "ir/error.h"
#include "ir/index/range.h"
#include "ir/index/width.h"
#include "ir/walk.h"

namespace codegen {
namespace {

using ir::DType;
using ir::Expr;
using ir::Op;

/// What an operation works on, as far as its spelling goes.
enum class Arithmetic { Index, Integer, Condition, Bool, Floating };

Arithmetic domain(const Key& key) {
  const DType dtype = key.node->src.back()->dtype;
  if (dtype == DType::Bool) return key.as == As::Index ? Arithmetic::Condition : Arithmetic::Bool;
  if (ir::isFloating(dtype)) return Arithmetic::Floating;
  return key.as == As::Index && dtype == DType::I64 ? Arithmetic::Index : Arithmetic::Integer;
}

struct Infix {
  std::string_view token;  ///< empty: the operation is a call
  Binds binds = Binds::Atom;
};

/// How an operation with two operands is written between them.
Infix infix(Op op, Arithmetic domain) {
  const bool wraps = domain == Arithmetic::Integer;
  const bool isBool = domain == Arithmetic::Bool || domain == Arithmetic::Condition;
  switch (op) {
    case Op::Add: return wraps ? Infix{} : Infix{"+", Binds::Sum};
    case Op::Sub: return wraps ? Infix{} : Infix{"-", Binds::Sum};
    case Op::Mul: return wraps ? Infix{} : Infix{"*", Binds::Product};
    case Op::Div: return wraps ? Infix{} : Infix{"/", Binds::Product};
    case Op::Rem: return domain == Arithmetic::Index ? Infix{"%", Binds::Product} : Infix{};
    // On values both operands are computed, without a branch.
    case Op::And: return {domain == Arithmetic::Condition ? "&&" : "&", Binds::Logic};
    case Op::Or: return {domain == Arithmetic::Condition ? "||" : "|", Binds::Logic};
    case Op::Xor: return isBool ? Infix{"!=", Binds::Compare} : Infix{"^", Binds::Logic};
    case Op::Eq: return {"==", Binds::Compare};
    case Op::Ne: return {"!=", Binds::Compare};
    case Op::Lt: return {"<", Binds::Compare};
    case Op::Le: return {"<=", Binds::Compare};
    case Op::Neg:
    case Op::Not:
    case Op::Abs:
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
    case Op::Cast:
    case Op::FloorDiv:
    case Op::Mod:
    case Op::Pow:
    case Op::LogAddExp:
    case Op::CopySign:
#define FUNCTION(name, ...) case Op::name:
#define ROUTINE(name, ...) case Op::name:
#include "ir/ops.def"
    case Op::Max:
    case Op::Min:
    case Op::Shl:
    case Op::Shr:
    case Op::Where:
    case Op::Philox:
    case Op::Const:
    case Op::Axis:
    case Op::Load:
    case Op::Reduce:
    case Op::Scan: return {};
  }
  return {};
}

/// Whether the prelude's `fast` namespace has a shorter form of an f32 operation.
bool hasFastForm(Op op) {
  return op == Op::Sqrt || op == Op::Rsqrt || op == Op::Exp || op == Op::Expm1 || op == Op::Log || op == Op::Log2 ||
         op == Op::Log1p || op == Op::Tanh || op == Op::Erf || op == Op::Div;
}

std::string parenthesised(const CudaText& text, bool needed) { return needed ? "(" + text.text + ")" : text.text; }

/// Left-associative operators take an equal one on their left; the others bind nothing of their own rank.
CudaText join(const CudaText& a, const Infix& op, const CudaText& b) {
  const bool associates = op.binds == Binds::Sum || op.binds == Binds::Product;
  const Binds loosest = op.binds == Binds::Logic && op.token.size() == 1 ? Binds::Product : op.binds;  // `x < y & z` misleads
  const std::string left = parenthesised(a, associates ? a.binds < loosest : a.binds <= loosest);
  return {fmt::format("{} {} {}", left, op.token, parenthesised(b, b.binds <= loosest)), op.binds};
}

CudaText floatingLiteral(DType dtype, double value) {
  const bool isDouble = dtype == DType::F64;
  CudaText out;
  if (std::isnan(value)) {
    out.text = "math::nan()";
  } else if (std::isinf(value)) {
    out = {value < 0 ? "-math::infinity()" : "math::infinity()", value < 0 ? Binds::Sum : Binds::Atom, false};
  } else {
    out.text = isDouble ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    if (out.text.find_first_of(".e") == std::string::npos) out.text += ".0";
    if (!isDouble) out.text += "f";
    if (out.text[0] == '-') out.binds = Binds::Sum;
  }
  if (isDouble && !std::isfinite(value)) return {fmt::format("f64({})", out.text)};
  return ir::isLowPrecision(dtype) ? CudaText{fmt::format("{}({})", cudaType(dtype), out.text)} : out;
}

CudaText literal(const Expr* node, As as) {
  if (ir::isFloating(node->dtype)) return floatingLiteral(node->dtype, std::get<double>(node->payload));
  const int64_t value = node->integer();
  if (node->dtype == DType::Bool) return {value != 0 ? "true" : "false"};
  if (node->dtype == DType::U64) return {fmt::format("u64({}u)", static_cast<uint64_t>(value))};
  if (value == std::numeric_limits<int64_t>::min()) return {fmt::format("i64({}u)", static_cast<uint64_t>(value))};
  if (as == As::Index) return {fmt::format("{}", value), value < 0 ? Binds::Sum : Binds::Atom};
  return {fmt::format("{}({})", cudaType(node->dtype), value)};
}

bool isNarrow(DType dtype) { return ir::sizeOf(dtype) < 4; }

}  // namespace

std::string cudaType(DType dtype) {
  if (ir::isComplex(dtype)) ir::fail(ir::ErrorKind::Unsupported, "no CUDA code for {}", ir::torchName(dtype));
  return dtype == DType::Bool ? "bool" : std::string(ir::name(dtype));
}

bool isPrivate(const ir::Kernel& kernel, int buffer) {
  const ir::Local* local = kernel.local(buffer);
  return local != nullptr && local->space == ir::Space::Private;
}

/// What is known of i64 nodes: which loads are indices, their bounds, and whether they and all i64 nodes below keep within 32
/// bits.
struct CudaExpressions::IndexFacts {
  std::shared_ptr<const ir::LoadedIndices> loaded;  ///< found once for the kernel
  ir::Bounds bounds;
  std::unordered_map<const Expr*, bool> isPosition;
};

CudaExpressions::CudaExpressions(const ir::Kernel& kernel, std::vector<std::string> buffers)
    : kernel_(kernel),
      buffers_(std::move(buffers)),
      facts_(std::make_shared<IndexFacts>(IndexFacts{std::make_shared<const ir::LoadedIndices>(kernel), {}, {}})) {
  if (kernel.math == ir::Math::Rounded) rounded_ = std::make_shared<const std::set<const Expr*>>(roundedNodes(kernel));
}

void CudaExpressions::assume(const Expr* condition, bool holds) {
  facts_ = std::make_shared<IndexFacts>(IndexFacts{facts_->loaded, facts_->bounds.where(condition, holds), {}});
}

bool CudaExpressions::isNonNegative(const Expr* index) const { return facts_->bounds.of(index).least >= 0; }

bool CudaExpressions::isPosition(const Expr* node) const {
  for (const Expr* x : ir::postorder(node, [this](const Expr* y) { return facts_->isPosition.contains(y); })) {
    const auto isPosition = [this](const Expr* y) { return facts_->isPosition.at(y); };
    facts_->isPosition[x] = x->dtype != DType::I64 || (facts_->bounds.of(x).fits32() && std::ranges::all_of(x->src, isPosition));
  }
  return facts_->isPosition.at(node);
}

Key CudaExpressions::keyOf(const Expr* node, As as) const {
  if (node->isConst()) return {node, node->dtype == DType::I64 ? as : As::Value};
  if (node->op == Op::Load) return {node, As::Value};
  if (node->dtype == DType::I64) return {node, isPosition(node) ? As::Index : as};
  // Values that are no indices are compared with all of their bits, whatever is asked for.
  if (ir::isPredicate(node->op) && node->src[0]->dtype == DType::I64) {
    const bool isOfPositions = isPosition(node->src[0]) && isPosition(node->src[1]);
    return {node, isOfPositions || (as == As::Index && facts_->loaded->areCompared(node)) ? As::Index : As::Value};
  }
  return {node, node->dtype == DType::Bool ? as : As::Value};
}

As CudaExpressions::operandForm(const Key& key, size_t operand) const {
  if (key.node->op == Op::Load) return operand == 0 ? As::Index : As::Value;
  if (key.node->op == Op::Philox) return operand == 2 ? As::Index : As::Value;
  if (key.node->op != Op::Cast) return key.as;
  const Expr* source = key.node->src[0];
  return source->dtype == DType::I64 && isPosition(source) ? As::Index : As::Value;  // 64 bits take four times as long
}

std::vector<Key> CudaExpressions::operandsOf(const Key& key) const {
  std::vector<Key> keys;
  // Offsets into register arrays are taken apart instead of being computed.
  if (key.node->op == Op::Load && isPrivate(kernel_, key.node->load().buffer)) return keys;
  for (size_t i = 0; i < key.node->src.size(); ++i) keys.push_back(keyOf(key.node->src[i], operandForm(key, i)));
  return keys;
}

const CudaExpressions::Bound::value_type* CudaExpressions::name(const Key& key) const {
  auto found = bound_.find(key);
  if (found == bound_.end() && key.node->dtype == DType::I64)
    found = bound_.find({key.node, key.as == As::Index ? As::Value : As::Index});
  return found == bound_.end() ? nullptr : &*found;
}

CudaText CudaExpressions::converted(const CudaText& text, As from, As to) const {
  if (from == to || (to == As::Index && !kernel_.index32)) return text;
  return {fmt::format("{}({})", to == As::Index ? "i32" : "i64", text.text)};
}

CudaText CudaExpressions::print(const Expr* node, As as) const {
  const Key key = keyOf(node, as);
  const As asked = node->dtype == DType::I64 ? as : key.as;
  if (const Bound::value_type* known = name(key)) return converted(known->second, known->first.as, asked);
  if (node->isConst()) return literal(node, key.as);
  if (node->op == Op::Axis) ir::require(false, "the axis i{} is printed outside its loop", node->axis().id);
  if (node->op == Op::Load) return converted(loaded(node), As::Value, asked);
  return converted(operation(key), key.as, asked);
}

CudaText CudaExpressions::operand(const Key& of, size_t i, bool mayBeUnsigned) const {
  CudaText out = print(of.node->src[i], operandForm(of, i));
  if (out.isUnsigned && !mayBeUnsigned) out = {fmt::format("{}({})", indexType(), out.text)};
  return out;
}

CudaText CudaExpressions::operation(const Key& key) const {
  const Op op = key.node->op;
  if (op == Op::Cast) return cast(key);
  if (op == Op::Where) return select(key);
  if (op == Op::Philox)
    return {fmt::format("randomWord({}, {}, {})", operand(key, 0).text, operand(key, 1).text, operand(key, 2).text)};
  const Arithmetic d = domain(key);
  if (d == Arithmetic::Floating) return floating(key.node);
  if (d == Arithmetic::Index && (op == Op::FloorDiv || op == Op::Mod)) return quotient(key);
  return ir::arity(op) == 1 ? unary(key) : binary(key);
}

/// Indices choose by an operator, which costs a select; values by a call, whose arguments are computed whatever the condition.
CudaText CudaExpressions::select(const Key& key) const {
  if (key.as == As::Value) {
    const std::string type = key.node->dtype == DType::Bool ? "<bool>" : "";  // `&` of two conditions is an int
    return {fmt::format("math::where{}({}, {}, {})", type, operand(key, 0).text, operand(key, 1).text, operand(key, 2).text)};
  }
  const auto part = [&](size_t i) {
    const CudaText text = operand(key, i);
    return parenthesised(text, text.binds == Binds::Conditional);
  };
  return {fmt::format("{} ? {} : {}", part(0), part(1), part(2)), Binds::Conditional};
}

CudaText CudaExpressions::unary(const Key& key) const {
  const Arithmetic d = domain(key);
  const CudaText x = operand(key, 0);
  const std::string atom = parenthesised(x, x.binds < Binds::Atom);
  if (key.node->op == Op::Not && key.node->dtype == DType::Bool) return {"!" + atom, Binds::Unary};
  if (key.node->op == Op::Not)
    return {fmt::format("{}(~{})", d == Arithmetic::Index ? indexType() : cudaType(key.node->dtype), atom)};
  if (key.node->op == Op::Neg && d == Arithmetic::Index) return {"-" + atom, Binds::Unary};
  return {fmt::format("math::{}({})", ir::name(key.node->op), x.text)};
}

CudaText CudaExpressions::binary(const Key& key) const {
  const Expr* node = key.node;
  const Arithmetic d = domain(key);
  const Infix op = infix(node->op, d);
  const CudaText a = operand(key, 0);
  const CudaText b = operand(key, 1);
  if (op.token.empty()) {
    const auto argument = [&](const CudaText& x) {
      return d == Arithmetic::Index ? fmt::format("{}({})", indexType(), x.text) : x.text;
    };
    return {fmt::format("math::{}({}, {})", ir::name(node->op), argument(a), argument(b))};
  }
  const CudaText out = join(a, op, b);
  const bool narrows = d == Arithmetic::Integer && isNarrow(node->dtype) && !ir::isPredicate(node->op);
  return narrows ? CudaText{fmt::format("{}({})", cudaType(node->dtype), out.text)} : out;
}

/// FloorDiv and Mod of indices: unsigned division by a constant is the cheapest, and right where nothing is negative.
CudaText CudaExpressions::quotient(const Key& key) const {
  const Expr* divisor = key.node->src[1];
  const bool isPlain = divisor->isConst() && divisor->integer() > 0 && isNonNegative(key.node->src[0]);
  if (!isPlain) {
    return {fmt::format("math::{0}({1}({2}), {1}({3}))", ir::name(key.node->op), indexType(), operand(key, 0).text,
                        operand(key, 1).text)};
  }
  const Infix op{key.node->op == Op::FloorDiv ? "/" : "%", Binds::Product};
  CudaText out = join(operand(key, 0, true), op, {fmt::format("{}{}", divisor->integer(), kernel_.index32 ? "u" : "ull")});
  out.isUnsigned = true;
  return out;
}

CudaText CudaExpressions::cast(const Key& key) const {
  const Expr* source = key.node->src[0];
  const DType from = source->dtype;
  const DType to = key.node->dtype;
  const std::string type = to == DType::I64 && key.as == As::Index ? indexType() : cudaType(to);
  CudaText x = operand(key, 0);
  if (ir::isLowPrecision(from)) {
    x = {fmt::format("f32({})", x.text)};
    if (to == DType::F32) return x;
  }
  if (to == DType::Bool) return {fmt::format("{} != 0", parenthesised(x, x.binds <= Binds::Compare)), Binds::Compare};
  const bool isFloat = ir::isFloating(from);
  const bool isF32 = ir::opmath(from) == DType::F32;
  if (ir::isLowPrecision(to) && !isF32) x = {fmt::format("f32({})", x.text)};
  if (isFloat && !ir::isFloating(to) && isNarrow(to)) x = {fmt::format("i32({})", x.text)};
  if (isFloat && to == DType::U32) x = {fmt::format("i64({})", x.text)};
  return {fmt::format("{}({})", type, x.text)};
}

CudaText CudaExpressions::floating(const Expr* node) const {
  const DType dtype = node->src.back()->dtype;
  const bool isStorage = ir::isLowPrecision(dtype);
  std::vector<CudaText> x;
  for (const Expr* operand : node->src) {
    CudaText text = print(operand, As::Value);
    x.push_back(isStorage ? CudaText{fmt::format("f32({})", text.text)} : std::move(text));
  }
  const bool isFast = dtype != DType::F64 && hasFastForm(node->op) && mayErr(node);
  const bool isReciprocal =
      isFast && node->op == Op::Div && node->src[0]->isConst() && std::get<double>(node->src[0]->payload) == 1;
  const Infix op = infix(node->op, Arithmetic::Floating);
  CudaText out;
  if (node->op == Op::Neg) {
    out = {"-" + parenthesised(x[0], x[0].binds < Binds::Atom), Binds::Unary};
  } else if (!op.token.empty() && !isFast) {
    out = join(x[0], op, x[1]);
  } else if (isReciprocal || x.size() == 1) {
    out = {fmt::format("{}::{}({})", isFast ? "fast" : "math", isReciprocal ? "reciprocal" : ir::name(node->op), x.back().text)};
  } else {
    out = {fmt::format("{}::{}({}, {})", isFast ? "fast" : "math", ir::name(node->op), x[0].text, x[1].text)};
  }
  return isStorage && !ir::isPredicate(node->op) ? CudaText{fmt::format("{}({})", cudaType(dtype), out.text)} : out;
}

std::string CudaExpressions::address(int buffer, const Expr* offset) const {
  const CudaText text = print(offset, As::Index);
  if (text.text == "0") return this->buffer(buffer);
  return fmt::format("{} + {}", this->buffer(buffer), parenthesised(text, text.binds < Binds::Sum));
}

std::string CudaExpressions::element(int buffer, const Expr* offset, const Expr* lane) const {
  if (isPrivate(kernel_, buffer))
    return registerElement(buffer, lane == nullptr ? offset : kernel_.pool->make(Op::Add, {offset, lane}));
  const CudaText text = print(offset, As::Index);
  const std::string& name = this->buffer(buffer);
  if (lane == nullptr) return fmt::format("{}[{}]", name, text.text);
  if (text.text == "0") return fmt::format("{}[{}]", name, index(lane));
  return fmt::format("{}[{} + {}]", name, parenthesised(text, text.binds < Binds::Sum), index(lane));
}

CudaText CudaExpressions::loaded(const Expr* load, const Expr* lane) const {
  const std::string read = element(load->load().buffer, load->src[0], lane);
  if (!load->isMasked()) return {read};
  const auto part = [&](size_t i) {
    const CudaText text = print(load->src[i], As::Value);
    return parenthesised(text, text.binds == Binds::Conditional);
  };
  return {fmt::format("{} ? {} : {}", part(1), read, part(2)), Binds::Conditional};
}

std::string CudaExpressions::registerElement(int buffer, const Expr* offset) const {
  const ir::Local& local = *kernel_.local(buffer);
  const int64_t elements = local.buffer.type.storageElements();
  const std::string& name = this->buffer(buffer);
  if (elements == 1) return name;
  if (local.lanes == 1) return fmt::format("{}[{}]", name, index(offset));
  const RegisterPlace place = registerPlace(*kernel_.pool, offset, local.lanes);
  if (elements == local.lanes) return fmt::format("{}[{}]", name, index(place.lane));
  return fmt::format("{}[{}][{}]", name, index(place.vector), index(place.lane));
}

std::string CudaExpressions::wholeVector(int buffer, const Expr* offset, int64_t lanes) const {
  const ir::Local& local = *kernel_.local(buffer);
  if (local.lanes != lanes || lanes == 1) return "";
  const RegisterPlace place = registerPlace(*kernel_.pool, offset, local.lanes);
  if (!place.lane->isConst() || place.lane->integer() != 0) return "";
  const std::string& name = this->buffer(buffer);
  return local.buffer.type.storageElements() == lanes ? name : fmt::format("{}[{}]", name, index(place.vector));
}

}  // namespace codegen
