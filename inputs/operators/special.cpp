#include "inputs/operators/facts.h"

namespace inputs {
namespace {

constexpr std::string_view polynomials =
    "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w "
    "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l special_legendre_polynomial_p "
    "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
    "special_shifted_chebyshev_polynomial_w";

}  // namespace

Family specialFacts() {
  static const OperatorFacts rows[] = {
      {"lgamma digamma", {{0, Positive{}}}},
      {"erfinv", {{0, sine}}},
      // Of a pole eager makes the square of a rounding's reciprocal, of a number whose powers are infinite NaN.
      {"polygamma",
       {{1, [](const Call& call) { return Domain{ir::isIntegral(call.tensor(1).dtype) ? ValueRange(Positive{}) : Tame{}}; }}}},
      // Of powers that are infinite or 0 eager makes NaN.
      {"special_zeta", {{0, Tame{}}, {1, Tame{}}}},
      // Eager returns 0 for a subnormal order, whose lower incomplete gamma function is 1.
      {"igamma igammac", {{0, Uniform{0.0625, 16}}, {1, Positive{}}}},
      // Of NaN eager hands out what was in a register.
      {polynomials, {{0, Tame{}}, {1, Below{16}}}},
  };
  return rows;
}

}  // namespace inputs
