#include "lowering/heuristics/tiling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lowering {
namespace {

std::string_view name(Hold hold) {
  switch (hold) {
    case Hold::Registers: return "registers";
    case Hold::Shared: return "shared";
    case Hold::Nowhere: return "nowhere";
  }
  return "";
}

std::string text(const PointwiseTiling& tiling) {
  return fmt::format("pointwise lanes {} steps {} block {}{}", tiling.lanes, tiling.steps, tiling.block,
                     tiling.isBackwards ? " backwards" : "");
}

/// ` splits 264`, ` ctas 2`, or ` persistent 64`.
std::string splits(int ctas, int gridSplits, bool isPersistent = false) {
  return gridSplits > 1 ? fmt::format(" splits {}", gridSplits)
                        : fmt::format(" {} {}", isPersistent ? "persistent" : "ctas", ctas);
}

std::string text(const RowTiling& tiling) {
  const std::string along = tiling.hasRuns() && tiling.alongRun > 1 ? fmt::format(" along {}", tiling.alongRun) : "";
  return fmt::format("rows group {} steps {} block {}{}{} hold {} resident {}{}{}", tiling.group,
                     tiling.runSteps * tiling.vectorSteps, tiling.block,
                     splits(tiling.ctas, tiling.gridSplits, tiling.isPersistent), along, name(tiling.hold), tiling.resident,
                     tiling.hasCover ? " cover" : "", tiling.keepsFunctions ? " keeps functions" : "");
}

std::string text(const ColumnTiling& tiling) {
  return fmt::format("columns across {} down {}{}", tiling.across, tiling.down, splits(tiling.ctas, tiling.gridSplits));
}

std::string text(const StagedTiling& tiling) {
  return fmt::format("staged tile {} lanes {} group {} block {}{}", fmt::join(tiling.tile, "x"), tiling.lanes, tiling.group,
                     tiling.block, tiling.isHeld ? " held" : "");
}

std::string text(const PersistentTiling& tiling) {
  return fmt::format("persistent group {} vectors {} rows {} block {} grid {}{}", tiling.group, tiling.vectors, tiling.rows,
                     tiling.block, tiling.grid, tiling.adds ? " adds" : "");
}

std::string text(const TaskTiling& tiling) { return tiling.splits > 0 ? fmt::format("tasks splits {}", tiling.splits) : "tasks"; }

std::string text(const ScanTiling& tiling) {
  return fmt::format("scan across {} group {} steps {} block {}{}", tiling.across, tiling.group, tiling.steps, tiling.block,
                     splits(tiling.ctas, tiling.gridSplits));
}

}  // namespace

std::string toText(const Tiling& tiling) {
  return std::visit([](const auto& one) { return text(one); }, tiling);
}

Tiling chooseTiling(const LoopNest& nest, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder] = nest;
  if (target.backend == ir::Backend::Cpu) return TaskTiling{};
  if (!reduction) return choosePointwiseTiling(domain, target);
  if (reduction->scans) return chooseScanTiling(domain, target);
  if (const auto staged = chooseStagedTiling(*reduction, domain, target)) return *staged;
  if (domain.runsAlongElements()) return chooseRowTiling(*reduction, domain, target);
  if (const auto persistent = mixedOrder ? choosePersistentColumns(*mixedOrder, target) : std::nullopt) return *persistent;
  return chooseColumnTiling(*reduction, domain, target);
}

}  // namespace lowering
