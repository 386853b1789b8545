#include "ir/text/parse_expr.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "ir/error.h"
#include "ir/text/print_expr.h"

namespace ir {
namespace {

constexpr int deepestExpr = 200;

template <typename T>
T readFloating(const Token& token) {
  T value = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc{}) TokenReader::refuseAt(token, fmt::format("a value of {} bits", 8 * sizeof(T)));
  return value;
}

/// Reads an expression by precedence climbing.
class ExprParser {
 public:
  ExprParser(TokenReader& tokens, const ParseScope& scope) : tokens_(tokens), scope_(scope) {}

  /// Operators of at least `level`.
  const Expr* parse(int level) {
    const Expr* left = unary();
    int tightest = tightestInfix;  // a comparison's operand is no comparison
    for (;;) {
      const Token token = tokens_.peek();
      const Infix* infix = token.kind == Token::Kind::Symbol ? infixOf(token.text) : nullptr;
      if (infix == nullptr || infix->level < level || infix->level > tightest) return left;
      tokens_.take();
      const Expr* right = parse(infix->level + 1);
      left = make(token, infix->op, {left, right});
      if (infix->level == comparisonLevel) tightest = comparisonLevel - 1;
    }
  }

 private:
  const Expr* unary() {
    if (++depth_ > deepestExpr) tokens_.refuse(fmt::format("at most {} operations in one another", deepestExpr));
    const Token token = tokens_.peek();
    const Expr* result = nullptr;
    if (tokens_.at("-") && tokens_.peek(1).kind != Token::Kind::Number) {
      tokens_.take();
      result = make(token, Op::Neg, {unary()});
    } else {
      result = primary();
    }
    --depth_;
    return result;
  }

  const Expr* primary() {
    if (tokens_.accept("(")) {
      const Expr* inside = parse(comparisonLevel);
      tokens_.expect(")");
      return inside;
    }
    if (tokens_.at("-") || tokens_.peek().kind == Token::Kind::Number)
      return scope_.pool.integer(DType::I64, tokens_.signedInteger());
    if (!tokens_.atWord()) tokens_.refuse("an expression");
    if (atScan()) return scan();
    if (atReduction()) return reduction();
    if (tokens_.at("[", 1)) return load();
    if (tokens_.at("(", 1)) return call();
    return name();
  }

  const Expr* name() {
    if (tokens_.at("true") || tokens_.at("false"))
      return scope_.pool.integer(DType::Bool, static_cast<int64_t>(tokens_.take().text == "true"));
    const std::string text(tokens_.peek().text);
    for (const auto* names : {&scope_.lets, &scope_.axes}) {
      if (const auto found = names->find(text); found != names->end()) {
        tokens_.take();
        return found->second;
      }
    }
    tokens_.refuse("an axis or a let");
  }

  const Expr* load() {
    const Token where = tokens_.peek();
    const int buffer = parseBufferName(tokens_, scope_);
    tokens_.expect("[");
    const Expr* offset = parse(comparisonLevel);
    const Expr *mask = nullptr, *other = nullptr;
    if (tokens_.accept("if")) {
      mask = parse(comparisonLevel);
      tokens_.expect("else");
      other = parse(comparisonLevel);
    }
    tokens_.expect("]");
    const LoadMode mode = parseContiguous(tokens_, scope_) ? LoadMode::Contiguous : LoadMode::PerLane;
    const DType dtype = scope_.buffers[buffer]->type.dtype;
    return checked(where, [&] {
      if (mask == nullptr) return scope_.pool.load(buffer, dtype, offset, mode);
      require(other->dtype == dtype, "a load of {} or {}", ir::name(dtype), ir::name(other->dtype));
      return scope_.pool.load(buffer, offset, mask, other, mode);
    });
  }

  /// `max[i0, i1](`: a load is not followed by a parenthesis.
  bool atReduction() const {
    if (!tokens_.at("[", 1)) return false;
    size_t axis = 2;
    while (tokens_.atWord(axis) && tokens_.at(",", axis + 1)) axis += 2;
    return tokens_.atWord(axis) && tokens_.at("]", axis + 1) && tokens_.at("(", axis + 2);
  }

  const Expr* reduction() {
    const Token where = tokens_.peek();
    const Op op = parseReduction(tokens_);
    tokens_.expect("[");
    std::vector<const Expr*> axes;
    do axes.push_back(axis());
    while (tokens_.accept(","));
    tokens_.expect("]");
    tokens_.expect("(");
    const Expr* body = parse(comparisonLevel);
    tokens_.expect(")");
    return checked(where, [&] { return scope_.pool.reduce(op, body, axes); });
  }

  /// `add[to i0](`
  bool atScan() const { return tokens_.at("[", 1) && tokens_.at("to", 2) && tokens_.atWord(3) && tokens_.at("]", 4); }

  const Expr* scan() {
    const Token where = tokens_.peek();
    const Op op = parseReduction(tokens_);
    tokens_.expect("[");
    tokens_.expect("to");
    const Expr* own = axis();
    tokens_.expect("]");
    tokens_.expect("(");
    const Expr* body = parse(comparisonLevel);
    tokens_.expect(")");
    return checked(where, [&] { return scope_.pool.scan(op, body, own); });
  }

