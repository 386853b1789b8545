#pragma once

#include <string>

#include "opbench/presentation/streams.h"
#include "opbench/settings/options.h"

namespace opbench {

/// The environment of this process.
Environment readEnvironment();

/// Lines are as wide as the terminal, 80 columns where its width is not known. Elsewhere COLUMNS limits them, or nothing does.
Streams standardStreams();

/// The pager of the user where standard output is a terminal, else empty; `less` leaves what fits the screen there, and shows
/// colours.
std::string pager();

}  // namespace opbench
