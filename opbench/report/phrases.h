#pragma once

#include <string>

#include "opbench/report/format.h"
#include "opbench/report/summary.h"
#include "opbench/results/row.h"

namespace opbench::report {

/// `1 sample`, `2 samples`
std::string counted(int64_t number, std::string_view noun);

/// The speedup of a contender over the baseline, with half its interval: `1.02x +-0.5%`, `1.02x +-?` where too few times were
/// taken for one; the device's A/A noise for such a time in place of it, where that is more; else its status, or `-`.
std::string speedupText(const Outcome& outcome, std::optional<double> aaNoise = std::nullopt);

/// The parts of a count that are not zero: `12 generated, 3 library calls, 1 wrong`.
std::string countsText(const ContenderSummary& contender);

/// The marks that qualify a contender's figures: `=l`.
std::string notes(const Row& row, const Outcome& outcome, const Run& run);
/// The meanings of the marks that notes() gives the rows of a group; empty where they have none.
std::string legend(const ContenderSummary& contender);

}  // namespace opbench::report
