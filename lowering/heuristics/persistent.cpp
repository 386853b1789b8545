#include "lowering/heuristics/persistent.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/heuristics/schedule.h"
#include "lowering/layout/check.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

struct PersistentDraft {
  int group = 32;   ///< threads a row
  int vectors = 1;  ///< of a row that a thread takes
  int rows = 1;     ///< that a group takes at once
  int block = 32;   ///< threads of a CTA
  int grid = 1;     ///< CTAs

  int groups() const { return block / group; }
  int64_t rowsOfStep() const { return int64_t{grid} * groups() * rows; }
};

int64_t words(const MixedOrderReduction& matrix, ir::DType dtype) { return ceilDiv(matrix.lanes * ir::sizeOf(dtype), 4); }

/// Registers for a vector of a row: for what all rows share, and for what each of them has, now and next.
struct VectorRegisters {
  int64_t shared = 0, ofRow = 0;

  int64_t held(int vectors, int rows) const { return vectors * (shared + rows * ofRow); }
  /// Bytes that a thread reads ahead.
  int64_t ahead(int vectors, int rows) const { return vectors * rows * ofRow * 2; }
};

/// The registers of the traversal that sums columns, or of both where there is one for the elements that need the sums.
VectorRegisters registersOf(const MixedOrderReduction& matrix, bool ofBoth) {
  VectorRegisters registers;
  for (const MatrixInput& input : matrix.inputs()) {
    if (!input.isVector || !(input.isEarly || ofBoth)) continue;
    (input.isOfRow ? registers.ofRow : registers.shared) += words(matrix, input.dtype()) * (input.isOfRow ? 2 : 1);
  }
  for (const Reduction& reduction : matrix.alongColumns.reductions) registers.shared += words(matrix, reduction.body->dtype);
  return registers;
}

/// Shared memory of a CTA, whose groups leave there what they have of the columns.
int64_t sharedBytes(const MixedOrderReduction& matrix, const PersistentDraft& draft) {
  return draft.groups() * matrix.columns() * matrix.sumBytes();
}

/// The most threads of a CTA, in multiples of `unit`, that can have so many registers each.
int64_t widestBlock(int64_t unit, int64_t registers, const ir::Target& target) {
  int64_t block = ir::Target::ctaThreads / unit * unit;
  const auto has = [&](int64_t threads) {
    constexpr int64_t ofRound = warp * ir::Target::schedulers, step = ir::Target::registerUnit;
    return registersOfWarp(target) / ceilDiv(threads, ofRound) / step * step;
  };
  while (block > 0 && has(block) < registers) block -= unit;
  return block;
}

LayoutSchedule scheduleOf(const PersistentDraft& draft, const MixedOrderReduction& matrix) {
  const std::size_t row = 0, column = 1;
  const IterationDomain& domain = matrix.domain;
  LayoutSchedule schedule = unscheduled(domain, {domain.elementDims(), domain.dims().size()}, column, matrix.lanes);
  std::vector<Part>& parts = schedule.layout.parts;
  parts = {{row, Bind::Serial, ceilDiv(matrix.rows(), draft.rowsOfStep())},
           {row, Bind::Unrolled, draft.rows},
           {row, Bind::Grid, draft.grid},
           {row, Bind::Thread, draft.groups()},
           {column, Bind::Unrolled, draft.vectors},
           {column, Bind::Thread, draft.group}};
  std::erase_if(parts, [](const Part& part) { return part.extent == 1; });
  schedule.isPersistent = true;
  schedule.resident = 1;
  return schedule;
}

/// Groups in which so many threads have something to do. Rows that are reduced need what shuffles combine; of others the fewest
/// threads are idle where a group has no more, and the widest CTAs where whole warps are a few groups.
std::vector<int> groupsFor(int64_t threads, bool isReduced) {
  if (isReduced) return {static_cast<int>(groupOf(threads))};
  std::vector<int> groups;
  for (int64_t unit = 1; unit <= warp; unit *= 2) {
    const auto group = static_cast<int>(ceilDiv(threads, unit) * unit);
    if (groups.empty() || groups.back() != group) groups.push_back(group);
  }
  return groups;
}

