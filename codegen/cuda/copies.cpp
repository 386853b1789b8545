#include "codegen/cuda/copies.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/cuda/barriers.h"

namespace codegen {
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

void CopyGroups::add(int buffer) {
  copied_.insert(buffer);
  ++started_;
  copying_ = loops_;
  isOpen_ = !loops_.empty();
}

bool CopyGroups::isNeeded(const ir::Statement& statement) const {
  if (awaited_ == started_ || hasSerialLoop({statement})) return false;
  const std::set<int> reads = accessesOf(*kernel_, {statement}).reads;
  return std::any_of(reads.begin(), reads.end(), [&](int buffer) { return copied_.contains(buffer); });
}

std::string CopyGroups::await(const CudaScope& scope) {
  awaited_ = started_;
  if (isOpen_ || loops_.empty() || loops_ != copying_) return "awaitCopies();";
  int64_t groups = 1;
  std::string later;
  for (const Expr* axis : loops_) {
    const int64_t extent = axis->axis().extent;
    later = later.empty() ? "" : fmt::format("({}) * {} + ", later, extent);
    later += fmt::format("{} - {}", extent - 1, scope.expressions().index(axis));
    groups *= extent;
  }
  return fmt::format("awaitCopies<{}>({});", std::min(groups - 1, mostPending), later);
}

}  // namespace codegen
