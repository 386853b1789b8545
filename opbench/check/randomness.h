#pragma once

#include <string>

#include "runtime/compare/draws.h"

namespace opbench {

/// The chance that numbers which are what they should be fail one of the tests, at most.
inline constexpr double falseAlarm = 1e-9;

/// The reason why numbers are not what their distribution says, `output 0 is not random: ...`; empty where nothing speaks against
/// it. The tests: impossible numbers; the mean; products of deviations at several distances; and, of numbers with places, the
/// largest distance of their distribution function from a uniform one's. Bounds hold for any number of elements (Bernstein's
/// inequality, and the one by Dvoretzky, Kiefer and Wolfowitz), so that few elements pass whatever they are.
std::string improbable(const runtime::Draws& draws);

/// Whether two runs that drew the same cannot be chance.
bool mustDiffer(const runtime::Draws& draws);

}  // namespace opbench
