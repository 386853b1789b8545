// Random words, by Philox4x32-10: the counter of a block of four is its number, below the number of the draw; the key is the
// seed.

struct Counter {
  u32 word[4];
};

inline Counter philox(i64 seed, i64 draw, i64 block) {
  Counter c = {{u32(block), u32(block >> 32), u32(draw), u32(draw >> 32)}};
  u32 low = u32(seed), high = u32(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const u64 first = u64(0xd2511f53u) * c.word[0], second = u64(0xcd9e8d57u) * c.word[2];
    c = {{u32(second >> 32) ^ c.word[1] ^ low, u32(second), u32(first >> 32) ^ c.word[3] ^ high, u32(first)}};
    low += 0x9e3779b9u;
    high += 0xbb67ae85u;
  }
  return c;
}

inline u32 randomWord(i64 seed, i64 draw, i64 index) {
  const Counter c = philox(seed, draw, index / 4);
  const u32 low = index % 2 == 0 ? c.word[0] : c.word[1], high = index % 2 == 0 ? c.word[2] : c.word[3];
  return index % 4 < 2 ? low : high;
}

// N words, a multiple of 4, from index `first` on, which is one too.
template <int N>
inline Vec<u32, N> randomWords(i64 seed, i64 draw, i64 first) {
  Vec<u32, N> words;
#pragma unroll
  for (int block = 0; block < N / 4; ++block) {
    const Counter c = philox(seed, draw, first / 4 + block);
#pragma unroll
    for (int i = 0; i < 4; ++i) words[4 * block + i] = c.word[i];
  }
  return words;
}
