#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inputs {

/// The parts of a text between any of these characters; empty parts are left out.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);

/// Whether a word is in a list whose words are separated by blanks.
bool isWordOf(std::string_view word, std::string_view list);

}  // namespace inputs
