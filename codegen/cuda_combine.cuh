// The rest of what every generated kernel starts with: combinations of lanes, threads and CTAs. All threads that get a
// combination get the same bits of it.

struct Add {
  template <typename T>
  static T of(T a, T b) {
    return math::add(a, b);
  }
  static f32 of(f32 a, f32 b) { return a + b; }
  static f64 of(f64 a, f64 b) { return a + b; }
};
struct Mul {
  template <typename T>
  static T of(T a, T b) {
    return math::mul(a, b);
  }
  static f32 of(f32 a, f32 b) { return a * b; }
  static f64 of(f64 a, f64 b) { return a * b; }
};
struct Max {
  template <typename T>
  static T of(T a, T b) {
    return math::max(a, b);
  }
};
struct Min {
  template <typename T>
  static T of(T a, T b) {
    return math::min(a, b);
  }
};
struct And {
  static bool of(bool a, bool b) { return a & b; }
};
struct Or {
  static bool of(bool a, bool b) { return a | b; }
};

template <typename Op, int First, int Count, typename T, int N>
inline T combineLanes(const Vec<T, N>& v) {
  if constexpr (Count == 1) {
    return v[First];
  } else {
    return Op::of(combineLanes<Op, First, Count / 2>(v), combineLanes<Op, First + Count / 2, Count - Count / 2>(v));
  }
}

// x and all lanes of v; the lanes pairwise, which is short and rounds little.
template <typename Op, typename T, int N>
inline T combine(T x, const Vec<T, N>& v) {
  return Op::of(x, combineLanes<Op, 0, N>(v));
}

// Calls f(number, element) for the elements of a register array: of a variable, a Vec, or an array of either.
template <typename T>
constexpr int elements = 1;
template <typename T, int N>
constexpr int elements<Vec<T, N>> = N;

template <typename T, typename F>
inline void forEach(T& x, const F& f, int first = 0) {
  f(first, x);
}
template <typename T, int N, typename F>
inline void forEach(Vec<T, N>& x, const F& f, int first = 0) {
#pragma unroll
  for (int i = 0; i < N; ++i) f(first + i, x[i]);
}
template <typename T, int N, typename F>
inline void forEach(T (&x)[N], const F& f) {
#pragma unroll
  for (int i = 0; i < N; ++i) forEach(x[i], f, i * elements<T>);
}

template <typename T>
inline T shuffleXor(T x, int distance) {
  return __shfl_xor_sync(0xffffffffu, x, distance);
}
inline bool shuffleXor(bool x, int distance) { return __shfl_xor_sync(0xffffffffu, int(x), distance) != 0; }

// Every one of `Count` threads of a warp that are `Stride` apart gets the combination of their x; both are powers of two.
template <typename Op, int Count, int Stride, typename T>
inline void butterfly(T& x) {
#pragma unroll
  for (int distance = Stride; distance < Count * Stride; distance *= 2) x = Op::of(x, shuffleXor(x, distance));
}

// Says that this CTA has started, and waits until all of its cluster have: from then on they have shared memory to write to.
inline void clusterArrive() { asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory"); }
inline void clusterWait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
// What any thread of the cluster did before it is seen by all of them after it.
inline void clusterBarrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  clusterWait();
}

// Where another CTA of the cluster has what this one has at `shared`.
template <typename T>
inline T* inCta(T* shared, int rank) {
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(shared), "r"(rank));
  return there;
}
inline int clusterRank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

constexpr int powerOfTwoUpTo(int n) { return n < 2 ? n : 2 * powerOfTwoUpTo(n / 2); }

// Threads that combine what they hold: `Threads` of them, `Stride` apart, in each of `Ctas` CTAs of `Block` threads. Those of
// a warp shuffle. Beyond it each warp gives its part to shared memory (of every CTA, so that nobody reads a CTA that may have
// ended), and after a barrier every thread takes all parts; `parts` holds `count * groups` values an element.
template <int Threads, int Stride = 1, int Ctas = 1, int Block = Threads>
struct Group {
  static constexpr int unit = Threads < 32 ? Threads : 32;  // threads that shuffle with each other
  static constexpr int units = Threads / unit;
  static constexpr int count = units * Ctas;      // parts of an element
  static constexpr int groups = Block / Threads;  // of a CTA

  static int lane() { return threadIdx.x / Stride % unit; }
  static int number() { return threadIdx.x / (Threads * Stride) * Stride + threadIdx.x % Stride; }

  template <typename Op, typename X>
  static void combine(X& x) {
    forEach(x, [](int, auto& element) { butterfly<Op, unit, Stride>(element); });
  }

  template <typename Op, typename X, typename T>
  static void give(X& x, T* parts) {
    combine<Op>(x);
    const int part = threadIdx.x % Threads / unit % units + (Ctas == 1 ? 0 : clusterRank() * units);
    forEach(x, [&](int i, const T& element) {
      T* const place = parts + (i * count + part) * groups + number();
      if constexpr (Ctas == 1) {
        if (lane() == 0) *place = element;
      } else {
#pragma unroll
        for (int rank = 0; rank < Ctas; rank += unit)
          if (Ctas % unit == 0 || rank + lane() < Ctas) *inCta(place, rank + lane()) = element;
      }
    });
  }

  template <typename Op, typename X, typename T>
  static void take(X& x, const T* parts) {
    constexpr int readers = powerOfTwoUpTo(count < unit ? count : unit);
    const int reader = lane() % readers;
    forEach(x, [&](int i, T& element) {
      const T* const from = parts + (i * count + reader) * groups + number();
      element = from[0];
#pragma unroll
      for (int part = readers; part < count; part += readers)
        if (count % readers == 0 || part + reader < count) element = Op::of(element, from[part * groups]);
      butterfly<Op, readers, Stride>(element);
    });
  }
};

// Whether this CTA is the last one of the grid to come here: it sees what all of them wrote to global memory. The counter is 0
// before the first comes and after the last.
inline bool isLastCta(void* counter) {
  __shared__ bool isLast;
  const u32 others = gridDim.x - 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 before;
    asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(others) : "memory");
    isLast = before == others;
  }
  __syncthreads();
  return isLast;
}