bool areColumns(const MixedOrderReduction& matrix) { return matrix.reducesColumns() && matrix.alongRows.traversals() == 0; }

/// Of the drafts that a CTA's registers and shared memory have room for, the one that is worth most.
std::optional<PersistentDraft> draftOf(const MixedOrderReduction& matrix, const ir::Target& target) {
  const int64_t rowVectors = matrix.columns() / matrix.lanes;
  const VectorRegisters first = registersOf(matrix, /*ofBoth=*/false), all = registersOf(matrix, /*ofBoth=*/true);
  const bool isReduced = matrix.alongRows.traversals() > 0;
  const int64_t enough = isReduced ? limits::persistent::rowBytesAhead : limits::persistent::columnBytesAhead;
  std::optional<PersistentDraft> best;
  double most = 0;
  const auto consider = [&](int vectors, int group, int rows) {
    PersistentDraft draft{.group = group, .vectors = vectors, .rows = rows};
    const int64_t held = std::max(first.held(vectors, rows), all.held(vectors, 1));
    draft.block = static_cast<int>(widestBlock(std::lcm(warp, group), limits::persistent::ownRegisters + held, target));
    if (draft.block == 0 || sharedBytes(matrix, draft) > target.ctaSharedBytes) return;
    draft.grid = static_cast<int>(std::min<int64_t>(target.processors, ceilDiv(matrix.rows(), int64_t{draft.groups()} * rows)));
    // Idle lanes are lost, what is read ahead keeps memory busy, and threads keep a multiprocessor busy. More threads do better
    // than more vectors of each, and more CTAs than more rows of each.
    const double used = static_cast<double>(rowVectors) / (group * vectors);
    const auto ahead = static_cast<double>(std::min(draft.block * first.ahead(vectors, rows), enough));
    const double busy = std::min(1.0, static_cast<double>(draft.block) / limits::persistent::busyThreads);
    const double filled = std::min(1.0, 2.0 * draft.grid / target.processors);
    const double worth = used * ahead * busy * filled;
    if (worth <= most) return;
    most = worth;
    best = draft;
  };
  for (int vectors = 1; vectors <= limits::persistent::mostVectors; ++vectors)
    for (const int group : groupsFor(ceilDiv(rowVectors, vectors), isReduced))
      for (int rows = 1; rows <= (isReduced ? 1 : limits::persistent::mostRows); rows *= 2) consider(vectors, group, rows);
  return best;
}

}  // namespace

std::optional<LayoutSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target) {
  const std::optional<PersistentDraft> draft = draftOf(matrix, target);
  return draft ? std::optional(scheduleOf(*draft, matrix)) : std::nullopt;
}

LayoutSchedule choosePersistentResults(const LoopNest& results, int block, int64_t ctas) {
  if (!results.reduction) return scheduleOf(PointwiseDraft{.block = block}, results.domain);
  constexpr int sectorColumns = ir::Target::sectorBytes / 4;  // of f32
  const std::size_t end = results.domain.elementDims();
  ColumnDraft draft;
  draft.outer = results.domain.numel(0, end - 1);
  draft.columns = results.domain.dims()[end - 1].extent;
  draft.elements = results.domain.numel(end, results.domain.dims().size());
  const auto sectors = static_cast<uint64_t>(ceilDiv(draft.columns, sectorColumns * ctas));
  draft.across = std::min<int>(sectorColumns * static_cast<int>(std::bit_ceil(sectors)), warp);
  draft.down = block / draft.across;
  return scheduleOf(draft, *results.reduction, results.domain);
}

