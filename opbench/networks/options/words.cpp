#include "opbench/networks/options/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "inputs/text/words.h"
#include "ir/error.h"

namespace opbench {

std::vector<std::string> wordsOf(const std::vector<std::string>& texts, std::string_view separators) {
  std::vector<std::string> words;
  for (const std::string& text : texts)
    for (const std::string_view word : inputs::split(text, separators)) words.emplace_back(word);
  return words;
}

void requireOneOf(std::string_view option, const std::string& word, const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    ir::fail(ir::ErrorKind::Input, "{} must be one of {}, got '{}'", option, fmt::join(known, ", "), word);
}

void requirePositive(std::string_view option, int64_t value) {
  constexpr int64_t most = int64_t{1} << 31;
  if (value < 1 || value > most) ir::fail(ir::ErrorKind::Input, "{} must be from 1 to {}, got {}", option, most, value);
}

}  // namespace opbench
