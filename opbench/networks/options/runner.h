#pragma once

#include <string_view>

#include "opbench/settings/networks.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace opbench {

struct Options;

/// Adds the options of the runner's report, which `opbench merge` has as well, and completes them there. Errors: Input, for what
/// contradicts itself.
void declareRunnerReport(CLI::App& verb, RunnerOptions& options);
void readRunnerReport(RunnerOptions& options);

/// Adds the options of the runner, which `opbench model` has beside its own.
void declareRunner(CLI::App& verb, RunnerOptions& options);
/// Adds them to a verb that refuses them, but for `--output`, which is the verb's own.
void declareRefusedRunner(CLI::App& verb, RunnerOptions& options);
/// Errors: Input, for an option of the runner; `verb` is the one that has no runner.
void refuseRunner(const Options& options, std::string_view verb);
/// Completes what the command line says of the runner, and what follows from it for the race; `hasContenders` is whether it
/// names contenders. Errors: Input, for what contradicts itself, and for options that need the runner where it is not asked for.
void readRunner(Options& options, bool hasContenders);

}  // namespace opbench
