#pragma once

#include <vector>

#include "ir/loops.h"
#include "opbench/check/faults/fault.h"

namespace opbench {

/// Whether the fault is a mistake in what is computed, and not in how: one of loops before they are scheduled.
bool isOfLoops(Fault fault);
/// Puts such a fault into the loops of a graph; false where they have no place for it.
bool breakLoops(std::vector<ir::Loops>& all, Fault fault);

}  // namespace opbench
