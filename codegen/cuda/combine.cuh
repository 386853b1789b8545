// The rest of what generated kernels start with: combinations of lanes, threads and CTAs. All threads that get a
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
struct Logaddexp {
  template <typename T>
  static T of(T a, T b) {
    return math::logaddexp(a, b);
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
template <typename T>
inline T shuffle(T x, int from) {
  return __shfl_sync(0xffffffffu, x, from);
}
inline bool shuffle(bool x, int from) { return __shfl_sync(0xffffffffu, int(x), from) != 0; }

// Every one of `Count` threads of a warp that are `Stride` apart gets the combination of their x; both are powers of two.
template <typename Op, int Count, int Stride, typename T>
inline void butterfly(T& x) {
#pragma unroll
  for (int distance = Stride; distance < Count * Stride; distance *= 2) x = Op::of(x, shuffleXor(x, distance));
}

// Of `Count` threads of a warp that are `Stride` apart, each gets the combination of the x of those up to itself.
template <typename Op, int Count, int Stride, typename T>
inline T prefix(T x) {
  const int lane = threadIdx.x / Stride % Count;
#pragma unroll
  for (int distance = 1; distance < Count; distance *= 2) {
    const T left = shuffle(x, threadIdx.x - distance * Stride);
    if (lane >= distance) x = Op::of(left, x);
  }
  return x;
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

// Calls f(number, element, element) for those of two register arrays of one shape.
template <typename T, typename F>
inline void forEachOf(T& x, T& y, const F& f, int first = 0) {
  f(first, x, y);
}
template <typename T, int N, typename F>
inline void forEachOf(Vec<T, N>& x, Vec<T, N>& y, const F& f, int first = 0) {
#pragma unroll
  for (int i = 0; i < N; ++i) f(first + i, x[i], y[i]);
}
template <typename T, int N, typename F>
inline void forEachOf(T (&x)[N], T (&y)[N], const F& f) {
#pragma unroll
  for (int i = 0; i < N; ++i) forEachOf(x[i], y[i], f, i * elements<T>);
}

constexpr int powerOfTwoUpTo(int n) { return n < 2 ? n : 2 * powerOfTwoUpTo(n / 2); }

// Threads that combine what they hold: `Threads` of them, `Stride` apart, in each of `Ctas` CTAs of `Block` threads. Those of
// a warp shuffle. Beyond it each warp gives its partial result to shared memory (of every CTA, so that nobody reads a CTA that
// may have ended), and after a barrier every thread takes all of them; `partials` holds `count * groups` values an element. An
// array `before` is combined with what the threads before this one hold.
template <int Threads, int Stride = 1, int Ctas = 1, int Block = Threads>
struct Group {
  static constexpr int unit = Threads * Stride <= 32 ? Threads : 32 / Stride;  // threads that shuffle with each other
  static constexpr int units = Threads / unit;
  static constexpr int count = units * Ctas;      // partial results of an element
  static constexpr int groups = Block / Threads;  // of a CTA

  static int ofUnit() { return threadIdx.x % (Threads * Stride) / (unit * Stride); }
  // Of the thread of this one's unit that is this far along.
  static int member(int lane) { return threadIdx.x + (lane - Group::lane()) * Stride; }
  static int lane() { return threadIdx.x / Stride % unit; }
  static int number() { return threadIdx.x / (Threads * Stride) * Stride + threadIdx.x % Stride; }

  template <typename Op, typename X>
  static void combine(X& x) {
    forEach(x, [](int, auto& element) { butterfly<Op, unit, Stride>(element); });
  }
  template <typename Op, typename X>
  static void combine(X& x, X& before) {
    forEachOf(x, before, [](int, auto& element, auto& first) {
      const auto sum = prefix<Op, unit, Stride>(element);
      const auto left = shuffle(sum, threadIdx.x - Stride);
      if (lane() > 0) first = Op::of(first, left);
      element = shuffle(sum, member(unit - 1));
    });
  }

  template <typename Op, typename X, typename T>
  static void give(X& x, T* partials) {
    combine<Op>(x);
    const int own = ofUnit() + (Ctas == 1 ? 0 : clusterRank() * units);
    forEach(x, [&](int i, const T& element) {
      T* const place = partials + (i * count + own) * groups + number();
      if constexpr (Ctas == 1) {
        if (lane() == 0) *place = element;
      } else {
        toEveryCta(place, element);
      }
    });
  }
  template <typename T>
  static void toEveryCta(T* place, const T& element) {
#pragma unroll
    for (int rank = 0; rank < Ctas; rank += unit)
      if (Ctas % unit == 0 || rank + lane() < Ctas) *inCta(place, rank + lane()) = element;
  }

  template <typename Op, typename X, typename T>
  static void take(X& x, const T* partials) {
    constexpr int readers = powerOfTwoUpTo(count < unit ? count : unit);
    const int reader = lane() % readers;
    forEach(x, [&](int i, T& element) {
      const T* const from = partials + (i * count + reader) * groups + number();
      element = from[0];
#pragma unroll
      for (int other = readers; other < count; other += readers)
        if (count % readers == 0 || other + reader < count) element = Op::of(element, from[other * groups]);
      butterfly<Op, readers, Stride>(element);
    });
  }

  // With `before` the CTAs of a cluster exchange what each of them comes to: its units have then exchanged theirs.
  static constexpr int ofCtas = units == 1 ? 0 : units;  // where those of the CTAs are

  template <typename Op, typename X, typename T>
  static void give(X& x, X& before, T* partials) {
    combine<Op>(x, before);
    if constexpr (units > 1) {
      forEach(x, [&](int i, const T& element) {
        if (lane() == 0) partials[(i * count + ofUnit()) * groups + number()] = element;
      });
    }
    if constexpr (Ctas > 1) {
      if constexpr (units > 1) {
        __syncthreads();
        takeFrom<Op, units>(x, before, partials, ofUnit());
      }
      forEach(x, [&](int i, const T& element) {
        if (ofUnit() == 0) toEveryCta(partials + (i * count + ofCtas + clusterRank()) * groups + number(), element);
      });
    }
  }
  template <typename Op, typename X, typename T>
  static void take(X& x, X& before, const T* partials) {
    if constexpr (Ctas == 1) takeFrom<Op, units>(x, before, partials, ofUnit());
    if constexpr (Ctas > 1) takeFrom<Op, Ctas>(x, before, partials + ofCtas * groups, clusterRank());
  }

  // Of `Count` partial results, of which this thread's is number `own`: as many at a time as there are readers.
  template <typename Op, int Count, typename X, typename T>
  static void takeFrom(X& x, X& before, const T* partials, int own) {
    constexpr int readers = powerOfTwoUpTo(Count < unit ? Count : unit);
    constexpr int rest = Count % readers;
    const int reader = lane() % readers;
    forEachOf(x, before, [&](int i, T& element, T& first) {
      T left;
#pragma unroll
      for (int base = 0; base < Count; base += readers) {
        const int here = rest != 0 && base + readers > Count ? rest : readers;
        const T sum = prefix<Op, readers, Stride>(partials[(i * count + base + ::min(reader, here - 1)) * groups + number()]);
        const T some = shuffle(sum, member(lane() - reader + ::max(::min(own - base, here) - 1, 0)));
        const T all = shuffle(sum, member(lane() - reader + here - 1));
        if (own > base) left = base == 0 ? some : Op::of(left, some);
        element = base == 0 ? all : Op::of(element, all);
      }
      if (own > 0) first = Op::of(left, first);
    });
  }
};

// Waits until so many CTAs, of ranks from 0 on, have come here, all of which come to run: what any of their threads did before is
// seen by all of them after it. The counter's highest bit flips when the last one comes; the others are then 0 again.
inline void persistentBarrier(void* counter, int rank, int ctas) {
  constexpr u32 highest = 0x80000000u;
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 step = rank == 0 ? highest - (ctas - 1) : 1;
    u32 before, now;
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(counter), "r"(step) : "memory");
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    } while (((now ^ before) & highest) == 0);
  }
  __syncthreads();
}

