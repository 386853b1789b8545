#pragma once

#include <string>
#include <string_view>

#include "inputs/archive/exported.h"

namespace inputs {

/// Whether an operator of the namespace `prims`, which decomposed graphs have, may be one of ATen's: `prims.fma.default`.
bool isPrimOfAten(std::string_view op);
/// Makes a node of such an operator one of ATen's that gives the same; leaves other nodes as they are. Returns why there is none,
/// or nothing.
std::string replacePrim(ExportedProgram::Node& node);

}  // namespace inputs
