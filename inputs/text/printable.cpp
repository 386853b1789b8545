#include "inputs/text/printable.h"

#include <algorithm>
#include <cstdint>

namespace inputs {
namespace {

struct Range {
  uint32_t first, last;
};

/// What is not shown, beside the last two of each 65536.
constexpr Range hidden[] = {{0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200e, 0x200f},
                            {0x2028, 0x202e}, {0x2066, 0x2069}, {0xd800, 0xdfff}, {0xfdd0, 0xfdef}};

bool isHidden(uint32_t character) {
  const bool isListed = std::any_of(std::begin(hidden), std::end(hidden),
                                    [=](Range range) { return range.first <= character && character <= range.last; });
  return isListed || (character & 0xfffe) == 0xfffe || character > 0x10ffff;
}

bool isContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// How many bytes a character has that begins with this one; 0 where none begins so.
size_t lengthOf(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

/// The character that a text begins with, and its length in bytes; a length of 0 where the bytes are none.
struct Character {
  uint32_t value = 0;
  size_t length = 0;
};

Character firstOf(std::string_view text) {
  constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // by length: fewer bytes would do for less
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = lengthOf(first);
  if (length <= 1) return {first, length};
  if (text.size() < length || !std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), isContinuation))
    return {};
  uint32_t value = first & (0x7fU >> length);
  for (const char byte : text.substr(1, length - 1)) value = value << 6 | (static_cast<unsigned char>(byte) & 0x3fU);
  return value < least[length] ? Character{} : Character{value, length};
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = firstOf(text);
    const bool isShown = character.length > 0 && !isHidden(character.value);
    const size_t length = std::max<size_t>(character.length, 1);
    isShown ? result.append(text.substr(0, length)) : result.append("?");
    text.remove_prefix(length);
  }
  return result;
}

std::string_view beginning(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && isContinuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace inputs
