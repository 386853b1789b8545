
// Combinations with elements of memory that other threads may combine with at the same time.

template <typename A, typename B>
constexpr bool areSame = false;
template <typename A>
constexpr bool areSame<A, A> = true;

// In f32 what is but storage.
template <typename Op, typename T>
inline T combined(T a, T b) {
  if constexpr (areSame<T, f16> || areSame<T, bf16> || areSame<T, f8e4m3> || areSame<T, f8e5m2>) {
    return T(Op::of(f32(a), f32(b)));
  } else {
    return Op::of(a, b);
  }
}

// The word of an element, and what becomes of it: an element of one byte has a word with three others, which stay as they are.
template <int Bytes>
struct Cell {
  using type = unsigned short;
};
template <>
struct Cell<1> {
  using type = u32;
};
template <>
struct Cell<4> {
  using type = u32;
};
template <>
struct Cell<8> {
  using type = u64;
};

template <typename Op, typename T>
inline void combineByExchange(T* element, T value) {
  using C = typename Cell<sizeof(T)>::type;
  const u64 address = reinterpret_cast<u64>(element);
  C* const cell = reinterpret_cast<C*>(address / sizeof(C) * sizeof(C));
  for (C old = *cell;;) {
    C next = old;
    T& place = reinterpret_cast<T*>(&next)[address % sizeof(C) / sizeof(T)];
    place = combined<Op>(place, value);
    const C seen = atomicCAS(cell, old, next);
    if (seen == old) return;
    old = seen;
  }
}

template <typename Op, typename T>
inline void combineAtomically(T* element, T value) {
  constexpr bool isWord = areSame<T, i32> || areSame<T, u32> || areSame<T, i64> || areSame<T, u64>;
  if constexpr (areSame<Op, Add> && (areSame<T, i32> || areSame<T, u32> || areSame<T, f32> || areSame<T, f64>)) {
    atomicAdd(element, value);
  } else if constexpr (areSame<Op, Add> && (areSame<T, i64> || areSame<T, u64>)) {
    atomicAdd(reinterpret_cast<u64*>(element), u64(value));
  } else if constexpr (areSame<Op, Add> && areSame<T, f16>) {
    asm volatile("red.add.noftz.f16 [%0], %1;" ::"l"(element), "h"(value.bits) : "memory");
#if __CUDA_ARCH__ >= 900
  } else if constexpr (areSame<Op, Add> && areSame<T, bf16>) {
    asm volatile("red.add.noftz.bf16 [%0], %1;" ::"l"(element), "h"(value.bits) : "memory");
#endif
  } else if constexpr (areSame<Op, Max> && isWord) {
    atomicMax(element, value);
  } else if constexpr (areSame<Op, Min> && isWord) {
    atomicMin(element, value);
  } else {
    combineByExchange<Op>(element, value);
  }
}

// Adds a vector to sums in the device's memory, whose address is a multiple of `Bytes`; each element by itself.
template <int Bytes, int N>
inline void addAtomically(f32* to, const Vec<f32, N>& v) {
#if __CUDA_ARCH__ >= 900
  if constexpr (Bytes == 16) {
#pragma unroll
    for (int i = 0; i < N; i += 4)
      asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to + i)), "f"(v[i]),
                   "f"(v[i + 1]), "f"(v[i + 2]), "f"(v[i + 3])
                   : "memory");
    return;
  }
  if constexpr (Bytes == 8) {
#pragma unroll
    for (int i = 0; i < N; i += 2)
      asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to + i)), "f"(v[i]), "f"(v[i + 1])
                   : "memory");
    return;
  }
#endif
#pragma unroll
  for (int i = 0; i < N; ++i) atomicAdd(&to[i], v[i]);
}
