#pragma once

#include <string_view>

namespace opbench {

/// The text of compile.py.
std::string_view compileScript();

}  // namespace opbench
