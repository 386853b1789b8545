#include "ir/statements.h"

#include "ir/target.h"

namespace ir {

bool isGridLoop(const Statement& statement) {
  const auto* loop = std::get_if<For>(&statement.node);
  return loop != nullptr && loop->kind == LoopKind::Grid;
}

bool exchanges(const Combine& combine) { return combine.threads * combine.stride > Target::warp || combine.ctas > 1; }

}  // namespace ir
