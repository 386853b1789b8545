#include "runtime/contenders/kernels/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include "ir/error.h"
#include "runtime/contenders/kernels/functions.h"

namespace runtime {
namespace {

/// Operators of two operands, by how tightly they bind, loosest first; in a level those first that another one begins.
constexpr std::array<std::array<std::string_view, 6>, 5> operators{{
    {"||"},
    {"&&"},
    {"==", "!=", "<=", ">=", "<", ">"},
    {"+", "-"},
    {"*", "/", "%"},
}};

bool isOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// A parser by recursive descent over one text.
class ExpressionParser {
 public:
  explicit ExpressionParser(const PlacedText& placed) : placed_(placed), text_(placed.text()) {}

  std::vector<Expression> list() {
    std::vector<Expression> expressions;
    if (isAtEnd()) return expressions;
    do expressions.push_back(binary(0));
    while (take(","));
    if (!isAtEnd()) fail("expected an operator or a comma");
    return expressions;
  }

 private:
  Expression binary(std::size_t level) {
    if (level == operators.size()) return unary();
    const std::size_t begin = start();
    Expression left = binary(level + 1);
    for (std::string_view found = operatorOf(level); !found.empty(); found = operatorOf(level)) {
      Expression both{Expression::Kind::Apply, {}, std::string(found), {}, {}, {}};
      both.operands.push_back(std::move(left));
      both.operands.push_back(binary(level + 1));
      left = ended(std::move(both), begin);
    }
    return left;
  }

  Expression unary() {
    constexpr int deepest = 64;
    if (++depth_ > deepest) fail(fmt::format("an expression is nested more than {} deep", deepest));
    const std::size_t begin = start();
    Expression found;
    if (take("-")) {
      found = {Expression::Kind::Apply, {}, "negative", {}, {}, {}};
      found.operands.push_back(unary());
    } else if (take("(")) {
      found = binary(0);
      expect(")");
    } else if (begin < text_.size() && (isDigit(text_[begin]) || text_[begin] == '.')) {
      found.number = number();
    } else {
      found = named();
    }
    --depth_;
    return ended(std::move(found), begin);
  }

  /// A whole number of 64 bits, or a floating one where it has a point or an exponent.
  ir::Scalar number() {
    const char *const begin = text_.data() + at_, *const end = text_.data() + text_.size();
    const auto isOfNumber = [&](const char* c) {
      const bool isSign = (*c == '-' || *c == '+') && c > begin && (c[-1] == 'e' || c[-1] == 'E');
      return isOfWord(*c) || *c == '.' || isSign;
    };
    const char* last = begin;
    while (last < end && isOfNumber(last)) ++last;
    const std::string_view word(begin, static_cast<std::size_t>(last - begin));
    int64_t whole = 0;
    double real = 0;
    const auto isAll = [&](std::from_chars_result result) { return result.ec == std::errc() && result.ptr == last; };
    const bool isWhole = isAll(std::from_chars(begin, last, whole));
    if (!isWhole && (word.find_first_of(".eE") == std::string_view::npos || !isAll(std::from_chars(begin, last, real))))
      fail(fmt::format("'{}' is no number of 64 bits", word));
    at_ += word.size();
    return isWhole ? ir::Scalar(whole) : ir::Scalar(real);
  }

  /// A name, one of a list's items, or a function of operands.
  Expression named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isOfWord(text_[at_])) ++at_;
    Expression found{Expression::Kind::Name, {}, text_.substr(begin, at_ - begin), {}, {}, {}};
    if (found.word.empty()) fail("expected a number, a name or a function");
    if (take("[")) {
      start();
      const std::size_t digits = at_;
      while (at_ < text_.size() && isDigit(text_[at_])) ++at_;
      if (at_ == digits) fail("expected the number of an item");
      found.word += fmt::format("[{}]", text_.substr(digits, at_ - digits));
      expect("]");
    } else if (take("(")) {
      found.kind = Expression::Kind::Apply;
      if (!take(")")) {
        do found.operands.push_back(binary(0));
        while (take(","));
        expect(")");
      }
      if (std::string why = whyNoApplication(found); !why.empty()) {
        at_ = begin;
        fail(why);
      }
    }
    return found;
  }

  /// The operator of a level that comes next, which is taken; nothing where there is none.
  std::string_view operatorOf(std::size_t level) {
    for (const std::string_view word : operators.at(level))
      if (!word.empty() && take(word)) return word;
    return {};
  }

  Expression ended(Expression expression, std::size_t begin) const {
    expression.place = placed_.at(begin);
    expression.text = text_.substr(begin, at_ - begin);
    return expression;
  }

  /// Where the next word begins.
  std::size_t start() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_;
  }
  bool isAtEnd() { return start() == text_.size(); }
  bool take(std::string_view word) {
    const std::size_t before = at_;
    const bool isThere = std::string_view(text_).substr(start()).starts_with(word);
    at_ = isThere ? at_ + word.size() : before;
    return isThere;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail(fmt::format("expected '{}'", word));
  }
  [[noreturn]] void fail(const std::string& message) {
    const std::size_t begin = start();
    std::size_t end = begin;
    while (end < text_.size() && isOfWord(text_[end])) ++end;
    if (end == begin && end < text_.size()) ++end;
    const std::string found =
        message.starts_with("expected")
            ? begin == text_.size() ? ", found the end" : fmt::format(", found '{}'", text_.substr(begin, end - begin))
            : "";
    ir::fail(ir::ErrorKind::Input, "{}: {}{}", toText(placed_.at(begin)), message, found);
  }

  const PlacedText& placed_;
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Refuses types where they are none of an argument's.
void refuseTypes(const Expression& expression, Typed typed) {
  if (typed == Typed::No && expression.kind == Expression::Kind::Apply && argumentTypeFromName(expression.word))
    ir::fail(ir::ErrorKind::Input, "{}: {}() is the type of an argument, and stands outermost in `arguments` alone",
             toText(expression.place), expression.word);
  for (const Expression& operand : expression.operands) refuseTypes(operand, Typed::No);
}

}  // namespace

std::vector<Expression> parseExpressions(const PlacedText& text, Typed typed) {
  if (text.text().empty()) return {};
  std::vector<Expression> expressions = ExpressionParser(text).list();
  for (const Expression& expression : expressions) refuseTypes(expression, typed);
  return expressions;
}

}  // namespace runtime
