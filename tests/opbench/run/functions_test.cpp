// Elementary and special functions against ATen, one line an operator, and at the numbers where they are special.
#include <ATen/ops/tensor.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/golden.h"
#include "tests/opbench/run/operators.h"
#include "tests/runtime/cpu/cpus.h"

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), noNumber = std::numeric_limits<double>::quiet_NaN();

/// Numbers in place of the first elements of an argument.
tests::Edit withNumbers(std::size_t argument, const std::vector<double>& numbers) {
  return [=](const std::vector<at::Tensor>& tensors) {
    const auto count = static_cast<int64_t>(numbers.size());
    tensors[argument].narrow(0, 0, count).copy_(at::tensor(numbers, at::kDouble));
  };
}

/// Numbers, for each operand, and what a function is of them, rounded to f64.
struct Points {
  std::vector<std::vector<double>> operands;
  std::vector<double> values;
};
std::map<std::string, Points> pointsOfFunctions() {
  std::map<std::string, Points> all;
  std::istringstream text(tests::goldenText("function_values.txt"));
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<double> numbers;
    for (std::string number; words >> number;) numbers.push_back(std::strtod(number.c_str(), nullptr));
    Points& points = all[name];
    points.values.push_back(numbers.back());
    points.operands.resize(numbers.size() - 1);
    for (size_t i = 0; i + 1 < numbers.size(); ++i) points.operands[i].push_back(numbers[i]);
  }
  return all;
}

/// The most units in the last place that a function may err by.
struct ErrorBound {
  const char* name;
  double f32, f64;
};
constexpr ErrorBound errorBounds[]{
    {"exp", 1, 4},
    {"expm1", 1.5, 4},
    {"exp2", 4, 4},
    {"log", 1, 4},
    {"log2", 2, 4},
    {"log10", 4, 4},
    {"log1p", 1, 4},
    {"sin", 2, 4},
    {"cos", 2, 4},
    {"tan", 4, 4},
    {"asin", 4, 4},
    {"acos", 4, 4},
    {"atan", 4, 4},
    {"sinh", 4, 4},
    {"cosh", 4, 4},
    {"tanh", 2.5, 4},
    {"asinh", 4, 4},
    {"acosh", 4, 4},
    {"atanh", 4, 4},
    {"erf", 1.5, 4},
    {"erfc", 4, 4},
    {"special_erfcx", 6, 4},
    {"erfinv", 3, 4},
    {"special_ndtri", 5, 4},
    {"special_log_ndtr", 10, 20},
    {"lgamma", 4, 4},
    {"digamma", 1, 12},
    {"i0", 1, 8},
    {"special_i0e", 1, 8},
    {"special_i1", 1, 8},
    {"special_i1e", 1, 8},
    {"special_modified_bessel_k0", 1, 8},
    {"special_modified_bessel_k1", 1, 8},
    {"special_scaled_modified_bessel_k0", 1, 8},
    {"special_scaled_modified_bessel_k1", 1, 8},
    {"special_bessel_j0", 1, 4},
    {"special_bessel_j1", 1, 4},
    {"special_bessel_y0", 1, 4},
    {"special_bessel_y1", 1, 4},
    {"special_spherical_bessel_j0", 1, 4},
    {"sinc", 4, 6},
    {"igamma", 1, 32},
    {"igammac", 1, 48},
    {"special_chebyshev_polynomial_t", 1, 6},
    {"special_hermite_polynomial_h", 1, 6},
    {"special_laguerre_polynomial_l", 1, 6},
    {"special_legendre_polynomial_p", 1, 6},
};

constexpr std::string_view aboutFunctions = R"(# Functions: how precise they are

The largest errors of generated functions on a CPU, in units in the last place (ULP) of the result, at numbers of their whole domain.
A test compares them with values of 50 digits (`tests/golden/function_values.txt`), and fails where one errs by more than this page
says.

- f16 and bf16 are computed in f32 and rounded once.
- Functions of libraries are libm's and libmvec's on a CPU and those of CUDA's library on a GPU, whose manual says how far they err
  there. Near their zeros, where a unit in the last place becomes small, `lgamma` and Bessel functions err by more units.
- All others are computed the same way on CPUs and GPUs. Bessel functions, `digamma`, `polygamma`, `special_zeta`, incomplete gamma
  functions and orthogonal polynomials are computed in f64. Near the zeros of polynomials a unit becomes small as well.

| function | f32 | f64 |
| --- | ---: | ---: |
)";

/// The largest error at some points, in units in the last place of a dtype with so many bits of mantissa.
double largestError(const Points& points, const std::vector<double>& found, int bits, int leastExponent) {
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double unit =
        std::ldexp(1.0, std::max(points.values[i] == 0 ? leastExponent : std::ilogb(points.values[i]), leastExponent) - bits);
    largest = std::max(largest, std::abs(found[i] - points.values[i]) / unit);
  }
  return largest;
}

