#include "codegen/llvm/values/random.h"

#include <llvm/IR/IRBuilder.h>

#include <functional>

namespace codegen {
namespace {

// Philox4x32-10: the factors, and what is added to the key after each round.
constexpr int64_t firstFactor = 0xD2511F53, secondFactor = 0xCD9E8D57, firstStep = 0x9E3779B9, secondStep = 0xBB67AE85;
constexpr int rounds = 10;

Vec low(Vec word) { return word & int64_t{0xFFFFFFFF}; }
Vec high(Vec word) { return word >> 32; }

/// Lanes of a vector of pairs, the same two in each pair.
Vec pairs(Vec even, Vec odd, int lanes) {
  llvm::IRBuilderBase& builder = *even.builder;
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < lanes; ++i) mask.push_back(i % 2 == 0 ? i / 2 : lanes / 2 + i / 2);
  return {&builder, builder.CreateShuffleVector(splat(even, lanes / 2).value, splat(odd, lanes / 2).value, mask)};
}

/// The halves of each pair of words of 64 bits, the last first.
Vec reversedHalves(Vec words) {
  llvm::IRBuilderBase& builder = *words.builder;
  const auto halves = static_cast<unsigned>(2 * words.lanes());
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < 2 * words.lanes(); ++i) mask.push_back(i / 4 * 4 + 3 - i % 4);
  llvm::Value* narrow = builder.CreateBitCast(words.value, llvm::FixedVectorType::get(builder.getInt32Ty(), halves));
  return {&builder, builder.CreateBitCast(builder.CreateShuffleVector(narrow, mask), words.value->getType())};
}

}  // namespace

Vec randomWord(Vec seed, Vec draw, Vec index) {
  const Vec block = index >> 2;
  Vec c0 = low(block), c1 = high(block), c2 = low(draw), c3 = high(draw), k0 = low(seed), k1 = high(seed);
  for (int round = 0; round < rounds; ++round) {
    const Vec first = c0 * firstFactor, second = c2 * secondFactor;
    c0 = high(second) ^ c1 ^ k0;
    c1 = low(second);
    c2 = high(first) ^ c3 ^ k1;
    c3 = low(first);
    k0 = low(k0 + firstStep);
    k1 = low(k1 + secondStep);
  }
  const Vec place = index & 3;
  const Vec word = select(place < 2, select(place == 0, c0, c1), select(place == 2, c2, c3));
  return truncate(word, 32);
}

/// Four counters' words are two of 64 bits, and the products of their lower halves, turned round, are where the next ones need
/// them.
Vec randomWords(Vec seed, Vec draw, Vec first, int count) {
  constexpr int fewest = 8;  // a vector has more than one lane
  if (count < fewest) return slice(randomWords(seed, draw, first, fewest), 0, count);
  const int lanes = count / 2;
  llvm::IRBuilderBase& builder = *first.builder;
  const Vec blocks = splat(first >> 2, lanes / 2) + iota(builder, lanes / 2, 64);
  const Vec factors = pairs(blocks.like(firstFactor), blocks.like(secondFactor), lanes);
  Vec k0 = low(seed), k1 = high(seed), counters = pairs(blocks, draw, lanes);
  for (int round = 0; round < rounds; ++round) {
    counters = reversedHalves(low(counters) * factors) ^ high(counters) ^ pairs(k0, k1, lanes);
    k0 = low(k0 + firstStep);
    k1 = low(k1 + secondStep);
  }
  llvm::Type* words = llvm::FixedVectorType::get(builder.getInt32Ty(), static_cast<unsigned>(count));
  return {&builder, builder.CreateBitCast(counters.value, words)};
}

}  // namespace codegen
