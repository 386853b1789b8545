#pragma once

#include <string>

#include "ir/graph.h"
#include "ir/kernel.h"
#include "ir/loops.h"
#include "ir/target.h"

namespace ir {

/// Throw an Internal error that names the place unless the stage's rules hold: dtypes fit, axes are bound where they are
/// used, offsets stay inside their buffers (where they are affine), buffers are read and written as declared, and every
/// point of the domain is stored once.
void verify(const Graph& graph);
void verify(const Loops& loops);
void verify(const Kernel& kernel);
/// The same, and that the target can start the kernel: its clusters, and the CTAs that are resident at once.
void verify(const Kernel& kernel, const Target& target);

/// Whether a value of a graph can be called so: its name in text reads back as that value.
bool isValueName(const std::string& name);

}  // namespace ir