LayoutSchedule choosePersistentElements(const LayoutSchedule& ofSums, const MixedOrderReduction& elements,
                                        const ir::Target& target) {
  LayoutSchedule schedule = inDims(ofSums, elements.domain);
  schedule.isBackwards = true;
  const std::size_t row = 0, column = 1;
  const VectorRegisters registers = registersOf(elements, /*ofBoth=*/false);
  const auto vectors = static_cast<int>(schedule.layout.extent(column, Bind::Unrolled));
  const int64_t block = schedule.layout.extent(Bind::Thread);
  const int64_t has = registersOfWarp(target) / ceilDiv(block, warp * ir::Target::schedulers) - limits::persistent::ownRegisters;
  const auto isEnough = [&](int rows) { return block * registers.ahead(vectors, rows) >= limits::persistent::columnBytesAhead; };
  int rows = 1;
  while (rows < limits::persistent::mostRows && !isEnough(rows) && registers.held(vectors, rows * 2) <= has) rows *= 2;
  const auto isOfRows = [&](const Part& part) { return part.dim == row && isLoop(part.bind); };
  std::erase_if(schedule.layout.parts, isOfRows);
  const int64_t steps = ceilDiv(elements.rows(), rows * schedule.layout.covered(row));
  std::vector<Part> parts{{row, Bind::Serial, steps}, {row, Bind::Unrolled, rows}};
  std::erase_if(parts, [](const Part& part) { return part.extent == 1; });
  schedule.layout.parts.insert(schedule.layout.parts.begin(), parts.begin(), parts.end());
  return schedule;
}

std::optional<LayoutSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target) {
  if (!areColumns(columns)) return std::nullopt;
  int64_t bytes = 0;
  for (const MatrixInput& input : columns.inputs())
    if (input.isOfRow && input.isVector) bytes += columns.rows() * columns.columns() * ir::sizeOf(input.dtype());
  const std::optional<PersistentDraft> draft = draftOf(columns, target);
  if (!draft) return std::nullopt;
  const int64_t partialBytes = draft->grid * columns.columns() * columns.sumBytes();
  const auto isFaster = [&] {
    if (!columns.alongColumns.elementStores.empty()) return bytes >= limits::persistent::leastNormBytes && bytes >= partialBytes;
    if (bytes < limits::persistent::leastColumnBytes) return false;
    if (!columns.alongRows.elementStores.empty()) return limits::persistent::partialShare.of(bytes) >= partialBytes;
    const bool areNeighbours = columns.domain.dims().size() == columns.domain.elementDims() + 1;
    return areNeighbours && columns.rows() >= limits::persistent::rowsPerColumn * columns.columns();
  };
  return isFaster() ? std::optional(scheduleOf(*draft, columns)) : std::nullopt;
}

bool takesSingleRows(const MixedOrderReduction& columns, const ir::Target& target) {
  const std::optional<PersistentDraft> draft = areColumns(columns) ? draftOf(columns, target) : std::nullopt;
  return draft && draft->groups() == 1;
}

namespace {

/// The matrix of whose columns a nest has reductions, and of its rows none; else null.
const MixedOrderReduction* columnsOf(const LoopNest& nest) {
  if (!nest.hasReductions() || nest.domain.runsAlongElements() || !nest.mixedOrder) return nullptr;
  return areColumns(*nest.mixedOrder) ? &*nest.mixedOrder : nullptr;
}

std::optional<Schedule> choosePersistent(const LoopNest& nest, const ir::Target& target) {
  const MixedOrderReduction* columns = columnsOf(nest);
  const std::optional<LayoutSchedule> schedule = columns ? choosePersistentColumns(*columns, target) : std::nullopt;
  return schedule ? std::optional(inDims(*schedule, nest.domain)) : std::nullopt;
}

/// A persistent kernel of columns that are few for it, and columns that all CTAs add to at once.
std::vector<Schedule> otherPersistent(const LoopNest& nest, const ir::Target& target, const TuningStart& start) {
  std::vector<Schedule> schedules;
  const MixedOrderReduction* columns = start.isChosen ? nullptr : columnsOf(nest);
  if (const auto layout = columns ? choosePersistentSchedule(*columns, target) : std::nullopt)
    if (const Schedule schedule = inDims(*layout, nest.domain); isPossible(schedule, nest, target)) schedules.push_back(schedule);
  const auto* own = std::get_if<LayoutSchedule>(&start.own);
  if (own != nullptr && own->isPersistentKernel() && nest.mixedOrder && canAdd(*nest.mixedOrder)) {
    LayoutSchedule adding = *own;
    adding.isAtomic = true;
    schedules.push_back(adding);
  }
  return schedules;
}

const ScheduleRule persistent{{.order = 60, .choose = choosePersistent, .others = otherPersistent}};

}  // namespace

}  // namespace lowering
