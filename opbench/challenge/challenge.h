#pragma once

#include "opbench/presentation/streams.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Races a sample, and writes the folder of its challenge: what is computed, what there is to beat, and files to fill in. Errors:
/// Input, for a sample that cannot be read and a folder that is not empty; Unsupported, for what is no challenge (statementOf).
void writeChallenge(const Options& options, Streams streams);

/// Judges the solutions of a folder by their sample, which the folder or the options name: each races `judgedRuns` times, in
/// processes of its own, and is accepted where it is right each time and nothing about its times is suspect. Says what each is
/// worth. Returns whether all are accepted. Errors: Input, for a folder without a solution.
bool judgeChallenge(const Options& options, Streams streams);
inline constexpr int judgedRuns = 3;

}  // namespace opbench
