// What generated kernels start with, as far as they use it (prelude.h): element types, vectors, scalar functions. NVRTC compiles
// it without any header, every function for the device. In kernels f16, bf16 and f8 are storage: arithmetic is done in f32.

using u8 = unsigned char;
using i8 = signed char;
using u16 = unsigned short;
using i16 = short;
using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using i64 = long long;
using f32 = float;
using f64 = double;

struct f16 {
  u16 bits;
  f16() = default;
  explicit f16(f32 x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
  explicit operator f32() const {
    f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
    return x;
  }
};

struct bf16 {
  u16 bits;
  bf16() = default;
  explicit bf16(f32 x) {
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
#else
    const u32 b = __float_as_uint(x);
    bits = x != x ? 0x7fff : u16((b + 0x7fff + (b >> 16 & 1)) >> 16);
#endif
  }
  // In words of PTX: a shift takes two instructions for the upper half of a word, and its result would be kept, twice as wide,
  // for the next use of what a thread holds.
  explicit operator f32() const {
    f32 x;
    asm("mov.b32 %0, {%1, %2};" : "=f"(x) : "h"(u16(0)), "h"(bits));
    return x;
  }
};

// The 7 bits below the sign of |x| in a format of 8 with `Mantissa` stored bits and this exponent bias, ties to even; `Beyond`
// is what too large a magnitude becomes.
template <int Mantissa, int Bias, u32 Beyond>
inline u8 encode8(f32 x) {
  const u32 b = __float_as_uint(x) & 0x7fffffffu;
  const f32 magnitude = __uint_as_float(b);
  constexpr int drop = 23 - Mantissa;
  // Below the smallest normal, adding 2^(23 - drop) units makes the adder round at the format's last place.
  constexpr u32 subnormal = u32(127 + 1 - Bias + drop) << 23;
  const u32 small = __float_as_uint(magnitude + __uint_as_float(subnormal)) - subnormal;
  const u32 normal = (b - (u32(127 - Bias) << 23) + (1u << (drop - 1)) - 1 + (b >> drop & 1)) >> drop;
  const u32 code = b < u32(127 + 1 - Bias) << 23 ? small : b >= 0x7f800000u || normal > Beyond ? Beyond : normal;
  return u8(code | __float_as_uint(x) >> 24 & 0x80);
}

struct f8e4m3 {
  u8 bits;
  f8e4m3() = default;
  explicit f8e4m3(f32 x) : bits(encode8<3, 7, 0x7f>(x)) {}
  explicit operator f32() const {
    f16 scaled;
    scaled.bits = u16((bits & 0x80) << 8 | (bits & 0x7f) << 7);
    return (bits & 0x7f) == 0x7f ? __uint_as_float(0x7fc00000u) : f32(scaled) * 256.0f;
  }
};

struct f8e5m2 {
  u8 bits;
  f8e5m2() = default;
  explicit f8e5m2(f32 x) : bits(x != x ? u8(0x7f) : encode8<2, 15, 0x7c>(x)) {}
  explicit operator f32() const {
    f16 wide;
    wide.bits = u16(bits << 8);
    return f32(wide);
  }
};

// N elements in registers: index them with constants of unrolled loops only.
template <typename T, int N>
struct Vec {
  static constexpr int bytes = sizeof(T) * N;
  alignas(bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : sizeof(T)) T lanes[N];
  T& operator[](int lane) { return lanes[lane]; }
  const T& operator[](int lane) const { return lanes[lane]; }
};

template <int Bytes>
struct Word;
template <>
struct Word<1> {
  using type = u8;
};
template <>
struct Word<2> {
  using type = u16;
};
template <>
struct Word<4> {
  using type = u32;
};
template <>
struct Word<8> {
  using type = uint2;
};
template <>
struct Word<16> {
  using type = uint4;
};

// Reads N elements in accesses of `Bytes` bytes each, which the address is a multiple of.
template <int N, int Bytes, typename T>
inline Vec<T, N> load(const T* from) {
  using W = typename Word<Bytes>::type;
  Vec<T, N> v;
#pragma unroll
  for (int i = 0; i < int(sizeof(T) * N / Bytes); ++i) reinterpret_cast<W*>(&v)[i] = reinterpret_cast<const W*>(from)[i];
  return v;
}

template <int Bytes, typename T, int N>
inline void store(T* to, const Vec<T, N>& v) {
  using W = typename Word<Bytes>::type;
#pragma unroll
  for (int i = 0; i < int(sizeof(T) * N / Bytes); ++i) reinterpret_cast<W*>(to)[i] = reinterpret_cast<const W*>(&v)[i];
}

// Stores the lanes from `first` to before `end`: two at once where the address is a multiple of `Bytes`, and one by itself at
// either end.
template <int Bytes, typename T, int N>
inline void storeLanes(T* to, const Vec<T, N>& v, i32 first, i32 end) {
  if constexpr (N % 2 != 0 || Bytes < int(2 * sizeof(T))) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (first <= i && i < end) to[i] = v[i];
  } else {
    using Pair = typename Word<2 * sizeof(T)>::type;
    const Pair* pairs = reinterpret_cast<const Pair*>(&v);
    Pair atFirst = pairs[0], atEnd = pairs[0];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      if (first <= 2 * i && 2 * i + 2 <= end) reinterpret_cast<Pair*>(to)[i] = pairs[i];
      if (first == 2 * i + 1) atFirst = pairs[i];
      if (end == 2 * i + 1) atEnd = pairs[i];
    }
    if (first < end && first % 2 != 0) to[first] = reinterpret_cast<const T*>(&atFirst)[1];
    if (first < end && end % 2 != 0) to[end - 1] = reinterpret_cast<const T*>(&atEnd)[0];
  }
}

// Starts to copy this many bytes from global to shared memory; what it copied is there once the thread has awaited it, for other
// threads once they have met this one.
template <int Bytes, typename T>
inline void copyAsync(T* to, const T* from) {
  const u32 shared = u32(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(Bytes) : "memory");
  }
}
inline void awaitCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
// The copies that were started since the last time are a group.
inline void commitCopies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Awaits all groups but the `later` last ones, or more of them: all but `Most`.
template <int Most>
inline void awaitCopies(int later) {
  if constexpr (Most > 0)
    if (later < Most) return awaitCopies<Most - 1>(later);
  asm volatile("cp.async.wait_group %0;" ::"n"(Most) : "memory");
}

// The same vector in whole words: what a loop carries from one iteration to the next would be taken apart into its elements, a
// register each, as soon as it is read.
template <typename T, int N>
inline Vec<T, N> inWords(const Vec<T, N>& v) {
  if constexpr (sizeof(v) % 4 != 0) {
    return v;
  } else {
    Vec<T, N> copy;
#pragma unroll
    for (int i = 0; i < int(sizeof(v) / 4); ++i)
      asm("mov.b32 %0, %1;" : "=r"(reinterpret_cast<u32*>(&copy)[i]) : "r"(reinterpret_cast<const u32*>(&v)[i]));
    return copy;
  }
}

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
