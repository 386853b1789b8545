#include "lowering/heuristics/schedule.h"

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

std::string text(const PointwiseSchedule& schedule) {
  return fmt::format("pointwise lanes {} steps {} block {}{}", schedule.lanes, schedule.steps, schedule.block,
                     schedule.isBackwards ? " backwards" : "");
}

std::string text(const TransposedSchedule& schedule) {
  return fmt::format("transposed tile {}x{} lanes {} block {}", schedule.across, schedule.along, schedule.lanes, schedule.block);
}

/// ` splits 264`, ` ctas 2`, or ` persistent 64`.
std::string splits(int ctas, int gridSplits, bool isPersistent = false) {
  return gridSplits > 1 ? fmt::format(" splits {}", gridSplits)
                        : fmt::format(" {} {}", isPersistent ? "persistent" : "ctas", ctas);
}

std::string text(const RowSchedule& schedule) {
  const std::string along = schedule.hasRuns() && schedule.alongRun > 1 ? fmt::format(" along {}", schedule.alongRun) : "";
  return fmt::format("rows group {} steps {} block {}{}{} hold {} resident {}{}{}", schedule.group,
                     schedule.runSteps * schedule.vectorSteps, schedule.block,
                     splits(schedule.ctas, schedule.gridSplits, schedule.isPersistent), along, name(schedule.hold),
                     schedule.resident, schedule.hasCover ? " cover" : "", schedule.keepsFunctions ? " keeps functions" : "");
}

std::string text(const ColumnSchedule& schedule) {
  return fmt::format("columns across {} down {}{}", schedule.across, schedule.down, splits(schedule.ctas, schedule.gridSplits));
}

std::string text(const StagedSchedule& schedule) {
  return fmt::format("staged tile {} lanes {} group {} block {}{}", fmt::join(schedule.tile, "x"), schedule.lanes, schedule.group,
                     schedule.block, schedule.isHeld ? " held" : "");
}

std::string text(const PersistentSchedule& schedule) {
  return fmt::format("persistent group {} vectors {} rows {} block {} grid {}{}", schedule.group, schedule.vectors, schedule.rows,
                     schedule.block, schedule.grid, schedule.adds ? " adds" : "");
}

std::string text(const TaskSchedule& schedule) {
  return schedule.splits > 0 ? fmt::format("tasks splits {}", schedule.splits) : "tasks";
}

std::string text(const ScanSchedule& schedule) {
  return fmt::format("scan across {} group {} steps {} block {}{}", schedule.across, schedule.group, schedule.steps,
                     schedule.block, splits(schedule.ctas, schedule.gridSplits));
}

}  // namespace

std::string toText(const Schedule& schedule) {
  return std::visit([](const auto& one) { return text(one); }, schedule);
}

Schedule chooseSchedule(const LoopNest& nest, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = nest;
  if (target.backend == ir::Backend::Cpu) return TaskSchedule{};
  if (const auto transposed = transposition ? chooseTransposedSchedule(*transposition, target) : std::nullopt) return *transposed;
  if (!reduction) return choosePointwiseSchedule(domain, target);
  if (reduction->scans) return chooseScanSchedule(domain, target);
  if (const auto staged = chooseStagedSchedule(*reduction, domain, target)) return *staged;
  if (domain.runsAlongElements()) return chooseRowSchedule(*reduction, domain, target);
  if (const auto persistent = mixedOrder ? choosePersistentColumns(*mixedOrder, target) : std::nullopt) return *persistent;
  return chooseColumnSchedule(*reduction, domain, target);
}

}  // namespace lowering
