#pragma once

#include <functional>
#include <vector>

#include "opbench/run/sample_context.h"

namespace opbench {

/// Races contenders by the measures that the run has, and keeps the measurements with their outcomes and the row. Runs among the
/// timed runs are judged (race()): a contender that fails there is wrong.
void time(const std::vector<PreparedContender>& contenders, const SampleContext& context);

/// Makes one more contender like an outcome's.
using Prepare = std::function<PreparedContender(Outcome&)>;
/// Races each contender against a second one made alike: the outcome's ratio is then how far two runs of the same differ.
void timeAgainstItself(const std::vector<PreparedContender>& contenders, const SampleContext& context, const Prepare& prepare);

/// Profiles the contenders, and writes the trace.
void profileAll(const std::vector<PreparedContender>& contenders, const inputs::Sample& sample, const SampleContext& context);

}  // namespace opbench
