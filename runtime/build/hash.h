#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

namespace runtime {

/// 256 bits that depend on every bit of the summed data.
using Sum = std::array<uint8_t, 32>;
/// What a sum cannot be made without.
using Key = std::array<uint8_t, 32>;

/// The first half of a text's BLAKE3 sum as 32 hexadecimal digits: a name for files and a sum against damage, not against
/// forgers. The text may come in pieces.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view piece);
  std::string text() const;

 private:
  struct Hasher;
  std::unique_ptr<Hasher> hasher_;
};

/// The digest of a text in one piece.
std::string digest(std::string_view data);

/// The keyed BLAKE3 sum of parts that follow one another: against forgers, who do not have the key. Where one part ends and the
/// next begins does not count.
Sum keyedSum(const Key& key, std::initializer_list<std::string_view> parts);

}  // namespace runtime
