#include "inputs/normals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "inputs/random.h"

namespace inputs {
namespace {

constexpr size_t lanes = 4, blockSize = 256;
using Doubles [[gnu::vector_size(lanes * sizeof(double))]] = double;
using Words [[gnu::vector_size(lanes * sizeof(uint64_t))]] = uint64_t;

/// A block's numbers of uniform(), and of normalQuantile() as far as they are not in its tails. No multiplication is contracted
/// with an addition: processors without that would draw other numbers.
struct Block {
  std::array<double, blockSize> uniform, quantile;
};

[[gnu::always_inline]] inline void drawMiddles(uint64_t key, uint64_t first, Block& block) {
  constexpr uint64_t step = 0x9e3779b97f4a7c15u, exponentOf52 = 0x4330000000000000u;
  Words state{};
  for (size_t lane = 0; lane < lanes; ++lane) state[lane] = key + (first + lane + 1) * step;
  for (size_t i = 0; i < blockSize; i += lanes) {
    Words bits = state;
    state += lanes * step;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    bits ^= bits >> 31;
    bits = (bits >> 12) | exponentOf52;  // as processors convert no such integers
    Doubles whole;
    std::memcpy(&whole, &bits, sizeof whole);
    whole -= 0x1p52;
    const Doubles p = (whole + 0.5) * 0x1p-52;
    const Doubles q = p - 0.5;
    const Doubles r = 0.180625 - q * q;
    const Doubles quantile = q * (((59.109374720 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
                             (((67.187563600 * r + 78.757757664) * r + 17.895169469) * r + 1.0);
    std::memcpy(&block.uniform[i], &p, sizeof p);
    std::memcpy(&block.quantile[i], &quantile, sizeof quantile);
  }
}

[[gnu::target("avx2")]] void drawMiddlesByAvx2(uint64_t key, uint64_t first, Block& block) { drawMiddles(key, first, block); }
void drawMiddlesBySse2(uint64_t key, uint64_t first, Block& block) { drawMiddles(key, first, block); }

/// The numbers in the tails, one after the other: where they are is listed first, as no processor foresees it.
void drawTails(Block& block) {
  std::array<uint16_t, blockSize> tails;
  size_t count = 0;
  for (size_t i = 0; i < blockSize; ++i) {
    tails[count] = static_cast<uint16_t>(i);
    count += isOfTail(block.uniform[i]) ? 1 : 0;
  }
  for (size_t i = 0; i < count; ++i) block.quantile[tails[i]] = normalQuantile(block.uniform[tails[i]]);
}

}  // namespace

void drawNormals(uint64_t key, uint64_t first, std::span<double> values) {
  static const auto draw = __builtin_cpu_supports("avx2") ? drawMiddlesByAvx2 : drawMiddlesBySse2;
  Block block;
  for (size_t start = 0; start < values.size(); start += blockSize) {
    draw(key, first + start, block);
    drawTails(block);
    std::copy_n(block.quantile.begin(), std::min(blockSize, values.size() - start),
                values.begin() + static_cast<ptrdiff_t>(start));
  }
}

}  // namespace inputs
