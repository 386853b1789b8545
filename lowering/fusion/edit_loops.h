#pragma once

#include <vector>

#include "ir/loops.h"

namespace lowering {

/// The number of another loops' buffer in these, to which it is added where they do not know it.
int bufferIn(ir::Loops& loops, const ir::Buffer& buffer);
/// Leaves the buffers that are read or written, and says which are.
void removeUnused(ir::Loops& loops);
/// Puts an index in the place of an axis in all that is stored, and simplifies the result. The axes themselves stay as they are.
void replaceAxis(ir::Loops& loops, const ir::Expr* axis, const ir::Expr* index);
/// Puts axes of these extents, which it returns, in the place of one, which is the loops' or a reduction's; the last runs
/// fastest.
std::vector<const ir::Expr*> splitAxis(ir::Loops& loops, const ir::Expr* axis, const std::vector<int64_t>& extents);
/// Writes out what reductions combine along an axis of theirs.
void unrollAxis(ir::Loops& loops, const ir::Expr* axis);

}  // namespace lowering