  const Expr* axis() {
    const auto found = scope_.axes.find(std::string(tokens_.peek().text));
    if (found == scope_.axes.end()) tokens_.refuse("an axis");
    tokens_.take();
    return found->second;
  }

  const Expr* call() {
    const Token function = tokens_.take();
    tokens_.expect("(");
    if (const std::optional<DType> dtype = dtypeFromName(function.text)) return typed(function, *dtype);
    const Op op = opFromName(function.text);
    if (op == Op::Const || op == Op::Cast) TokenReader::refuseAt(function, "a dtype or an operation");
    std::vector<const Expr*> operands{parse(comparisonLevel)};
    while (tokens_.accept(",")) operands.push_back(parse(comparisonLevel));
    tokens_.expect(")");
    return make(function, op, std::move(operands));
  }

  /// After `f32(`: a constant or a cast.
  const Expr* typed(const Token& where, DType dtype) {
    const size_t sign = tokens_.at("-") ? 1 : 0;
    const bool isNumber = tokens_.peek(sign).kind == Token::Kind::Number || tokens_.at("inf", sign) || tokens_.at("nan", sign);
    const Expr* result = nullptr;
    if (isNumber && tokens_.at(")", sign + 1)) {
      result = constant(where, dtype, tokens_.accept("-"));
    } else {
      const Expr* operand = parse(comparisonLevel);
      result = checked(where, [&] { return scope_.pool.cast(dtype, operand); });
    }
    tokens_.expect(")");
    return result;
  }

  const Expr* constant(const Token& where, DType dtype, bool isNegative) {
    const Token token = tokens_.take();
    if (!isFloating(dtype)) return integerConstant(token, dtype, isNegative);
    double value = 0;
    if (token.kind == Token::Kind::Word)
      value = token.text == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else
      value = dtype == DType::F64 ? readFloating<double>(token) : static_cast<double>(readFloating<float>(token));
    return checked(where, [&] { return scope_.pool.constant(dtype, isNegative ? -value : value); });
  }

  const Expr* integerConstant(const Token& token, DType dtype, bool isNegative) {
    uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), magnitude);
    const bool isWhole = error == std::errc{} && end == token.text.data() + token.text.size();
    const auto value = static_cast<int64_t>(isNegative ? -magnitude : magnitude);
    const bool isHeld = !isComplex(dtype) && scope_.pool.integer(dtype, value)->integer() == value;
    const bool hasSign = dtype == DType::U64 ? !isNegative || magnitude == 0 : magnitude == 0 || isNegative == (value < 0);
    if (!isWhole || !isHeld || !hasSign) TokenReader::refuseAt(token, fmt::format("a value of {}", ir::name(dtype)));
    return scope_.pool.integer(dtype, value);
  }

  const Expr* make(const Token& where, Op op, std::vector<const Expr*> operands) {
    return checked(where, [&] { return scope_.pool.make(op, std::move(operands)); });
  }

  /// What the pool refuses is the text's mistake here.
  template <typename Make>
  const Expr* checked(const Token& where, Make&& build) const {
    try {
      return build();
    } catch (const Error& error) {
      TokenReader::refuseAt(where, "operands that fit", error.what());
    }
  }

  TokenReader& tokens_;
  const ParseScope& scope_;
  int depth_ = 0;
};

}  // namespace

const Expr* parseExpr(TokenReader& tokens, const ParseScope& scope) { return ExprParser(tokens, scope).parse(comparisonLevel); }

bool parseContiguous(TokenReader& tokens, const ParseScope& scope) {
  const std::string_view text = tokens.peek().text;
  if (!tokens.atWord() || !text.starts_with('x')) return false;
  if (scope.lanes == 0) tokens.refuse("no contiguous access outside lanes");
  tokens.expect(fmt::format("x{}", scope.lanes));
  return true;
}

Op parseReduction(TokenReader& tokens) {
  const Op op = tokens.atWord() ? opFromName(tokens.peek().text) : Op::Const;
  if (!isReduction(op)) tokens.refuse("an operation that combines values");
  tokens.take();
  return op;
}

int parseBufferName(TokenReader& tokens, const ParseScope& scope) {
  for (size_t i = 0; i < scope.buffers.size(); ++i) {
    if (tokens.atWord() && scope.buffers[i]->name == tokens.peek().text) {
      tokens.take();
      return static_cast<int>(i);
    }
  }
  tokens.refuse("a buffer");
}

bool atBuffer(const TokenReader& tokens) {
  const bool isKind = tokens.at("in") || tokens.at("out") || tokens.at("inout") || tokens.at("part") || tokens.at("unused");
  return isKind && tokens.atWord(1);
}

Buffer parseBuffer(TokenReader& tokens) {
  const std::string kind = tokens.word("in, out, inout, part or unused");
  Buffer buffer;
  buffer.name = tokens.word("a name");
  buffer.type = tokens.tensorType();
  buffer.isRead = kind == "in" || kind == "inout";
  buffer.isPart = kind == "part";
  buffer.isWritten = kind == "out" || kind == "inout" || buffer.isPart;
  return buffer;
}

}  // namespace ir
