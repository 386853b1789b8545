#include "ir/scalar.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ir/error.h"

using namespace ir;

namespace {

struct Layout {
  DType dtype;
  int exponentBits;
  int mantissaBits;
  bool hasInfinity;
};

constexpr std::array layouts{Layout{DType::F16, 5, 10, true}, Layout{DType::BF16, 8, 7, true}, Layout{DType::F8E5M2, 5, 2, true},
                             Layout{DType::F8E4M3, 4, 3, false}};

/// The value of a bit pattern, as the format's definition has it.
double decode(const Layout& layout, int bits) {
  const int mantissa = bits & ((1 << layout.mantissaBits) - 1);
  const int exponent = bits >> layout.mantissaBits & ((1 << layout.exponentBits) - 1);
  const int bias = (1 << (layout.exponentBits - 1)) - 1;
  const bool isLast = exponent == (1 << layout.exponentBits) - 1;
  if (isLast && layout.hasInfinity) return mantissa == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  if (isLast && mantissa == (1 << layout.mantissaBits) - 1) return std::nan("");
  const double fraction = std::ldexp(mantissa, -layout.mantissaBits);
  return exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
}

/// All finite values from 0 on, ascending; their index is their bit pattern.
std::vector<double> finiteValues(const Layout& layout) {
  std::vector<double> values;
  for (int bits = 0; std::isfinite(decode(layout, bits)); ++bits) values.push_back(decode(layout, bits));
  return values;
}

}  // namespace

TEST_CASE("every value of a narrow format rounds to itself, and what lies between to the nearer one, ties to even") {
  for (const Layout& layout : layouts) {
    CAPTURE(name(layout.dtype));
    const std::vector<double> values = finiteValues(layout);
    size_t wrong = 0;
    for (size_t bits = 0; bits + 1 < values.size(); ++bits) {
      const double low = values[bits];
      const double high = values[bits + 1];
      const double middle = low + (high - low) / 2;
      wrong += static_cast<size_t>(round(layout.dtype, low) != low);
      wrong += static_cast<size_t>(round(layout.dtype, middle) != (bits % 2 == 0 ? low : high));
      wrong += static_cast<size_t>(round(layout.dtype, std::nextafter(middle, 0)) != low);
      wrong += static_cast<size_t>(round(layout.dtype, std::nextafter(middle, high)) != high);
      wrong += static_cast<size_t>(round(layout.dtype, -middle) != -round(layout.dtype, middle));
    }
    CHECK(wrong == 0);
    CHECK(std::signbit(round(layout.dtype, -0.0)));
  }
}

