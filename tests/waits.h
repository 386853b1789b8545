#pragma once

#include "ir/kernel.h"

namespace tests {

/// Interprets a kernel with explicit barriers, and again without each one of its barriers, groups of copies and waits for copies:
/// that must be noticed, by the verifier or as a race. Hands back how many there are.
int checkWaits(const ir::Kernel& kernel);

/// Whether a kernel is small enough for that.
bool isSmall(const ir::Kernel& kernel);

}  // namespace tests
