#pragma once

#include <vector>

#include "lowering/nest_kernel.h"
#include "lowering/row_tiling.h"

namespace lowering {

/// The windows of a tiling whose runs start anywhere: the aligned vectors that cover a run, the first and the last of which
/// have lanes outside it. A place's position along the innermost dim counts from the start of the first window.
class RowWindows {
 public:
  RowWindows(const NestKernel& kernel, const RowTiling& tiling);

  /// Elements by which the run of a position starts after its first window does.
  Value shift(const Position& position) const;
  /// The place along its run of the lane so far from the first window's start; the nearest one for lanes outside the run.
  Value clamped(Value lane, const Position& position) const;
  /// Whether the window that starts so far from the first one has a lane inside the run.
  Value begins(Value start, const Position& position) const;
  /// Whether hardly any warp has a window at the end of a run: the others then go without asking for each lane.
  bool endsAreRare() const;

  /// The aligned vector that an access of a row reads or writes at a place.
  const ir::Expr* offset(const Access& access, const LanePlace& at) const;
  /// Accumulations at a place, in which lanes outside the run take no part.
  ir::Block reductions(ir::Lanes lanes, const LanePlace& at) const;
  /// The nest's element stores at a place: whole windows as vectors, of the others the lanes inside the run, one by one.
  /// Unless the latter are few, the values are computed before, into register arrays: one of `results` for each row access.
  ir::Block stores(ir::Lanes lanes, const LanePlace& at, const std::vector<int>& results) const;

 private:
  ir::ExprPool& pool() const { return kernel_.pool(); }
  double extent() const { return static_cast<double>(kernel_.domain().inner().extent); }
  Value runStart(const Access& access, Position position) const;
  Value isInside(const LanePlace& at) const;
  Value isWhole(const LanePlace& at) const;

  const NestKernel& kernel_;
  const RowTiling& tiling_;
  const Access* first_ = nullptr;  ///< a row access: all start their runs alike
};

}  // namespace lowering
