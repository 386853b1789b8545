#pragma once

#include <string>
#include <string_view>

namespace inputs {

/// Foreign text as a terminal, a page or an XML file can hold it: control characters (but for line breaks and tabs), marks that
/// turn the direction of text, separators that only Unicode calls line breaks, noncharacters and bytes that are no UTF-8 become
/// `?`.
std::string printable(std::string_view text);

/// The beginning of a text, at most so many bytes, that ends with a whole character.
std::string_view beginning(std::string_view text, size_t bytes);

}  // namespace inputs
