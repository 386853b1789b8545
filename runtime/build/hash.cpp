#include "runtime/build/hash.h"

#include <llvm-c/blake3.h>

namespace runtime {

static_assert(sizeof(Sum) == LLVM_BLAKE3_OUT_LEN && sizeof(Key) == LLVM_BLAKE3_KEY_LEN);

struct Digest::Hasher {
  llvm_blake3_hasher state{};
};

Digest::Digest() : hasher_(std::make_unique<Hasher>()) { llvm_blake3_hasher_init(&hasher_->state); }

Digest::~Digest() = default;

void Digest::add(std::string_view piece) { llvm_blake3_hasher_update(&hasher_->state, piece.data(), piece.size()); }

std::string Digest::text() const {
  std::array<uint8_t, 16> sum{};
  llvm_blake3_hasher_finalize(&hasher_->state, sum.data(), sum.size());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : sum) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::string digest(std::string_view data) {
  Digest digest;
  digest.add(data);
  return digest.text();
}

Sum keyedSum(const Key& key, std::initializer_list<std::string_view> parts) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init_keyed(&hasher, key.data());
  for (const std::string_view part : parts) llvm_blake3_hasher_update(&hasher, part.data(), part.size());
  Sum sum{};
  llvm_blake3_hasher_finalize(&hasher, sum.data(), sum.size());
  return sum;
}

}  // namespace runtime
