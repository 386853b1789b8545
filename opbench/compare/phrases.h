#pragma once

#include <string>

#include "opbench/compare/compare.h"
#include "opbench/compare/summary.h"

namespace opbench::compare {

/// The phrases of a comparison, the same in all reports.
std::string sampleText(const results::Record& record);  ///< the sample in brief: `f16[2,3], f16[3]`
std::string medianText(const results::Record* record);  ///< `5.12`; the status where there is no time; `-` for no record
std::string percentText(double ratio);                  ///< `+4.9%`
std::string timeChangeText(const Compared& row);        ///< `+4.9%`, or `-`
std::string speedupChangeText(const Compared& row);     ///< `-4.7%`; `-` where it was not measured beside eager
/// The interval of the speedup's change, or else of the time's: `-4.9..-4.4%`; `?` where it is not known, or `-`.
std::string intervalText(const Compared& row);
std::string verdictText(const Compared& row);  ///< `SLOW`, `ambiguous: drift`
/// Why a row is as it is, in one line: the reason of a failure, a kind that changed; may be empty.
std::string remark(const Compared& row);
/// `3 SLOW, 1 WRONG, 12 FAST, 480 same, 20 ambiguous (15 noise, 5 gap)`: what is not zero.
std::string countsText(const Tally& tally);
/// The meaning of the columns of changes, and of the reasons for which rows are ambiguous: sentences, `; ` between them.
std::string legendText(const Comparison& comparison);
/// The finding of the control: one line; empty where there is none.
std::string controlText(const Comparison& comparison);

}  // namespace opbench::compare
