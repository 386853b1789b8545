#pragma once

#include <CLI/CLI.hpp>

namespace opbench {

/// An option as one that may be given several times, with a value each time.
inline CLI::Option* repeated(CLI::Option* option) { return option->expected(1)->take_all()->allow_extra_args(false); }

}  // namespace opbench