TEST_CASE("functions err by no more than docs/functions.md says") {
  const std::map<std::string, Points> all = pointsOfFunctions();
  std::string rows;
  const std::vector<ir::Target> cpus = tests::cpusAtHand();
  for (const auto& [name, f32, f64] : errorBounds) {
    const Points& points = all.at(name);
    const std::string op = fmt::format("aten.{}.default", name);
    for (const ir::Target& cpu : cpus) {
      const double ofF32 = largestError(points, tests::computed(op, ir::DType::F32, points.operands, cpu), 23, -126);
      const double ofF64 = largestError(points, tests::computed(op, ir::DType::F64, points.operands, cpu), 52, -1022);
      CHECK_MESSAGE(ofF32 <= f32, name, " on ", cpu.arch, ": ", ofF32, " units of f32");
      CHECK_MESSAGE(ofF64 <= f64, name, " on ", cpu.arch, ": ", ofF64, " units of f64");
    }
    rows += fmt::format("| `{}` | {} | {} |\n", name, f32, f64);
  }
  tests::checkGolden("../../docs/functions.md", std::string(aboutFunctions) + rows);
}

TEST_CASE_FIXTURE(tests::Operators, "functions of libraries") {
  compare("aten.tan.default", "((T([37], f16),), {})");
  compare("aten.lgamma.default", "((T([37], f16),), {})");
  compare("aten.atan2.default", "((T([7, 5], f16), T([5], f16)), {})");
  compare("aten.hypot.default", "((T([35], f64), T([35], f64)), {})");
  compare("aten.asin.default", "((T([12], i64),), {})");
  compare("aten.tan_.default", "((T([12], f16),), {})");
  for (const char* op : {"special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1"}) {
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([9], i64),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})",
            withNumbers(0, {0, infinity, -infinity, 5, -5, noNumber}));
  }
}

TEST_CASE_FIXTURE(tests::Operators, "functions of libraries where they are special") {
  const tests::Edit special = withNumbers(0, {0, -0.0, 1, -1, 2, -2, infinity, -infinity, noNumber, 1e-30, 88, -104});
  for (const char* op :
       {"acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh", "tan", "exp2", "log10", "erfc", "lgamma"}) {
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})", special);
    compare(fmt::format("aten.{}.default", op), "((T([37], f64),), {})", special);
  }
}

TEST_CASE_FIXTURE(tests::Operators, "functions that are made of others") {
  for (const char* op : {"special_entr", "sinc", "logit", "deg2rad", "rad2deg", "angle", "frac"})
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})");
  compare("aten.logit.default", "((T([37], f16), 0.2), {})");
  compare("aten.logit_backward.default", "((T([37], f16), T([37], f16)), {})");
  compare("aten.logit_backward.default", "((T([37], f16), T([37], f16), 0.2), {})");
  compare("aten.xlogy.Tensor", "((T([37], f16), T([37], f16)), {})");
  compare("aten.xlogy.Scalar_Other", "((T([37], f16), 3.5), {})");
  compare("aten.special_xlog1py.default", "((T([7, 5], f16), T([5], f16)), {})");
  compare("aten.logaddexp.default", "((T([37], f32), T([37], f32)), {})");
  compare("aten.logaddexp2.default", "((T([37], f32), T([37], f32)), {})");
  compare("aten.lerp.Scalar", "((T([37], f16), T([37], f16), 0.3), {})");
  compare("aten.lerp.Tensor", "((T([7, 5], f16), T([5], f16), T([7, 1], f16)), {})");
  compare("aten.lerp_.Tensor", "((T([7, 5], f32), T([7, 5], f32), T([7, 5], f32)), {})");
  compare("aten.ldexp.Tensor", "((T([37], f32), T([37], i64)), {})");
  compare("aten.ldexp.Tensor", "((T([37], f16), T([37], f16)), {})");
  compare("aten.frexp.Tensor", "((T([37], f32),), {})");
  compare("aten.frexp.Tensor", "((T([37], f64),), {})");
}

TEST_CASE_FIXTURE(tests::Operators, "x log y is 0 where x is, but for NaN") {
  const tests::Edit special = [](const std::vector<at::Tensor>& tensors) {
    withNumbers(0, {0, 0, 0, 0, noNumber, 1, 1})(tensors);
    withNumbers(1, {0, infinity, noNumber, -1, 0, 0, -1})(tensors);
  };
  compare("aten.xlogy.Tensor", "((T([9], f32), T([9], f32)), {})", special);
  compare("aten.special_xlog1py.default", "((T([9], f32), T([9], f32)), {})", special);
  compare("aten.special_entr.default", "((T([9], f32),), {})", withNumbers(0, {0, -0.0, -1, infinity, noNumber, 1}));
}

