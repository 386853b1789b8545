#!/usr/bin/env python3
"""Writes series_coefficients.cpp: Chebyshev series of special functions, as series.h describes them. Needs mpmath.

    lowering/operators/special/series_coefficients.py | clang-format-19 > lowering/operators/pointwise/series_coefficients.cpp
"""
from mpmath import mp, mpf, besseli, besselk, cos, erfc, erfinv, exp, findroot, log, pi, psi, sqrt

mp.dps = 60
NODES = 90


def series(f, smallest):
    """The coefficients of f on [-1, 1], the first one halved, as far as they are above `smallest` of the largest."""
    angles = [pi * (k + mpf(1) / 2) / NODES for k in range(NODES)]
    values = [f(cos(angle)) for angle in angles]
    found = [2 * sum(v * cos(j * a) for v, a in zip(values, angles)) / NODES for j in range(NODES)]
    found[0] /= 2
    largest = max(abs(c) for c in found)
    last = max(j for j, c in enumerate(found) if abs(c) > smallest * largest)
    return found[: last + 1]


def between(low, high, t):
    """The number at t of [-1, 1] in an interval."""
    return low + (high - low) * (t + 1) / 2


def erfcinv(q):
    """By Newton's method on the logarithm of erfc."""
    x = sqrt(-log(q)) if q < mpf("0.1") else erfinv(1 - q)
    for _ in range(60):
        step = (log(erfc(x)) - log(q)) * erfc(x) * sqrt(pi) / (2 * exp(-x * x))
        x += step
        if abs(step) < mpf(10) ** -45:
            break
    return x


def shifted(t):
    """x where t is (x - 15/4) / (x + 15/4)."""
    return mpf(15) / 4 * (1 + t) / (1 - t)


def k0_regular(x):
    return besselk(0, x) + log(x / 2) * besseli(0, x)


def k1_regular(x):
    return (besselk(1, x) - log(x / 2) * besseli(1, x)) * x


exact, guess = mpf(2) ** -57, mpf(2) ** -36
root = findroot(lambda x: psi(0, x), 1.46)
functions = [
    ("digammaNearSeries", lambda t: psi(0, t + 2) / (t + 2 - root), exact),
    ("digammaMiddleSeries", lambda t: psi(0, between(3, 9, t)), exact),
    ("erfcxSeries", lambda t: (1 + 2 * shifted(t)) * exp(shifted(t) ** 2) * erfc(shifted(t)), exact),
    ("erfinvCentralSeries", lambda t: erfinv(sqrt(between(0, mpf(9) / 16, t))) / sqrt(between(0, mpf(9) / 16, t)), guess),
    ("erfcinvTailSeries", lambda t: erfcinv(exp(-1 / between(mpf(1) / 28, mpf(6) / 7, t) ** 2)) * between(mpf(1) / 28, mpf(6) / 7, t), guess),
    ("i0NearSeries", lambda t: exp(-between(0, 8, t)) * besseli(0, between(0, 8, t)), exact),
    ("i0FarSeries", lambda t: sqrt(1 / between(0, mpf(1) / 8, t)) * exp(-1 / between(0, mpf(1) / 8, t)) * besseli(0, 1 / between(0, mpf(1) / 8, t)), exact),
    ("i1NearSeries", lambda t: exp(-between(0, 8, t)) * besseli(1, between(0, 8, t)) / between(0, 8, t), exact),
    ("i1FarSeries", lambda t: sqrt(1 / between(0, mpf(1) / 8, t)) * exp(-1 / between(0, mpf(1) / 8, t)) * besseli(1, 1 / between(0, mpf(1) / 8, t)), exact),
    ("k0NearSeries", lambda t: k0_regular(sqrt(between(0, 4, t))), exact),
    ("k0FarSeries", lambda t: sqrt(1 / between(0, mpf(1) / 2, t)) * exp(1 / between(0, mpf(1) / 2, t)) * besselk(0, 1 / between(0, mpf(1) / 2, t)), exact),
    ("k1NearSeries", lambda t: k1_regular(sqrt(between(0, 4, t))), exact),
    ("k1FarSeries", lambda t: sqrt(1 / between(0, mpf(1) / 2, t)) * exp(1 / between(0, mpf(1) / 2, t)) * besselk(1, 1 / between(0, mpf(1) / 2, t)), exact),
]

print("// Made by series_coefficients.py: change that, not this.")
print('#include "lowering/operators/special/series.h"\n\nnamespace lowering {\n')
for name, f, smallest in functions:
    numbers = [f"{float(c)!r}" for c in series(f, smallest)]
    print(f"const std::vector<double> {name}{{")
    for i in range(0, len(numbers), 5):
        print("    " + ", ".join(numbers[i : i + 5]) + ("," if i + 5 < len(numbers) else ""))
    print("};\n")
print("}  // namespace lowering")
