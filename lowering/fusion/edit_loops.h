#pragma once

#include "ir/loops.h"

namespace lowering {

/// The number of another loops' buffer in these, to which it is added where they do not know it.
int bufferIn(ir::Loops& loops, const ir::Buffer& buffer);
/// Leaves the buffers that are read or written, and says which are.
void removeUnused(ir::Loops& loops);
/// Puts an index in the place of an axis in all that is stored, and simplifies the result. The axes themselves stay as they are.
void replaceAxis(ir::Loops& loops, const ir::Expr* axis, const ir::Expr* index);

}  // namespace lowering
