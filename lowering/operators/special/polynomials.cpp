// Orthogonal polynomials, of each element by the degree that another one says.
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

template <Value (*function)(Value, Value)>
Tensors polynomialOf(Context& c) {
  return pointwise(c, [](Value x, Value degree) { return function(x, degree); }, Promotion::IntToFloat);
}
/// Of [0, 1] in place of [-1, 1].
template <Value (*function)(Value, Value)>
Tensors shiftedPolynomialOf(Context& c) {
  return pointwise(c, [](Value x, Value degree) { return function(x + x - 1.0, degree); }, Promotion::IntToFloat);
}

const Lowering chebyshevT{"aten::special_chebyshev_polynomial_t", polynomialOf<ir::chebyshev_t>};
const Lowering chebyshevU{"aten::special_chebyshev_polynomial_u", polynomialOf<ir::chebyshev_u>};
const Lowering chebyshevV{"aten::special_chebyshev_polynomial_v", polynomialOf<ir::chebyshev_v>};
const Lowering chebyshevW{"aten::special_chebyshev_polynomial_w", polynomialOf<ir::chebyshev_w>};
const Lowering shiftedChebyshevT{"aten::special_shifted_chebyshev_polynomial_t", shiftedPolynomialOf<ir::chebyshev_t>};
const Lowering shiftedChebyshevU{"aten::special_shifted_chebyshev_polynomial_u", shiftedPolynomialOf<ir::chebyshev_u>};
const Lowering shiftedChebyshevV{"aten::special_shifted_chebyshev_polynomial_v", shiftedPolynomialOf<ir::chebyshev_v>};
const Lowering shiftedChebyshevW{"aten::special_shifted_chebyshev_polynomial_w", shiftedPolynomialOf<ir::chebyshev_w>};
const Lowering hermiteH{"aten::special_hermite_polynomial_h", polynomialOf<ir::hermite_h>};
const Lowering hermiteHe{"aten::special_hermite_polynomial_he", polynomialOf<ir::hermite_he>};
const Lowering laguerreL{"aten::special_laguerre_polynomial_l", polynomialOf<ir::laguerre_l>};
const Lowering legendreP{"aten::special_legendre_polynomial_p", polynomialOf<ir::legendre_p>};

}  // namespace
}  // namespace lowering
