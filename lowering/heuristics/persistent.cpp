#include "lowering/heuristics/persistent.h"

#include <algorithm>

#include "lowering/heuristics/gpu_limits.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/rule.h"
#include "lowering/layout/edit.h"

namespace lowering {
namespace {

struct PersistentMapping {
  int group = 32;   ///< threads a row
  int vectors = 1;  ///< of a row that a thread takes
  int rows = 1;     ///< that a group takes at once
  int block = 32;   ///< threads of a CTA
  int grid = 1;     ///< CTAs

  int groups() const { return block / group; }
  int64_t rowsOfStep() const { return int64_t{grid} * groups() * rows; }
};

int64_t words(const MixedOrderReduction& matrix, ir::DType dtype) { return ceilDiv(matrix.lanes * ir::sizeOf(dtype), 4); }

/// Registers for a vector of a row: of what all rows share, and of what each of them has, now and next.
struct VectorRegisters {
  int64_t shared = 0, ofRow = 0;
};

VectorRegisters registersOf(const MixedOrderReduction& matrix) {
  VectorRegisters registers;
  for (const MatrixInput& input : matrix.inputs()) {
    if (input.columnStride == 0) continue;
    (input.rowStride == 0 ? registers.shared : registers.ofRow) += words(matrix, input.dtype) * (input.rowStride == 0 ? 1 : 2);
  }
  if (!matrix.alongColumns) return registers;
  for (const Reduction& reduction : matrix.alongColumns->nest.reductions)
    registers.shared += words(matrix, reduction.body->dtype);
  return registers;
}

/// Shared memory of a CTA, whose groups leave there what they have of the columns.
int64_t sharedBytes(const MixedOrderReduction& matrix, const PersistentMapping& mapping) {
  return mapping.groups() * matrix.columns() * matrix.sumBytes();
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

LayoutSchedule scheduleOf(const PersistentMapping& mapping, const MixedOrderReduction& matrix) {
  const std::size_t row = matrix.any().rowDim, column = 1 - row;
  LayoutSchedule schedule = unscheduled(matrix.any().domain, {1, 2}, column, matrix.lanes);
  std::vector<Part>& parts = schedule.layout.parts;
  parts = {{row, Bind::Serial, ceilDiv(matrix.rows(), mapping.rowsOfStep())},
           {row, Bind::Unrolled, mapping.rows},
           {row, Bind::Grid, mapping.grid},
           {row, Bind::Thread, mapping.groups()},
           {column, Bind::Unrolled, mapping.vectors},
           {column, Bind::Thread, mapping.group}};
  std::erase_if(parts, [](const Part& part) { return part.extent == 1; });
  schedule.isPersistent = true;
  schedule.resident = 1;
  return schedule;
}

}  // namespace

std::optional<LayoutSchedule> choosePersistentSchedule(const MixedOrderReduction& matrix, const ir::Target& target) {
  const int64_t rowVectors = matrix.columns() / matrix.lanes;
  const VectorRegisters registers = registersOf(matrix);
  const bool isReduced = matrix.alongRows && matrix.alongRows->nest.traversals() > 0;
  const int64_t enough = isReduced ? limits::persistent::rowBytesAhead : limits::persistent::columnBytesAhead;
  PersistentMapping best;
  double most = 0;
  for (int vectors = 1; vectors <= limits::persistent::mostVectors; ++vectors) {
    for (int rows = 1; rows <= (isReduced ? 1 : limits::persistent::mostRows); rows *= 2) {
      PersistentMapping mapping;
      mapping.vectors = vectors;
      mapping.rows = rows;
      mapping.group = static_cast<int>(groupOf(ceilDiv(rowVectors, vectors)));
      const int64_t held = vectors * (registers.shared + rows * registers.ofRow);
      mapping.block =
          static_cast<int>(widestBlock(std::max(warp, mapping.group), limits::persistent::ownRegisters + held, target));
      if (mapping.block == 0 || sharedBytes(matrix, mapping) > target.ctaSharedBytes) continue;
      // Idle lanes are lost, and what is read ahead keeps memory busy. More threads do better than more vectors of each.
      const double used = static_cast<double>(rowVectors) / static_cast<double>(mapping.group * vectors);
      const double ahead = static_cast<double>(std::min(mapping.block * vectors * rows * registers.ofRow * 2, enough));
      const double worth = used * ahead;
      if (worth <= most) continue;
      most = worth;
      best = mapping;
    }
  }
  if (most == 0) return std::nullopt;
  best.grid = static_cast<int>(std::min<int64_t>(target.processors, ceilDiv(matrix.rows(), int64_t{best.groups()} * best.rows)));
  return scheduleOf(best, matrix);
}

std::optional<LayoutSchedule> choosePersistentColumns(const MixedOrderReduction& columns, const ir::Target& target) {
  if (columns.alongRows || columns.rows() < limits::persistent::rowsPerColumn * columns.columns()) return std::nullopt;
  int64_t bytes = 0;
  for (const MatrixInput& input : columns.inputs())
    if (input.rowStride != 0 && input.columnStride != 0) bytes += columns.rows() * columns.columns() * ir::sizeOf(input.dtype);
  return bytes < limits::persistent::leastColumnBytes ? std::nullopt : choosePersistentSchedule(columns, target);
}

namespace {

std::optional<Schedule> choosePersistent(const LoopNest& nest, const ir::Target& target) {
  if (!nest.hasReductions() || nest.domain.runsAlongElements() || !nest.mixedOrder) return std::nullopt;
  return choosePersistentColumns(*nest.mixedOrder, target);
}

/// Columns that all CTAs add to at once.
std::vector<Schedule> otherPersistent(const LoopNest& nest, const ir::Target&, const Tuned& tuned) {
  const auto* own = std::get_if<LayoutSchedule>(&tuned.own);
  if (own == nullptr || !own->isPersistentKernel() || !nest.mixedOrder || !canAdd(*nest.mixedOrder)) return {};
  LayoutSchedule adding = *own;
  adding.isAtomic = true;
  return {adding};
}

const ScheduleRule persistent{{.order = 60, .choose = choosePersistent, .others = otherPersistent}};

}  // namespace

}  // namespace lowering
