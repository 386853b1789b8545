// What generated kernels start with, as far as they use it (prelude.h): element types and vectors. NVRTC compiles
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

// The tensor of a list that a CTA works on, where the first CTA of each is known.
template <u32 Tensors>
inline u32 tensorOf(const u32 (&first)[Tensors + 1], u32 cta) {
  u32 least = 0, most = Tensors - 1;
  while (least < most) {
    const u32 middle = (least + most + 1) / 2;
    if (first[middle] <= cta) {
      least = middle;
    } else {
      most = middle - 1;
    }
  }
  return least;
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
