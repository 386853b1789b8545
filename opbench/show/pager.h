#pragma once

#include <ostream>
#include <string>

namespace opbench::show {

/// Writes a text to a pager: the shell's `command`, which the user chose, or to `out` where it is empty or cannot be run. A pager
/// that is left before the end of the text is no error.
void page(const std::string& text, const std::string& command, std::ostream& out);

}  // namespace opbench::show