TEST_CASE("random doubles round to the nearest value of a narrow format: not first to f32, which would round twice") {
  std::mt19937_64 random(1);
  for (const Layout& layout : layouts) {
    CAPTURE(name(layout.dtype));
    const std::vector<double> values = finiteValues(layout);
    const double largest = values.back();
    size_t wrong = 0;
    for (int i = 0; i < 200000; ++i) {
      // Of any magnitude that the format has and the next ones around, in half of the cases a few units of a double from a tie.
      const size_t bits = std::uniform_int_distribution<size_t>(0, values.size() - 2)(random);
      const double tie = values[bits] + (values[bits + 1] - values[bits]) / 2;
      const double away = std::uniform_real_distribution<double>(-1, 1)(random) * std::ldexp(tie, i % 2 == 0 ? -50 : -3);
      const double value = std::min(tie + away, largest);
      const auto above = std::lower_bound(values.begin(), values.end(), value);
      const double below = above == values.begin() ? *above : *(above - 1);
      const bool isTie = value - below == *above - value;
      const bool isBelowEven = above == values.begin() || (above - values.begin()) % 2 == 1;
      const double nearest = value - below < *above - value || (isTie && isBelowEven) ? below : *above;
      wrong += static_cast<size_t>(round(layout.dtype, value) != nearest);
      wrong += static_cast<size_t>(round(layout.dtype, -value) != -nearest);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("NaN, infinity and zero stay what they are, with their signs") {
  for (const DType dtype : {DType::F16, DType::BF16, DType::F8E5M2}) {
    CAPTURE(name(dtype));
    for (const double sign : {1.0, -1.0}) {
      for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        const double given = std::copysign(value, sign);
        CHECK(std::bit_cast<uint64_t>(round(dtype, given)) == std::bit_cast<uint64_t>(given));
      }
      CHECK(std::signbit(round(dtype, sign * 1e-300)) == (sign < 0));
      CHECK(round(dtype, sign * 1e-300) == 0);
      CHECK(round(dtype, sign * 1e300) == sign * std::numeric_limits<double>::infinity());
    }
  }
}

TEST_CASE("beyond the largest value and half a step lies infinity; f8e4m3 has none and gives NaN") {
  CHECK(round(DType::F16, 65519.99) == 65504);
  CHECK(round(DType::F16, 65520) == std::numeric_limits<double>::infinity());
  CHECK(round(DType::F16, -1e30) == -std::numeric_limits<double>::infinity());
  CHECK(round(DType::F8E5M2, 61439) == 57344);
  CHECK(round(DType::F8E5M2, 61440) == std::numeric_limits<double>::infinity());
  CHECK(round(DType::F8E4M3, 464) == 448);
  CHECK(std::isnan(round(DType::F8E4M3, 464.1)));
  CHECK(std::isnan(round(DType::F8E4M3, std::numeric_limits<double>::infinity())));
  CHECK(round(DType::BF16, std::numeric_limits<float>::max()) == std::numeric_limits<double>::infinity());
  CHECK(round(DType::F32, 1e39) == std::numeric_limits<double>::infinity());
  CHECK(round(DType::F64, 0.1) == 0.1);
  CHECK(std::isnan(round(DType::F16, NAN)));
}

TEST_CASE("a dtype holds what rounds to a number of it, and infinity where it has one") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(holds(DType::F16, 65519.9));
  CHECK_FALSE(holds(DType::F16, 65520));
  CHECK(holds(DType::F16, 1e-300));
  CHECK(holds(DType::F16, -infinity));
  CHECK(holds(DType::F8E4M3, 448));
  CHECK_FALSE(holds(DType::F8E4M3, 1e3));
  CHECK_FALSE(holds(DType::F8E4M3, infinity));
  CHECK(holds(DType::F8E4M3, std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(holds(DType::F32, 1e39));
  CHECK(holds(DType::F64, 1e308));
}

TEST_CASE("known bit patterns") {
  CHECK(round(DType::F16, 0.1) == 0x1.998p-4);         // 0x2e66
  CHECK(round(DType::F16, 1.0 / 3) == 0x1.554p-2);     // 0x3555
  CHECK(round(DType::F16, 6.0e-8) == 0x1p-24);         // 0x0001, the smallest
  CHECK(round(DType::F16, 0x1p-25) == 0);              // half of it ties to zero
  CHECK(round(DType::BF16, 3.14159265) == 0x1.92p+1);  // 0x4049
  CHECK(round(DType::BF16, 1e-40) == 0x1p-133);        // 0x0001, the smallest
  CHECK(round(DType::F8E4M3, 0.3) == 0.3125);          // 0x2a
  CHECK(round(DType::F8E5M2, 0.3) == 0.3125);          // 0x35
}

TEST_CASE("integers wrap to their width") {
  CHECK(wrap(DType::I8, 200) == -56);
  CHECK(wrap(DType::U8, -1) == 255);
  CHECK(wrap(DType::I16, 1 << 15) == -32768);
  CHECK(wrap(DType::U32, -1) == 4294967295);
  CHECK(wrap(DType::I64, -5) == -5);
  CHECK(wrap(DType::U64, -5) == -5);  // by its bits
  CHECK(wrap(DType::Bool, 6) == 1);
}

TEST_CASE("integers convert to floating point with one rounding") {
  const auto toFloat = [](DType to, DType from, int64_t value) { return std::get<double>(convert(to, from, value)); };
  CHECK(toFloat(DType::F32, DType::I64, (1LL << 62) + (1LL << 38)) == 0x1p62);             // a tie, to even
  CHECK(toFloat(DType::F32, DType::I64, (1LL << 62) + (1LL << 38) + 1) == 0x1.000002p62);  // just above it
  CHECK(toFloat(DType::F32, DType::U64, -1) == 0x1p64);
  CHECK(toFloat(DType::F64, DType::U64, -1) == 0x1p64);
  CHECK(toFloat(DType::F16, DType::I32, 100000) == std::numeric_limits<double>::infinity());
  CHECK(toFloat(DType::F32, DType::I64, INT64_MIN) == -0x1p63);
}

TEST_CASE("floating point converts to integers by truncation") {
  const auto toInteger = [](DType to, double value) { return std::get<int64_t>(convert(to, DType::F64, value)); };
  CHECK(toInteger(DType::I32, -2.9) == -2);
  CHECK(toInteger(DType::U8, 255.9) == 255);
  CHECK(toInteger(DType::Bool, 0.5) == 1);
  CHECK(toInteger(DType::Bool, -0.0) == 0);
  CHECK(toInteger(DType::U64, 0x1p63) == INT64_MIN);  // by its bits
  CHECK(toInteger(DType::I64, NAN) == 0);             // undefined in C++; here it has a value
  CHECK(toInteger(DType::I64, 1e30) == INT64_MAX);
}

TEST_CASE("integer division: towards zero, and towards minus infinity") {
  struct Case {
    int64_t a, b, div, rem, floordiv, mod;
  };
  for (const Case& c : {Case{7, 2, 3, 1, 3, 1}, Case{-7, 2, -3, -1, -4, 1}, Case{7, -2, -3, 1, -4, -1},
                        Case{-7, -2, 3, -1, 3, -1}, Case{-8, 2, -4, 0, -4, 0}, Case{INT64_MIN, -1, INT64_MIN, 0, INT64_MIN, 0}}) {
    const std::array operands{c.a, c.b};
    CHECK(evaluate(Op::Div, DType::I64, operands) == c.div);
    CHECK(evaluate(Op::Rem, DType::I64, operands) == c.rem);
    CHECK(evaluate(Op::FloorDiv, DType::I64, operands) == c.floordiv);
    CHECK(evaluate(Op::Mod, DType::I64, operands) == c.mod);
  }
  CHECK(evaluate(Op::Div, DType::U64, std::array<int64_t, 2>{-1, 2}) == INT64_MAX);
  CHECK_THROWS_WITH_AS(evaluate(Op::Div, DType::I32, std::array<int64_t, 2>{3, 0}), "div of the i32 value 3 by zero", Error);
}

TEST_CASE("u64 compares, shifts and divides as what it is") {
  const std::array<int64_t, 2> operands{-1, 1};
  CHECK(evaluate(Op::Lt, DType::U64, operands) == 0);
  CHECK(evaluate(Op::Max, DType::U64, operands) == -1);
  CHECK(evaluate(Op::Shr, DType::U64, operands) == INT64_MAX);
  CHECK(evaluate(Op::Shr, DType::I64, operands) == -1);
  CHECK(evaluate(Op::Abs, DType::U64, std::array<int64_t, 1>{-1}) == -1);
}

TEST_CASE("Philox4x32-10 gives the words that its authors publish (Random123, kat_vectors)") {
  using Words = std::array<uint32_t, 4>;
  CHECK(ir::philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr uint32_t ones = 0xffffffff;
  CHECK(ir::philox({ones, ones, ones, ones}, {ones, ones}) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(ir::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: the seed is the key, an index's word one of a block's four, below the draw's number") {
  const int64_t seed = 0x299f31d0'a4093822, draw = 0x03707344'13198a2e, block = 0x05a308d3'243f6a88;
  const auto words = ir::philox({0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0});
  for (int64_t i = 0; i < 4; ++i)
    CHECK(evaluate(Op::Philox, DType::I64, std::array<int64_t, 3>{seed, draw, 4 * block + i}) == words[static_cast<size_t>(i)]);
}

TEST_CASE("logaddexp keeps infinities, spreads NaN and does not overflow") {
  const auto logAddExp = [](double a, double b) { return evaluate(Op::LogAddExp, std::array{a, b}); };
  CHECK(logAddExp(0, 0) == std::log(2));
  CHECK(logAddExp(1000, 0) == 1000);
  CHECK(logAddExp(-INFINITY, -INFINITY) == -INFINITY);
  CHECK(logAddExp(INFINITY, INFINITY) == INFINITY);
  CHECK(logAddExp(INFINITY, -INFINITY) == INFINITY);
  CHECK(logAddExp(-INFINITY, 3) == 3);
  CHECK(std::isnan(logAddExp(NAN, INFINITY)));
  CHECK(std::isnan(logAddExp(-INFINITY, NAN)));
}

TEST_CASE("max and min are NaN if either operand is; round goes half to even") {
  const auto apply = [](Op op, double a, double b) { return evaluate(op, std::array{a, b}); };
  CHECK(std::isnan(apply(Op::Max, NAN, 1)));
  CHECK(std::isnan(apply(Op::Max, 1, NAN)));
  CHECK(std::isnan(apply(Op::Min, 1, NAN)));
  CHECK(apply(Op::Max, 1, 2) == 2);
  CHECK(apply(Op::Min, 1, 2) == 1);
  CHECK(apply(Op::Rem, -7, 2) == -1);
  CHECK(evaluate(Op::Round, std::array{2.5}) == 2);
  CHECK(evaluate(Op::Round, std::array{-3.5}) == -4);
  CHECK_FALSE(test(Op::Eq, std::array<double, 2>{NAN, NAN}));
  CHECK(test(Op::Ne, std::array<double, 2>{NAN, NAN}));
}
