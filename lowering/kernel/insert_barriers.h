#pragma once

#include "ir/kernel.h"

namespace lowering {

/// A CUDA kernel whose barriers are implied, with explicit ones: statements where its threads, CTAs and copies have to wait for
/// each other, copies to shared memory that are asynchronous, and exchanges of partial results in two parts.
ir::Kernel insertBarriers(const ir::Kernel& kernel);

/// The bytes of shared memory that a CTA of such a kernel takes at most: for its arrays, and for exchanges.
int64_t sharedBytes(const ir::Kernel& kernel);

}  // namespace lowering
