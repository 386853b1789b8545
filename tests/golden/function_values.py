#!/usr/bin/env python3
"""Writes function_values.txt: functions of one or two arguments at numbers that f32 holds, to f64's precision. Needs mpmath.

    tests/golden/function_values.py > tests/golden/function_values.txt
"""
import struct
from mpmath import mp, mpf
import mpmath as m

mp.dps = 50


def erfcinv(q):
    """By Newton's method on the logarithm of erfc."""
    x = m.sqrt(-m.log(q)) if q < 0.1 else m.erfinv(1 - q)
    for _ in range(60):
        x += (m.log(m.erfc(x)) - m.log(q)) * m.erfc(x) * m.sqrt(m.pi) / (2 * m.exp(-x * x))
    return x


def ndtri(p):
    return -m.sqrt(2) * erfcinv(2 * p) if p < 0.5 else m.sqrt(2) * erfcinv(2 * (1 - p))


def log_ndtr(x):
    return m.log(m.erfc(-x / m.sqrt(2)) / 2)


def between(low, high):
    """Equal distances, with small numbers where 0 is among them."""
    numbers = [low + (high - low) * k / 40 for k in range(1, 40)]
    return numbers + ([s * 10.0**-k for k in (1, 3, 8) for s in (1, -1) if low < s * 10.0**-k < high] if low <= 0 <= high else [])


def powers(low, high):
    """Equal ratios."""
    return [low * (high / low) ** (k / 40) for k in range(41)]


everywhere = between(-9, 9)
functions = {
    "exp": (m.exp, between(-80, 80)), "expm1": (m.expm1, everywhere), "exp2": (lambda x: 2**x, between(-100, 100)),
    "log": (m.log, powers(1e-30, 1e30)), "log2": (lambda x: m.log(x, 2), powers(1e-30, 1e30)),
    "log10": (m.log10, powers(1e-30, 1e30)), "log1p": (m.log1p, between(-0.99, 9)),
    "sin": (m.sin, everywhere), "cos": (m.cos, everywhere), "tan": (m.tan, everywhere),
    "asin": (m.asin, between(-1, 1)), "acos": (m.acos, between(-1, 1)), "atan": (m.atan, everywhere),
    "sinh": (m.sinh, everywhere), "cosh": (m.cosh, everywhere), "tanh": (m.tanh, everywhere),
    "asinh": (m.asinh, everywhere), "acosh": (m.acosh, powers(1.01, 1e5)), "atanh": (m.atanh, between(-1, 1)),
    "erf": (m.erf, between(-3, 3)), "erfc": (m.erfc, between(-3, 9)), "special_erfcx": (lambda x: m.exp(x * x) * m.erfc(x), between(-4, 40)),
    "erfinv": (m.erfinv, between(-1, 1)), "special_ndtri": (ndtri, between(0, 1) + powers(1e-30, 1e-3)),
    "special_log_ndtr": (log_ndtr, between(-30, 5)),
    "lgamma": (lambda x: m.re(m.loggamma(x)), powers(1e-3, 0.8) + between(2.5, 50)),
    "digamma": (lambda x: m.psi(0, x), powers(1e-3, 1e3) + between(-5.3, 0)),
    "i0": (lambda x: m.besseli(0, x), between(-30, 30)), "special_i0e": (lambda x: m.besseli(0, x) * m.exp(-abs(x)), between(-30, 30)),
    "special_i1": (lambda x: m.besseli(1, x), between(-30, 30)), "special_i1e": (lambda x: m.besseli(1, x) * m.exp(-abs(x)), between(-30, 30)),
    "special_modified_bessel_k0": (lambda x: m.besselk(0, x), powers(1e-6, 60)),
    "special_modified_bessel_k1": (lambda x: m.besselk(1, x), powers(1e-6, 60)),
    "special_scaled_modified_bessel_k0": (lambda x: m.besselk(0, x) * m.exp(x), powers(1e-6, 60)),
    "special_scaled_modified_bessel_k1": (lambda x: m.besselk(1, x) * m.exp(x), powers(1e-6, 60)),
    "special_bessel_j0": (lambda x: m.besselj(0, x), between(-2, 2)), "special_bessel_j1": (lambda x: m.besselj(1, x), between(-3, 3)),
    "special_bessel_y0": (lambda x: m.bessely(0, x), powers(1e-3, 0.5)), "special_bessel_y1": (lambda x: m.bessely(1, x), powers(1e-3, 1.5)),
    "special_spherical_bessel_j0": (lambda x: m.sin(x) / x if x else mpf(1), between(-3, 3)),
    "sinc": (lambda x: m.sin(m.pi * x) / (m.pi * x) if x else mpf(1), between(-0.95, 0.95)),
}
# Both sides of the largest term of an incomplete gamma function, and positive polynomials beyond their zeros.
orders = [(a, a * r) for a in (0.1, 0.5, 1, 3, 9.5, 10.5, 40, 250, 3000) for r in (0.3, 0.8, 0.97, 1.02, 1.3, 2)]
degrees = [(x, n) for n in (1, 2, 4, 7, 10, 15) for x in (1.05, 1.5, 2, 5, 25)]
functions_of_two = {
    "igamma": (lambda a, x: m.gammainc(a, 0, x, regularized=True), orders),
    "igammac": (lambda a, x: m.gammainc(a, x, m.inf, regularized=True), orders),
    "special_chebyshev_polynomial_t": (lambda x, n: m.chebyt(n, x), degrees),
    "special_hermite_polynomial_h": (lambda x, n: m.hermite(n, x), [(5 * x, n) for x, n in degrees]),
    "special_laguerre_polynomial_l": (lambda x, n: m.laguerre(n, 0, x), [(-x, n) for x, n in degrees]),
    "special_legendre_polynomial_p": (lambda x, n: m.legendre(n, x), degrees),
}


def rounded(number):
    return struct.unpack("f", struct.pack("f", number))[0]


for name, (function, numbers) in functions.items():
    for x in sorted(set(rounded(n) for n in numbers)):
        print(name, x.hex(), float(function(mpf(x))).hex())
for name, (function, pairs) in functions_of_two.items():
    for pair in pairs:
        x, y = map(rounded, pair)
        value = float(function(mpf(x), mpf(y)))
        if abs(value) > 1e-30:
            print(name, x.hex(), y.hex(), value.hex())
