// Tensors on a GPU, compared by the functions of tally.inc. Elements have one of these types, by their letters.

/// The bits of element `i` as an integer of their number; unsigned types are not widened by their sign.
static int64_t bitsAt(const void* values, char type, int64_t i) {
  switch (type) {
    case 'c': return static_cast<const signed char*>(values)[i];
    case 'C': return static_cast<const unsigned char*>(values)[i];
    case 'h':
    case 'b':
    case 's': return static_cast<const short*>(values)[i];
    case 'S': return static_cast<const unsigned short*>(values)[i];
    case 'f':
    case 'i': return static_cast<const int*>(values)[i];
    case 'I': return static_cast<const unsigned*>(values)[i];
    default: return static_cast<const int64_t*>(values)[i];
  }
}

static float half(short bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}

static double numberOf(int64_t bits, char type) {
  switch (type) {
    case 'h': return half(static_cast<short>(bits));
    case 'b': return __int_as_float(static_cast<int>(bits) << 16);
    case 'f': return __int_as_float(static_cast<int>(bits));
    case 'd': return __longlong_as_double(bits);
    case 'L': return static_cast<double>(static_cast<unsigned long long>(bits));
    default: return static_cast<double>(bits);
  }
}

/// The bits of a number rounded to a floating type.
static int64_t roundedTo(char type, double number) {
  const float single = static_cast<float>(number);
  switch (type) {
    case 'h': {
      short bits;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(single));
      return bits;
    }
    case 'b': {
      const int bits = __float_as_int(single);
      return static_cast<short>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    }
    case 'f': return __float_as_int(single);
    default: return __double_as_longlong(number);
  }
}

/// A number's place among the numbers of its type; both zeros are 0.
static int64_t ordinalOf(int64_t bits, int64_t least) { return bits < 0 ? least - bits : bits; }

/// The values of a type between two numbers, of their bits, plus one; 0 where one of them is not finite.
static double apart(int64_t found, int64_t reference, char type) {
  if (!isFinite(numberOf(found, type)) || !isFinite(numberOf(reference, type))) return 0;
  const int64_t least = type == 'd' ? int64_t(1) << 63 : -(int64_t(1) << (type == 'f' ? 31 : 15));
  const int64_t a = ordinalOf(found, least), b = ordinalOf(reference, least);
  // The difference of places of unlike sign may exceed 64 bits.
  if ((a ^ b) < 0) return ::fabs(static_cast<double>(a) - static_cast<double>(b));
  return static_cast<double>(a < b ? b - a : a - b);
}

/// What a thread counts, added up over the threads of its CTA in an order that is always the same.
static void addUp(Tally& tally) {
  constexpr int words = sizeof(Tally) / sizeof(int64_t);
  auto* own = reinterpret_cast<int64_t*>(&tally);
  __shared__ int64_t ofWarps[32][words];
  const auto addOther = [&](const int64_t(&other)[words]) { mergeTally(reinterpret_cast<const Tally&>(other), tally); };
  for (int away = 16; away > 0; away /= 2) {
    int64_t other[words];
    for (int i = 0; i < words; ++i) other[i] = __shfl_down_sync(0xffffffffu, own[i], away);
    if (threadIdx.x % 32 + away < 32) addOther(other);
  }
  if (threadIdx.x % 32 == 0)
    for (int i = 0; i < words; ++i) ofWarps[threadIdx.x / 32][i] = own[i];
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < blockDim.x / 32; ++warp) addOther(ofWarps[warp]);
}

/// Compares `count` elements, each CTA the ones of a stretch of its own, whose tally it writes to its place among `parts`. The
/// letters are the one of found and eager and the one of the reference.
extern "C" __global__ void tally(const void* found, const void* eager, const void* reference, int64_t letters, int64_t count,
                                 double tolerance, double leastError, double threshold, double edge, Tally* parts) {
  const char type = letters & 0xff, referenceType = letters >> 8;
  const bool isFloating = type == 'h' || type == 'b' || type == 'f' || type == 'd';
  const bool isWide = type == 'l' || type == 'L';  // more than a double tells apart
  const Limits limits{tolerance, leastError, {threshold, edge}};
  const int64_t stretch = (count + gridDim.x - 1) / gridDim.x;
  const int64_t begin = stretch * blockIdx.x, end = begin + stretch < count ? begin + stretch : count;
  Tally own;
  for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const int64_t f = bitsAt(found, type, i), e = bitsAt(eager, type, i);
    const double r = numberOf(bitsAt(reference, referenceType, i), referenceType);
    const int64_t unequal = own.unequal, firstUnequal = own.firstUnequal;
    addSettled(numberOf(f, type), numberOf(e, type), r, limits, i, own);
    if (isWide) {
      own.unequal = unequal;
      own.firstUnequal = firstUnequal;
      if (f != e) addUnequal(i, own);
    }
    if (isFloating) {
      const double ulp = apart(f, roundedTo(type, r), type);
      if (ulp > own.maxUlp) own.maxUlp = ulp;
    }
  }
  addUp(own);
  if (threadIdx.x == 0) parts[blockIdx.x] = own;
}
