#include "runtime/contenders/kernels/functions.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "ir/error.h"

namespace runtime {
namespace {

using ir::Scalar;
using ir::TensorType;

constexpr std::array<std::pair<std::string_view, std::size_t>, 5> argumentTypes{
    {{"bool", 1}, {"int", 4}, {"long", 8}, {"float", 4}, {"double", 8}}};

/// A function of a tensor's type, and of one of its dimensions where it has two operands.
struct TensorFunction {
  std::string_view name;
  std::size_t operands;
  int64_t (*apply)(const TensorType& type, std::size_t dimension);
};

constexpr std::array<TensorFunction, 6> tensorFunctions{{
    {"size", 2, [](const TensorType& type, std::size_t dimension) { return type.sizes[dimension]; }},
    {"stride", 2, [](const TensorType& type, std::size_t dimension) { return type.strides[dimension]; }},
    {"numel", 1, [](const TensorType& type, std::size_t) { return type.numel(); }},
    {"dim", 1, [](const TensorType& type, std::size_t) { return type.rank(); }},
    {"element_size", 1, [](const TensorType& type, std::size_t) { return ir::sizeOf(type.dtype); }},
    {"is_contiguous", 1, [](const TensorType& type, std::size_t) { return int64_t{type.isContiguous()}; }},
}};

/// Whole numbers give nothing where the result does not fit into 64 bits, or is divided by 0.
using Whole = std::optional<int64_t>;

bool canDivide(int64_t a, int64_t b) { return b != 0 && !(b == -1 && a == std::numeric_limits<int64_t>::min()); }

/// A function of two numbers: a whole one of whole ones, else a floating one.
struct BinaryFunction {
  std::string_view name;
  Whole (*ofWhole)(int64_t a, int64_t b);
  double (*ofReal)(double a, double b);
  bool isWhole = false;  ///< whether it is a whole number of floating ones, too
};

constexpr std::array<BinaryFunction, 14> binaryFunctions{{
    {"+",
     [](int64_t a, int64_t b) {
       int64_t sum = 0;
       return __builtin_add_overflow(a, b, &sum) ? Whole() : Whole(sum);
     },
     [](double a, double b) { return a + b; }},
    {"-",
     [](int64_t a, int64_t b) {
       int64_t difference = 0;
       return __builtin_sub_overflow(a, b, &difference) ? Whole() : Whole(difference);
     },
     [](double a, double b) { return a - b; }},
    {"*",
     [](int64_t a, int64_t b) {
       int64_t product = 0;
       return __builtin_mul_overflow(a, b, &product) ? Whole() : Whole(product);
     },
     [](double a, double b) { return a * b; }},
    {"/", [](int64_t a, int64_t b) { return canDivide(a, b) ? Whole(a / b) : Whole(); },
     [](double a, double b) { return a / b; }},
    {"%", [](int64_t a, int64_t b) { return canDivide(a, b) ? Whole(a % b) : Whole(); },
     [](double a, double b) { return std::fmod(a, b); }},
    {"ceil_div",
     [](int64_t a, int64_t b) { return canDivide(a, b) ? Whole(a / b + int64_t{a % b != 0 && (a < 0) == (b < 0)}) : Whole(); },
     [](double a, double b) { return std::ceil(a / b); }},
    {"min", [](int64_t a, int64_t b) { return Whole(std::min(a, b)); }, [](double a, double b) { return std::min(a, b); }},
    {"max", [](int64_t a, int64_t b) { return Whole(std::max(a, b)); }, [](double a, double b) { return std::max(a, b); }},
    {"==", [](int64_t a, int64_t b) { return Whole(a == b); }, [](double a, double b) { return double(a == b); }, true},
    {"!=", [](int64_t a, int64_t b) { return Whole(a != b); }, [](double a, double b) { return double(a != b); }, true},
    {"<", [](int64_t a, int64_t b) { return Whole(a < b); }, [](double a, double b) { return double(a < b); }, true},
    {">", [](int64_t a, int64_t b) { return Whole(a > b); }, [](double a, double b) { return double(a > b); }, true},
    {"<=", [](int64_t a, int64_t b) { return Whole(a <= b); }, [](double a, double b) { return double(a <= b); }, true},
    {">=", [](int64_t a, int64_t b) { return Whole(a >= b); }, [](double a, double b) { return double(a >= b); }, true},
}};

/// The function of a name among others; null where there is none.
template <typename Functions>
const auto* find(const Functions& functions, std::string_view name) {
  const auto found = std::find_if(functions.begin(), functions.end(), [&](const auto& one) { return one.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

double real(const Scalar& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Scalar apply(const TensorFunction& function, const Expression& application, const Names& names) {
  const Expression& name = application.operands[0];
  if (name.kind != Expression::Kind::Name) refuse(name, fmt::format("`{}` is no tensor", name.text));
  const TensorType& type = names.tensor(name);
  if (function.operands == 1) return function.apply(type, 0);
  const Expression& dimension = application.operands[1];
  const int64_t given = evaluateWhole(dimension, names), from0 = given < 0 ? given + type.rank() : given;
  if (from0 < 0 || from0 >= type.rank())
    refuse(dimension, fmt::format("'{}' has {} dimensions, none of number {}", name.word, type.rank(), given));
  return function.apply(type, static_cast<std::size_t>(from0));
}

Scalar apply(const BinaryFunction& function, const Expression& application, const Names& names) {
  const Scalar a = evaluate(application.operands[0], names), b = evaluate(application.operands[1], names);
  const bool areWhole = std::holds_alternative<int64_t>(a) && std::holds_alternative<int64_t>(b);
  if (!areWhole) {
    const double result = function.ofReal(real(a), real(b));
    return function.isWhole ? Scalar(int64_t{result != 0}) : Scalar(result);
  }
  const Whole result = function.ofWhole(std::get<int64_t>(a), std::get<int64_t>(b));
  if (!result) refuse(application, fmt::format("`{}` divides by 0, or takes more than 64 bits", application.text));
  return *result;
}

Scalar negative(const Expression& operand, const Names& names) {
  const Scalar number = evaluate(operand, names);
  if (const double* floating = std::get_if<double>(&number)) return -*floating;
  const int64_t whole = std::get<int64_t>(number);
  if (whole == std::numeric_limits<int64_t>::min()) refuse(operand, "its negative takes more than 64 bits");
  return -whole;
}

}  // namespace

std::optional<ArgumentType> argumentTypeFromName(std::string_view word) {
  for (std::size_t i = 0; i < argumentTypes.size(); ++i)
    if (argumentTypes.at(i).first == word) return static_cast<ArgumentType>(i);
  return std::nullopt;
}

std::string_view name(ArgumentType type) { return argumentTypes.at(static_cast<std::size_t>(type)).first; }

std::size_t sizeOf(ArgumentType type) { return argumentTypes.at(static_cast<std::size_t>(type)).second; }

std::string whyNoApplication(const Expression& application) {
  const std::string& name = application.word;
  std::size_t wanted = 2;
  if (const TensorFunction* function = find(tensorFunctions, name)) {
    wanted = function->operands;
  } else if (argumentTypeFromName(name)) {
    wanted = 1;
  } else if (find(binaryFunctions, name) == nullptr) {
    std::vector<std::string_view> known;
    for (const TensorFunction& one : tensorFunctions) known.push_back(one.name);
    for (const BinaryFunction& one : binaryFunctions)
      if (std::isalpha(static_cast<unsigned char>(one.name[0])) != 0) known.push_back(one.name);
    for (const auto& [type, bytes] : argumentTypes) known.push_back(type);
    return fmt::format("unknown function '{}'; choose from {}", name, fmt::join(known, ", "));
  }
  if (application.operands.size() == wanted) return "";
  return fmt::format("{}() takes {} operand{}, not {}", name, wanted, wanted == 1 ? "" : "s", application.operands.size());
}

ir::Scalar evaluate(const Expression& expression, const Names& names) {
  switch (expression.kind) {
    case Expression::Kind::Number: return expression.number;
    case Expression::Kind::Name: return names.number(expression);
    case Expression::Kind::Apply: break;
  }
  if (const TensorFunction* function = find(tensorFunctions, expression.word)) return apply(*function, expression, names);
  if (const BinaryFunction* function = find(binaryFunctions, expression.word)) return apply(*function, expression, names);
  if (expression.word == "negative") return negative(expression.operands[0], names);
  const bool isAnd = expression.word == "&&";
  ir::require(isAnd || expression.word == "||", "{}() is evaluated", expression.word);
  for (const Expression& operand : expression.operands)
    if (isTrue(evaluate(operand, names)) != isAnd) return int64_t{!isAnd};
  return int64_t{isAnd};
}

bool isTrue(const ir::Scalar& number) { return real(number) != 0; }

int64_t evaluateWhole(const Expression& expression, const Names& names) {
  const Scalar number = evaluate(expression, names);
  if (const int64_t* whole = std::get_if<int64_t>(&number)) return *whole;
  refuse(expression, fmt::format("`{}` is {}, no whole number", expression.text, std::get<double>(number)));
}

void refuse(const Expression& expression, const std::string& why) {
  ir::fail(ir::ErrorKind::Unsupported, "{}: {}", toText(expression.place), why);
}

}  // namespace runtime
