#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// The words of a list that was given as one text or several, split at any of these separators.
std::vector<std::string> wordsOf(const std::vector<std::string>& texts, std::string_view separators = ", ");
/// Error: Input, for a word that is not known.
void requireOneOf(std::string_view option, const std::string& word, const std::vector<std::string>& known);
/// Error: Input, for a value that is less than 1, or more than 2^31.
void requirePositive(std::string_view option, int64_t value);

}  // namespace opbench