TEST_CASE_FIXTURE(tests::Operators, "a number is taken apart whatever its magnitude") {
  const std::vector<double> numbers{0, -0.0, 1, -1, 0.5, 0.49999997, 1e-45, -3e38, 1e-38, infinity, noNumber};
  compare("aten.frexp.Tensor", "((T([12], f32),), {})", withNumbers(0, numbers));
  compare("aten.frexp.Tensor", "((T([12], f64),), {})", withNumbers(0, {5e-324, 1.7e308, -2.3e-308, 1023, 1024, 0}));
}

TEST_CASE_FIXTURE(tests::Operators, "error functions, their inverses, and the normal distribution's") {
  for (const char* op : {"special_erfcx", "erfinv", "special_ndtri", "special_log_ndtr"}) {
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([37], f64),), {})");
  }
  const tests::Edit inverse = withNumbers(0, {0, -0.0, 1, -1, 0.75, -0.75, 0.9999999, 1e-30, 1.5, noNumber, 0.25, 0.5});
  compare("aten.erfinv.default", "((T([37], f32),), {})", inverse);
  compare("aten.erfinv.default", "((T([37], f64),), {})", inverse);
  const tests::Edit quantiles = withNumbers(0, {0, 1, 0.5, 0.125, 0.875, 1e-30, 1e-300, -0.1, 1.1, noNumber});
  compare("aten.special_ndtri.default", "((T([37], f32),), {})", quantiles);
  compare("aten.special_ndtri.default", "((T([37], f64),), {})", quantiles);
  const tests::Edit tails = withNumbers(0, {-1, -30, 30, infinity, -infinity, noNumber, 0, -0.999, 1000, -5});
  compare("aten.special_erfcx.default", "((T([37], f64),), {})", tails);
  compare("aten.special_log_ndtr.default", "((T([37], f64),), {})", tails);
}

TEST_CASE_FIXTURE(tests::Operators, "Bessel functions") {
  for (const char* op :
       {"i0", "special_i0e", "special_i1", "special_i1e", "special_modified_bessel_i0", "special_modified_bessel_i1",
        "special_modified_bessel_k0", "special_modified_bessel_k1", "special_scaled_modified_bessel_k0",
        "special_scaled_modified_bessel_k1", "special_spherical_bessel_j0"}) {
    const tests::Edit far = withNumbers(0, {0, 8, -8, 8.5, 2, 2.5, 30, -30, 0.01, 700, noNumber});
    compare(fmt::format("aten.{}.default", op), "((T([37], f32),), {})");
    compare(fmt::format("aten.{}.default", op), "((T([37], f64),), {})", far);
  }
}

TEST_CASE_FIXTURE(tests::Operators, "the gamma function's derivatives, and the zeta function") {
  const tests::Edit both = withNumbers(0, {1.4616321449683623, 0.5, 1, 2, 3, 8.9, 9.1, 100, -0.5, -3.25, -20.75, 1e-3});
  compare("aten.digamma.default", "((T([37], f32),), {})", both);
  compare("aten.digamma.default", "((T([37], f64),), {})", both);
  compare("aten.digamma_.default", "((T([37], f32),), {})");
  compare("aten.digamma.default", "((T([9], f32),), {})", withNumbers(0, {0, -0.0, -1, -2, infinity, noNumber}));
  for (const char* n : {"0", "1", "2", "3"})
    compare("aten.polygamma.default", fmt::format("(({}, T([37], f64)), {{}})", n), both);
  compare("aten.mvlgamma.default", "((T([37], f32), 1), {})");
  compare("aten.mvlgamma.default", "((T([37], f64), 3), {})", withNumbers(0, {1.5, 2, 3.5, 40}));
  const tests::Edit ofZeta = [](const std::vector<at::Tensor>& tensors) {
    withNumbers(0, {2, 3, 1, 0.5, 2.5, 2, 3, 30, 4, 2.5})(tensors);
    withNumbers(1, {1, 0.5, 1, 1, -0.5, -0.5, -7.25, 0.001, 0, 100})(tensors);
  };
  compare("aten.special_zeta.default", "((T([37], f64), T([37], f64)), {})", ofZeta);
  compare("aten.special_zeta.default", "((T([37], f32), T([37], f32)), {})", ofZeta);
}

