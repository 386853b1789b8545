#pragma once

#include "codegen/plan.h"

namespace codegen {

/// Whether the plan of a network computes on the memory that its graph means. The graph says which call is the last to write
/// what another one reads. The plan's steps are walked in their order, with the bytes that each reads and writes, in the arena
/// and elsewhere: what a step reads has to lie there then, written by the launch or call that carries out that very call, as have
/// outputs in the end; no step writes bytes of one memory where it has to do with another one; and the launches of a group follow
/// one another. What kernels and calls compute is not looked at. Error: Internal, with the step and the value.
void verify(const Plan& plan);

}  // namespace codegen
