#pragma once

#include <optional>

#include "opbench/measure/library.h"

namespace opbench {

/// tryLibraries(), or what it found in an earlier run of the same call on the same device with the same software and candidates,
/// which the cache keeps for 30 days.
std::optional<LibraryTrial> chooseLibrary(runtime::Call& call, const ir::Graph& graph, const Check& check, const Bench& bench);

}  // namespace opbench