TEST_CASE_FIXTURE(tests::Operators, "signs, steps and extremes of numbers that may be none") {
  const tests::Edit special = withNumbers(0, {0, -0.0, infinity, -infinity, noNumber, -noNumber, 1, -1});
  for (const char* op : {"signbit", "isposinf", "isneginf", "nan_to_num", "angle"}) {
    compare(fmt::format("aten.{}.default", op), "((T([37], f16),), {})", special);
    compare(fmt::format("aten.{}.default", op), "((T([37], f64),), {})", special);
  }
  compare("aten.signbit.default", "((T([9], i64),), {})");
  compare("aten.signbit.default", "((T([9], u8),), {})");
  compare("aten.nan_to_num.default", "((T([37], f32), 2.5, 3.0, -4.0), {})", special);
  compare("aten.nan_to_num.default", "((T([37], i64),), {})");
  compare("aten.fmax.default", "((T([37], f16), T([37], f16)), {})", special);
  compare("aten.fmin.default", "((T([37], f32), T([37], f32)), {})", special);
  compare("aten.fmin.default", "((T([7], i64), T([7], i64)), {})");
  compare("aten.copysign.Tensor", "((T([37], f16), T([37], f16)), {})", special);
  compare("aten.copysign.Scalar", "((T([37], f16), -2.0), {})", special);
  compare("aten.heaviside.default", "((T([37], f16), T([37], f16)), {})", special);
  compare("aten.heaviside.default", "((T([7], i64), T([7], i64)), {})");
  for (const char* decimals : {"0", "3", "-2"})
    compare("aten.round.decimals", fmt::format("((T([37], f32),), {{'decimals': {}}})", decimals));
}

TEST_CASE_FIXTURE(tests::Operators,
                  "polynomials of each degree, at the ends of their intervals, and where degrees are negative") {
  const tests::Edit ends = [](const std::vector<at::Tensor>& tensors) {
    withNumbers(0, {1, -1, 0, 1, -1, 0, 0.25, -0.75, 1.5, -2, 3, infinity, 0.5})(tensors);
    withNumbers(1, {4, 5, 5, 0, 0, 0, 15, 12, 9, 7, 3, 2, -1})(tensors);
  };
  for (const char* name : {"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
                           "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
                           "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
                           "laguerre_polynomial_l", "legendre_polynomial_p"}) {
    const std::string op = fmt::format("aten.special_{}.default", name);
    compare(op, "((T([37], f32), T([37], f32)), {})", ends);
    compare(op, "((T([7, 1], i64), T([5], i64)), {})");
  }
  compare("aten.special_legendre_polynomial_p.n_scalar", "((T([37], f32), 5), {})");
}

TEST_CASE_FIXTURE(tests::Operators,
                  "incomplete gamma functions: both sides of their largest term, large orders, and the ends of their domains") {
  const tests::Edit ends = [](const std::vector<at::Tensor>& tensors) {
    withNumbers(0, {0.5, 0.5, 9, 11, 11, 250, 250, 2e5, 2e5, 1e6, 0, 0, 1, infinity, 1, infinity, -1, 1, noNumber})(tensors);
    withNumbers(1, {0.1, 7, 9, 3, 20, 240, 290, 2e5, 2.01e5, 3e6, 0, 1, 0, 1, infinity, infinity, 1, -1, 1})(tensors);
  };
  for (const char* op : {"aten.igamma.default", "aten.igammac.default"}) {
    compare(op, "((T([37], f16), T([37], f16)), {})");
    compare(op, "((T([37], f32), T([37], f32)), {})", ends);
  }
}

TEST_CASE_FIXTURE(tests::Operators, "the next number: from 0, powers of 2, the least and largest numbers, and infinities") {
  const auto numbers = [](double least, double normal, double largest) -> tests::Edit {
    const std::vector<double> from{0,      -0.0,   0,      1,       1,       -1,       -1,       2, least,
                                   -least, normal, normal, largest, largest, infinity, noNumber, 3};
    const std::vector<double> to{1, -1, 0, 2, 0, 0, -2, infinity, 0, 0, 0, 1, infinity, 0, 0, 1, 3};
    return [=](const std::vector<at::Tensor>& tensors) {
      withNumbers(0, from)(tensors);
      withNumbers(1, to)(tensors);
    };
  };
  const std::string op = "aten.nextafter.default";
  compare(op, "((T([37], f32), T([37], f32)), {})", numbers(0x1p-149, 0x1p-126, 0x1.fffffep127));
  compare(op, "((T([37], f64), T([37], f64)), {})", numbers(0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023));
  compare(op, "((T([37], f64), T([37], f64)), {})", numbers(0x1.8p-1021, 0x1p-969, 0x1.8p-970));
  compare(op, "((T([37], bf16), T([37], bf16)), {})", numbers(0x1p-133, 0x1p-126, 0x1.fep127));
}

}  // namespace