// The same for all CTAs of a grid, which run at once.
inline void gridBarrier(void* counter) { persistentBarrier(counter, blockIdx.x, gridDim.x); }

// `Ctas` of the grid, more than a cluster has, that meet in global memory: `partials` holds Ctas values for each element and
// group of `Threads` neighbouring ones in their CTAs of `Block`.
template <int Ctas, int Threads, int Block>
struct PersistentCluster {
  static constexpr int groups = Block / Threads;

  // All threads of a group hold the same x.
  template <typename X, typename T>
  static void give(X& x, T* partials, int rank) {
    T* const own = partials + threadIdx.x / Threads * Ctas + rank;
    if (threadIdx.x % Threads == 0) forEach(x, [&](int i, const T& element) { own[i * groups * Ctas] = element; });
  }

  template <typename Op, typename X, typename T>
  static void take(X& x, const T* partials) {
    constexpr int unit = Threads < 32 ? Threads : 32;
    constexpr int readers = powerOfTwoUpTo(Ctas < unit ? Ctas : unit);
    const int reader = threadIdx.x % readers;
    forEach(x, [&](int i, T& element) {
      const T* const from = partials + (i * groups + threadIdx.x / Threads) * Ctas + reader;
      element = from[0];
#pragma unroll
      for (int other = readers; other < Ctas; other += readers)
        if (Ctas % readers == 0 || other + reader < Ctas) element = Op::of(element, from[other]);
      butterfly<Op, readers, 1>(element);
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
