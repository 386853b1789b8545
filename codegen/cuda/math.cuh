// Scalar operations as the IR means them: integers wrap, functions are correct to a few units in the last place.
namespace math {

inline f32 infinity() { return __uint_as_float(0x7f800000u); }
inline f32 nan() { return __uint_as_float(0x7fc00000u); }

template <typename T>
inline T add(T a, T b) {
  return T(u64(a) + u64(b));
}
template <typename T>
inline T sub(T a, T b) {
  return T(u64(a) - u64(b));
}
template <typename T>
inline T mul(T a, T b) {
  return T(u64(a) * u64(b));
}
template <typename T>
inline T neg(T a) {
  return T(0 - u64(a));
}
template <typename T>
inline T abs(T a) {
  return a < T(0) ? neg(a) : a;
}
template <typename T>
constexpr bool isSigned = T(-1) < T(0);

// The one quotient that overflows wraps.
template <typename T>
inline T div(T a, T b) {
  return isSigned<T> && b == T(-1) ? neg(a) : T(a / b);
}
template <typename T>
inline T rem(T a, T b) {
  return isSigned<T> && b == T(-1) ? T(0) : T(a % b);
}
template <typename T>
inline T floordiv(T a, T b) {
  const T rest = rem(a, b);
  return rest != T(0) && (rest < T(0)) != (b < T(0)) ? T(div(a, b) - T(1)) : div(a, b);
}
template <typename T>
inline T mod(T a, T b) {
  const T rest = rem(a, b);
  return rest != T(0) && (rest < T(0)) != (b < T(0)) ? T(rest + b) : rest;
}
template <typename T>
inline T shl(T a, T by) {
  return T(u64(a) << u64(by));
}
template <typename T>
inline T shr(T a, T by) {
  return T(a >> by);
}
template <typename T>
inline T max(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
inline T min(T a, T b) {
  return b < a ? b : a;
}

// Both values are computed: a branch a lane would run what the lanes compute one after another.
template <typename T>
inline T where(bool condition, T yes, T no) {
  return condition ? yes : no;
}

// NaN if either is.
inline f32 max(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a > b || a != a ? a : b;
#endif
}
inline f32 min(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
#else
  return a < b || a != a ? a : b;
#endif
}
inline f64 max(f64 a, f64 b) { return a > b || a != a ? a : b; }
inline f64 min(f64 a, f64 b) { return a < b || a != a ? a : b; }

inline bool isnan(f32 x) { return x != x; }
inline bool isnan(f64 x) { return x != x; }

inline f32 abs(f32 x) { return ::fabsf(x); }
inline f64 abs(f64 x) { return ::fabs(x); }
inline f32 floor(f32 x) { return ::floorf(x); }
inline f64 floor(f64 x) { return ::floor(x); }
inline f32 ceil(f32 x) { return ::ceilf(x); }
inline f64 ceil(f64 x) { return ::ceil(x); }
inline f32 trunc(f32 x) { return ::truncf(x); }
inline f64 trunc(f64 x) { return ::trunc(x); }
inline f32 round(f32 x) { return ::rintf(x); }
inline f64 round(f64 x) { return ::rint(x); }
inline f32 sqrt(f32 x) { return ::sqrtf(x); }
inline f64 sqrt(f64 x) { return ::sqrt(x); }
inline f32 rsqrt(f32 x) { return ::rsqrtf(x); }
inline f64 rsqrt(f64 x) { return ::rsqrt(x); }
inline f32 exp(f32 x) { return ::expf(x); }
inline f64 exp(f64 x) { return ::exp(x); }
inline f32 expm1(f32 x) { return ::expm1f(x); }
inline f64 expm1(f64 x) { return ::expm1(x); }
inline f32 log(f32 x) { return ::logf(x); }
inline f64 log(f64 x) { return ::log(x); }
inline f32 log2(f32 x) { return ::log2f(x); }
inline f64 log2(f64 x) { return ::log2(x); }
inline f32 log1p(f32 x) { return ::log1pf(x); }
inline f64 log1p(f64 x) { return ::log1p(x); }
// The difference of equal infinities is 0 here; NaN is what comes of NaN.
template <typename T>
inline T logaddexp(T a, T b) {
  return max(a, b) + log1p(exp(a == b ? T(0) : -abs(a - b)));
}
inline f32 sin(f32 x) { return ::sinf(x); }
inline f64 sin(f64 x) { return ::sin(x); }
inline f32 cos(f32 x) { return ::cosf(x); }
inline f64 cos(f64 x) { return ::cos(x); }
inline f32 tanh(f32 x) { return ::tanhf(x); }
inline f64 tanh(f64 x) { return ::tanh(x); }
inline f32 erf(f32 x) { return ::erff(x); }
inline f64 erf(f64 x) { return ::erf(x); }
inline f32 pow(f32 x, f32 y) { return ::powf(x, y); }
inline f64 pow(f64 x, f64 y) { return ::pow(x, y); }
inline f32 rem(f32 a, f32 b) { return ::fmodf(a, b); }
inline f64 rem(f64 a, f64 b) { return ::fmod(a, b); }
inline f32 copysign(f32 x, f32 y) { return ::copysignf(x, y); }
inline f64 copysign(f64 x, f64 y) { return ::copysign(x, y); }

}  // namespace math

// Shorter forms for results that are rounded to 11 bits or fewer: errors up to 2^-16 relative or 2^-20 absolute, one or two
// special-function instructions each; infinities, zeros and NaN come out as in `math`. Near zero, where the forms that
// subtract lose relative precision, the first terms of the series take over.
namespace fast {

inline f32 exp2(f32 x) {
  f32 y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
inline f32 log2(f32 x) {
  f32 y;
  asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
inline f32 reciprocal(f32 x) {
  f32 y;
  asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
// Right for every finite denominator, unlike a product with the reciprocal.
inline f32 div(f32 a, f32 b) {
  f32 y;
  asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
inline f32 sqrt(f32 x) {
  f32 y;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
inline f32 rsqrt(f32 x) {
  f32 y;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// x < limit ? yes : no, with both computed: a branch a lane would run the lanes' special functions one after another.
inline f32 whereBelow(f32 x, f32 limit, f32 yes, f32 no) {
  f32 y;
  asm("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.f32 %0, %3, %4, p; }" : "=f"(y) : "f"(x), "f"(limit), "f"(yes), "f"(no));
  return y;
}

inline f32 exp(f32 x) { return exp2(x * 1.44269504f); }
inline f32 log(f32 x) { return log2(x) * 0.693147181f; }

inline f32 expm1(f32 x) {
  const f32 series = x * (1.0f + x * (0.5f + x * (0.166666667f + x * (0.0416666667f + x * 0.00833333333f))));
  return whereBelow(::fabsf(x), 0.1f, series, exp(x) - 1.0f);
}
inline f32 log1p(f32 x) {
  const f32 series = x * (1.0f + x * (-0.5f + x * (0.333333333f + x * -0.25f)));
  return whereBelow(::fabsf(x), 0.03f, series, log(1.0f + x));
}
inline f32 tanh(f32 x) {
  const f32 decay = exp2(::fabsf(x) * -2.88539008f);
  const f32 series = x * (1.0f - x * x * 0.333333333f);
  return whereBelow(::fabsf(x), 0.03f, series, ::copysignf((1.0f - decay) * reciprocal(1.0f + decay), x));
}
// Abramowitz and Stegun 7.1.26, 1.5e-7 absolute.
inline f32 erf(f32 x) {
  const f32 t = reciprocal(1.0f + 0.3275911f * ::fabsf(x));
  const f32 series = x * (1.12837917f + x * x * (-0.376126389f + x * x * 0.112837917f));
  const f32 tail = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return whereBelow(::fabsf(x), 0.1f, series, ::copysignf(1.0f - tail * exp2(x * x * -1.44269504f), x));
}

}  // namespace fast
