// Expressions of kernels' files: what they are worth, and what is refused where.
#include "runtime/contenders/kernels/expression.h"

#include <doctest/doctest.h>

#include <limits>
#include <map>

#include "runtime/contenders/kernels/functions.h"
#include "tests/refusal.h"

namespace {

using ir::ErrorKind;
using runtime::Expression;
using runtime::Typed;
using tests::refusal;

/// A tensor `self` of f16, 2 x 3 x 5, transposed; `dim` is -1 and `eps` 0.5.
class SomeNames : public runtime::Names {
 public:
  const ir::TensorType& tensor(const Expression& name) const override {
    if (name.word != "self") runtime::refuse(name, "no tensor");
    return self_;
  }
  ir::Scalar number(const Expression& name) const override {
    if (name.word == "dim") return int64_t{-1};
    if (name.word == "dims[1]") return int64_t{7};
    if (name.word == "eps") return 0.5;
    runtime::refuse(name, "no number");
  }

 private:
  const ir::TensorType self_{ir::DType::F16, {2, 3, 5}, {1, 2, 6}};
};

/// A text that stands in the fourth line of a file, from its tenth column on.
std::vector<Expression> parsed(std::string_view text, Typed typed = Typed::No) {
  runtime::PlacedText placed;
  placed.append(text, {"a.cu", 4, 10});
  return runtime::parseExpressions(placed, typed);
}

ir::Scalar valueOf(std::string_view text) {
  const std::vector<Expression> expressions = parsed(text);
  REQUIRE(expressions.size() == 1);
  return runtime::evaluate(expressions[0], SomeNames());
}

int64_t whole(std::string_view text) {
  CAPTURE(text);
  const ir::Scalar value = valueOf(text);
  REQUIRE(std::holds_alternative<int64_t>(value));
  return std::get<int64_t>(value);
}

double real(std::string_view text) {
  CAPTURE(text);
  const ir::Scalar value = valueOf(text);
  REQUIRE(std::holds_alternative<double>(value));
  return std::get<double>(value);
}

std::string refused(std::string_view text, Typed typed = Typed::No) {
  return refusal(ErrorKind::Input, [&] { parsed(text, typed); });
}

std::string unsupported(std::string_view text) {
  return refusal(ErrorKind::Unsupported, [&] { valueOf(text); });
}

TEST_CASE("operators bind as in C++") {
  CHECK(whole("1 + 2 * 3") == 7);
  CHECK(whole("(1 + 2) * 3") == 9);
  CHECK(whole("20 - 3 - 2") == 15);
  CHECK(whole("24 / 4 / 2") == 3);
  CHECK(whole("7 % 4 * 2") == 6);
  CHECK(whole("-2 * -3") == 6);
  CHECK(whole("1 + 1 == 2 && 3 < 4") == 1);
  CHECK(whole("1 == 2 || 2 >= 2") == 1);
  CHECK(whole("1 == 1 || 1 == 1 && 0 == 1") == 1);
  CHECK(whole("5<=4") == 0);
  CHECK(whole("5 != 4") == 1);
}

TEST_CASE("division of whole numbers rounds towards 0, ceil_div up") {
  CHECK(whole("7 / 2") == 3);
  CHECK(whole("-7 / 2") == -3);
  CHECK(whole("-7 % 2") == -1);
  CHECK(whole("ceil_div(7, 2)") == 4);
  CHECK(whole("ceil_div(8, 2)") == 4);
  CHECK(whole("ceil_div(0, 4)") == 0);
  CHECK(whole("ceil_div(-7, 2)") == -3);
  CHECK(whole("ceil_div(-7, -2)") == 4);
  CHECK(whole("min(3, max(1, 2))") == 2);
}

TEST_CASE("a floating number makes its expression one; comparisons of them are whole") {
  CHECK(real("1.5 * 2") == 3);
  CHECK(real("7 / 2.") == 3.5);
  CHECK(real("-eps") == -0.5);
  CHECK(real("1e-3 + .5") == doctest::Approx(0.501));
  CHECK(real("ceil_div(7., 2)") == 4);
  CHECK(whole("eps < 1") == 1);
}

TEST_CASE("functions of tensors tell of their types") {
  CHECK(whole("size(self, 0)") == 2);
  CHECK(whole("size(self, dim)") == 5);
  CHECK(whole("size( self , -3 )") == 2);
  CHECK(whole("stride(self, -1)") == 6);
  CHECK(whole("numel(self)") == 30);
  CHECK(whole("dim(self) + dim") == 2);
  CHECK(whole("element_size(self)") == 2);
  CHECK(whole("is_contiguous(self)") == 0);
  CHECK(whole("dims[1] + dims[ 1 ]") == 14);
}

TEST_CASE("the second operand of && and || counts only where the first one does not decide") {
  CHECK(whole("dim(self) == 2 && size(self, 7) == 4") == 0);
  CHECK(whole("dim(self) == 3 || size(self, 7) == 4") == 1);
}

TEST_CASE("expressions stand in a list, each with its text and its place") {
  CHECK(parsed("").empty());
  CHECK(parsed("  ").empty());
  const std::vector<Expression> list = parsed("out0, size(self, -1),numel(self) / 2");
  REQUIRE(list.size() == 3);
  CHECK(list[0].word == "out0");
  CHECK(list[1].text == "size(self, -1)");
  CHECK(toText(list[1].place) == "a.cu:4:16");
  CHECK(list[2].text == "numel(self) / 2");
  CHECK(toText(list[2].operands[1].place) == "a.cu:4:45");
}

TEST_CASE("a text of several pieces knows where each of them stands") {
  runtime::PlacedText text;
  text.append("self", {"a.cu", 4, 10});
  text.append(", ", {"a.cu", 5, 3});
  text.append("dim +", {"a.cu", 5, 3});
  CHECK(refusal(ErrorKind::Input, [&] { runtime::parseExpressions(text); }) ==
        "a.cu:5:8: expected a number, a name or a function, found the end");
}

TEST_CASE("what is no expression is refused with its place") {
  CHECK(refused("1 +") == "a.cu:4:13: expected a number, a name or a function, found the end");
  CHECK(refused("1 2") == "a.cu:4:12: expected an operator or a comma, found '2'");
  CHECK(refused("(1") == "a.cu:4:12: expected ')', found the end");
  CHECK(refused("1, , 2") == "a.cu:4:13: expected a number, a name or a function, found ','");
  CHECK(refused("self; rm") == "a.cu:4:14: expected an operator or a comma, found ';'");
  CHECK(refused("$(rm)") == "a.cu:4:10: expected a number, a name or a function, found '$'");
  CHECK(refused("tensors[x]") == "a.cu:4:18: expected the number of an item, found 'x'");
  CHECK(refused("tensors[0") == "a.cu:4:19: expected ']', found the end");
  CHECK(refused("1 = 2") == "a.cu:4:12: expected an operator or a comma, found '='");
  CHECK(refused("12ab") == "a.cu:4:10: '12ab' is no number of 64 bits");
  CHECK(refused("0x10") == "a.cu:4:10: '0x10' is no number of 64 bits");
  CHECK(refused("99999999999999999999") == "a.cu:4:10: '99999999999999999999' is no number of 64 bits");
  CHECK(refused("1.2.3") == "a.cu:4:10: '1.2.3' is no number of 64 bits");
  CHECK(refused("size(self)") == "a.cu:4:10: size() takes 2 operands, not 1");
  CHECK(refused("2 * numel(self, 1)") == "a.cu:4:14: numel() takes 1 operand, not 2");
  CHECK(refused("system(1)").starts_with("a.cu:4:10: unknown function 'system'; choose from size, stride, "));
  CHECK(refused("negative(1)").starts_with("a.cu:4:10: unknown function 'negative'"));
  CHECK(refused(std::string(1000, '(')) == "a.cu:4:74: an expression is nested more than 64 deep");
  CHECK(refused(std::string(1000, '-')) == "a.cu:4:74: an expression is nested more than 64 deep");
}

TEST_CASE("types are of arguments, and outermost") {
  CHECK(parsed("int(dim)", Typed::Yes).at(0).word == "int");
  const std::string reason = "() is the type of an argument, and stands outermost in `arguments` alone";
  CHECK(refused("int(dim)") == "a.cu:4:10: int" + reason);
  CHECK(refused("float(dim) * 2", Typed::Yes) == "a.cu:4:10: float" + reason);
  CHECK(refused("long(2 * bool(1))", Typed::Yes) == "a.cu:4:19: bool" + reason);
}

TEST_CASE("what an expression cannot be in a call is unsupported, with its place") {
  CHECK(unsupported("2 * (1 / 0)") == "a.cu:4:14: `(1 / 0)` divides by 0, or takes more than 64 bits");
  CHECK(unsupported("1 % 0") == "a.cu:4:10: `1 % 0` divides by 0, or takes more than 64 bits");
  CHECK(unsupported("ceil_div(1, 0)") == "a.cu:4:10: `ceil_div(1, 0)` divides by 0, or takes more than 64 bits");
  CHECK(unsupported("9223372036854775807 + 1").find("takes more than 64 bits") != std::string::npos);
  CHECK(unsupported("9223372036854775807 * 2").find("takes more than 64 bits") != std::string::npos);
  CHECK(unsupported("-9223372036854775807 - 2").find("takes more than 64 bits") != std::string::npos);
  CHECK(unsupported("(-9223372036854775807 - 1) / -1").find("takes more than 64 bits") != std::string::npos);
  CHECK(unsupported("-(-9223372036854775807 - 1)").find("takes more than 64 bits") != std::string::npos);
  CHECK(unsupported("size(self, 3)") == "a.cu:4:21: 'self' has 3 dimensions, none of number 3");
  CHECK(unsupported("size(self, -4)") == "a.cu:4:21: 'self' has 3 dimensions, none of number -4");
  CHECK(unsupported("size(self, eps)") == "a.cu:4:21: `eps` is 0.5, no whole number");
  CHECK(unsupported("size(1, 0)") == "a.cu:4:15: `1` is no tensor");
  CHECK(unsupported("1 + axis") == "a.cu:4:14: no number");
}

}  // namespace
