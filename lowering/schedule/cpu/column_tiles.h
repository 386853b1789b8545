#pragma once

#include <functional>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {

/// How columns are handed out: tiles of neighbouring ones, and splits of a column's elements.
struct ColumnTasks {
  int lanes = 1;          ///< of a vector of columns
  int64_t tile = 1;       ///< columns of a tile
  int64_t splits = 1;     ///< of the elements of a column
  bool takesAll = false;  ///< a task takes its split of all tiles, one after another; else that of one tile
};

/// The columns of a nest, in tiles and splits, and where their vectors are.
class CpuColumns {
 public:
  CpuColumns(const NestKernel& kernel, const ColumnTasks& how);

  const ColumnTasks how;
  int64_t outer() const { return outer_; }  ///< rows of columns
  int64_t tiles() const { return tiles_; }  ///< in one of these
  int64_t tasks() const { return (how.takesAll ? 1 : outer_ * tiles_) * how.splits; }

  Value task() const { return task_; }
  Value split() const;
  /// The number of the task's tile, or of that at hand.
  Value tile() const;
  /// `body` for each of a task's tiles.
  ir::Block forTiles(ir::Block body) const;

  /// The body of a tile of `how.tile` columns, or of what is left for the last one.
  ir::Block forTile(Value number, const std::function<ir::Block(int64_t columns)>& body) const;
  /// Where the vector at a column of a tile is, for one of the elements.
  LanePlace place(Value tile, Value column, Value element) const;
  LanePlace place(Value tile, Value column, Value element, Value lane) const;

  /// The statement of the vector at a column of the tile.
  using UseColumn = std::function<ir::Lanes(Value column)>;
  /// `use` for every vector of `columns` columns.
  ir::Block vectors(int64_t columns, const UseColumn& use) const;

  /// The statement of a vector of columns for so many elements of theirs, from one on.
  using Use = std::function<ir::Lanes(Value column, Value element, int count)>;
  /// `use` for `count` elements from that of number `first` of the task's split on, as far as they are its: so many at once.
  ir::Block elements(int64_t columns, Value first, int64_t count, int atOnce, const Use& use) const;
  /// Elements of a column that a task takes.
  int64_t splitElements() const { return each_; }

 private:
  Value tileAt(Value number) const;
  Value outerAt(Value number) const;
  Condition isMine(Value inSplit, int64_t count, bool coversSplit) const;

  const NestKernel& kernel_;
  const IterationDomain& domain_;
  std::size_t dim_;  // of the columns
  int64_t outer_, columns_, elements_, tiles_, each_;
  Value task_, tileAxis_;
};

}  // namespace lowering
