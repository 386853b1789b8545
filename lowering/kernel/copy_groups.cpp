#include "lowering/kernel/copy_groups.h"

#include <algorithm>

#include "ir/value.h"
#include "lowering/kernel/accesses.h"

namespace lowering {
namespace {

using ir::Expr;

/// Groups that are told apart: of more, some are waited for too early.
constexpr int64_t mostPending = 7;

bool hasSerialLoop(const ir::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const ir::Statement& statement) {
    if (const auto* loop = std::get_if<ir::For>(&statement.node))
      return loop->kind == ir::LoopKind::Serial || hasSerialLoop(loop->body);
    const auto* branch = std::get_if<ir::If>(&statement.node);
    return branch != nullptr && (hasSerialLoop(branch->then) || hasSerialLoop(branch->otherwise));
  });
}

}  // namespace

void CopyGroups::leave() {
  loops_.pop_back();
  isOpen_ = isOpen_ && !loops_.empty();
}

void CopyGroups::leaveBranch() {
  const auto [condition, before] = branches_.back();
  branches_.pop_back();
  const bool isSame = condition != nullptr && std::all_of(started_.begin() + static_cast<std::ptrdiff_t>(before), started_.end(),
                                                          [&](const auto& around) { return around.contains(condition); });
  if (!isSame) awaited_ = before;
}

void CopyGroups::add(int buffer) {
  copied_.insert(buffer);
  started_.emplace_back();
  for (const Branch& branch : branches_) started_.back().insert(branch.condition);
  copying_ = loops_;
  isOpen_ = !loops_.empty();
}

bool CopyGroups::isNeeded(const ir::Statement& statement) const {
  if (areAwaited() || hasSerialLoop({statement})) return false;
  const auto reads = accessesOf(*kernel_, {statement}).reads;
  return std::any_of(reads.begin(), reads.end(), [&](const auto& one) { return copied_.contains(one.first); });
}

ir::AwaitCopies CopyGroups::await() {
  awaited_ = started_.size();
  if (isOpen_ || loops_.empty() || loops_ != copying_) return {};
  isGrouped_ = true;
  int64_t groups = 1;
  std::optional<ir::Value> later;
  for (const Expr* axis : loops_) {
    const int64_t extent = axis->axis().extent;
    const ir::Value iteration{*kernel_->pool, axis};
    later = later ? *later * extent + (extent - 1) - iteration : (extent - 1) - iteration;
    groups *= extent;
  }
  return {later->expr(), static_cast<int>(std::min(groups - 1, mostPending))};
}

}  // namespace lowering
