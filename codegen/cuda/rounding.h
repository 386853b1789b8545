#pragma once

#include <set>

#include "ir/kernel.h"

namespace codegen {

/// The nodes of values that a kernel stores, but those from which something is made that it stores without a rounding to 11 bits
/// or fewer, or that decides what it does: functions among them may err (ir::Math::Rounded).
std::set<const ir::Expr*> roundedNodes(const ir::Kernel& kernel);

}  // namespace codegen
