#pragma once

#include <functional>
#include <optional>

#include "lowering/heuristics/cpu/tasks.h"
#include "lowering/layout/alignment.h"
#include "lowering/schedule/placement.h"

namespace lowering {

/// Which way vectors lie: along the elements of rows, or along neighbouring columns, of which a scan of rows has one.
enum class Along : uint8_t { Rows, Columns };

/// The points of a domain as tasks and their vectors: a layout, and the loops over what is no digit of it. *Pieces* are the parts
/// of a row or the tiles of columns; the last one may be shorter, and has code of its own.
class Tasks {
 public:
  Tasks(ir::ExprPool& pool, const IterationDomain& domain, const TaskSchedule& schedule, Along along, const ir::Target& target);
  /// One task that goes over all rows or tiles in turn: what follows the tasks.
  Tasks afterwards() const;

  bool areColumns() const { return along_ == Along::Columns; }
  /// Without reductions: whether each vector is taken of all rows of the task; values that accumulate come row by row.
  bool areRowsInside() const { return domain_.elementDims() == 0 && !domain_.accumulates(); }
  int lanes() const { return schedule_.lanes; }
  ir::Launch launch() const;
  /// Columns of whole vectors that hold a tile.
  int64_t tile() const { return schedule_.tile * lanes(); }
  /// Columns: the elements of a task.
  int64_t elements() const;
  /// The number of the task's partial results, and how many tasks have some.
  Value partial() const;
  int64_t partials() const;
  /// The number of the row or tile at hand, where they follow one another: after the tasks, or in a task that takes all.
  Value turn() const;
  /// Rows: the number of that at hand among the task's.
  Value slot() const { return schedule_.takesAll ? number(0) : at_.step(0); }

  /// The Task loop.
  ir::Block forTasks(ir::Block body) const;
  /// `body` for each of the rows or tiles that follow one another after the tasks or that a task takes all.
  ir::Block forTurns(ir::Block body) const;
  /// Columns: `body` for the tile at hand, of so many of them.
  ir::Block forTile(const std::function<ir::Block(int64_t columns)>& body) const;
  /// `use` for the result of each of the task's rows, or for the results of each vector of so many columns, from `slot` on.
  using UseResults = std::function<ir::Lanes(Value slot)>;
  ir::Block forResults(int64_t columns, const UseResults& use) const;
  /// Rows: `body` for each of the task's.
  ir::Block forRows(ir::Block body) const;
  /// Rows: `body` for each of their runs.
  ir::Block forRuns(ir::Block body) const;
  /// `body` for the piece at hand, of so many elements.
  ir::Block forPiece(const std::function<ir::Block(int64_t count)>& body) const;

  /// The statements of a vector from a column on, with the number of its turn in straight-line code.
  using Use = std::function<ir::Block(Value column, Value step)>;
  /// Rows: `count` elements from one on, in vectors that `align` these stores where the schedule has heads.
  ir::Block along(Value start, int64_t count, ElementStores align, const Use& use) const;
  /// Columns: the vectors of `count` of them.
  ir::Block across(int64_t count, const std::function<ir::Block(Value column)>& use) const;
  /// Columns: the statement of a vector for so many elements, from one on.
  using UseElements = std::function<ir::Lanes(Value column, Value element, int count)>;
  /// `use` for `count` elements of `columns` columns, from element `first` of the task on, as far as they are its: so many at
  /// once.
  ir::Block down(int64_t columns, Value first, int64_t count, int atOnce, const UseElements& use) const;

  /// Rows: the vector from an element of the run on.
  LanePlace vector(Value element) const;
  /// The first element of the piece.
  Value start() const { return at_.blockStart(pieceDim()); }
  /// Columns: the vector from a column of the tile on, at an element of theirs. Rows: from an element of a run on.
  LanePlace vector(Value column, Value element) const { return vector(column, element, laneAxis()); }
  LanePlace vector(Value column, Value element, Value lane) const;
  /// The first element of the row at hand, in one lane, or of the vector of columns from one on.
  LanePlace first(Value slot) const { return areColumns() ? vector(slot, number(0)) : at_.row(); }
  Value laneAxis() const { return {pool_, pool_.axis(lanes())}; }

 private:
  const Layout& layout() const { return at_.layout(); }
  Value number(int64_t value) const { return {pool_, pool_.integer(ir::DType::I64, value)}; }
  Value axis(int64_t extent) const { return extent == 1 ? number(0) : Value{pool_, pool_.axis(extent)}; }
  /// The dim of the layout that is cut into pieces.
  std::size_t pieceDim() const;
  /// Elements before the first one where stores are aligned, and the most there can be.
  struct Head {
    Value elements;
    int64_t most;
  };
  std::optional<Head> headOf(Value start, int64_t count, ElementStores align) const;
  ir::Block vectors(Value start, int64_t count, int64_t unroll, const std::optional<Head>& head, const Use& use) const;
  ir::Block one(ir::Block statements, const ir::Expr* active) const;
  Guard isMine(Value inTask, int64_t count, bool coversAll) const;
  LanePlace placed(const Placement& at, Value lane) const;

  ir::ExprPool& pool_;
  const IterationDomain& domain_;
  const TaskSchedule schedule_;
  const Along along_;
  const ir::Target& target_;
  Placement at_;
};

}  // namespace lowering
