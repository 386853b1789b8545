#pragma once

#include <string>
#include <string_view>

#include "runtime/workloads/network/step.h"

namespace runtime {

/// A network by TorchScript functions: `function` of `source` is `layer` or `paired`, called for each layer, or `network`, called
/// once (recurrent_source.h). Its runs compile it until the executor has specialised it (warmUpScripted).
Forward scriptedForward(const Recurrent& network, const std::string& source, std::string_view function);

/// The function of a source that a creator calls.
std::string_view functionOf(std::string_view creator);

/// How many runs TorchScript needs before it compiles no more.
int warmUpRuns();

/// Sets the process's switches of TorchScript. A function keeps the executor that was set at its first run.
void apply(const ScriptSettings& settings);

}  // namespace runtime
