#pragma once

#include <string>
#include <vector>

#include "opbench/settings/race_option.h"

namespace opbench {

/// The options of a race, in the order of --help-all. Workers are told them in this order.
const std::vector<RaceOption>& raceOptions();

/// The names that --without takes.
const std::vector<std::string>& rewriteNames();

/// Groups of them: which samples (sample_options.cpp); how a run goes on, and what it writes (run_options.cpp).
std::vector<RaceOption> sampleOptions();
std::vector<RaceOption> moreSampleOptions();
std::vector<RaceOption> sweepOptions();
std::vector<RaceOption> resultOptions();
std::vector<RaceOption> moreResultOptions();
std::vector<RaceOption> cacheOptions();
std::vector<RaceOption> helpOptions();
/// What writes results in other programs' formats, which `opbench convert` has as well.
std::vector<RaceOption> formatOptions();

}  // namespace opbench
