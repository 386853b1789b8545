#pragma once

#include <vector>

#include "lowering/analysis/row_accesses.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {

/// The aligned covers of runs that start anywhere: aligned vectors over a run, the first and the last of which have lanes outside
/// it. A place's position along the innermost dim counts from the start of the first vector.
class AlignedCover {
 public:
  /// Of runs that lie over threads as `at` says. Where first and last vectors are rare, a group's last threads take them, so
  /// that hardly any warp has one.
  AlignedCover(const NestKernel& kernel, Placement& at);

  /// Elements by which the run of a position starts after its cover does.
  Value shift(const Position& position) const;
  /// A vector's place as one of a cover, whose lanes outside the run are at the nearest element of it.
  LanePlace clamped(LanePlace place) const;
  /// Whether the vector that starts so far from the first one has a lane inside the run; all of so many vectors of it do where
  /// there is no condition.
  Guard begins(Value start, int64_t vectors, const Position& position) const;
  /// Whether few warps have vectors at the edge of a run: the others then need no masks.
  bool edgesAreRare() const;
  /// Whether all lanes of the vector at a place are inside the run.
  Value isWhole(const LanePlace& at) const;

  /// The aligned vector that an access of a row reads or writes at a place.
  const ir::Expr* offset(const Access& access, const LanePlace& at) const;
  /// Accumulations at a place, in which lanes outside the run take no part.
  ir::Lanes inside(ir::Lanes lanes, const LanePlace& at) const;
  /// Makes of the nest's element stores at a place stores of whole vectors.
  void align(ir::Lanes& lanes, const LanePlace& at) const;
  /// The values of such stores, for register arrays that it adds, from which the stores are then made.
  ir::Lanes computedFirst(ir::Lanes& lanes, const LanePlace& at, NestKernel& kernel) const;
  /// Such stores of the lanes inside the run alone, one by one.
  ir::Lanes insideOnly(ir::Lanes lanes, const LanePlace& at) const;

 private:
  ir::ExprPool& pool() const { return kernel_.pool(); }
  int64_t extent() const { return kernel_.domain().inner().extent; }
  /// Lanes of the vector at a place before its run, and before the run's end, which may be beyond the vector.
  Value before(const LanePlace& at) const;
  Value end(const LanePlace& at) const { return before(at) + extent(); }
  void setEdgesApart(Placement& at) const;

  const NestKernel& kernel_;
  const Layout& layout_;
  const int lanes_;
  const Access* first_ = nullptr;  ///< a row access: all start their runs alike
};

}  // namespace lowering
