#include "inputs/text/words.h"

#include <algorithm>

namespace inputs {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find_first_of(separators, from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

bool isWordOf(std::string_view word, std::string_view list) {
  const std::vector<std::string_view> words = split(list, " ");
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace inputs
