#include "lowering/schedule/cpu/tasks.h"

#include <algorithm>

#include "ir/index/ceil_div.h"

namespace lowering {

using ir::LoopKind;

namespace {

/// Dims of the layout: of rows, and of columns.
enum RowDims : std::size_t { row, run, element };
enum ColumnDims : std::size_t { outer, column, below };

/// Runs of a row, or else its elements, are split among tasks; without reductions a row is cut into tiles.
Layout layoutOfRows(const IterationDomain& domain, const TaskSchedule& schedule) {
  const std::size_t size = domain.dims().size(), inner = schedule.isFlat ? 0 : domain.innermost();
  const std::size_t kept = domain.elementDims() > 0 ? domain.elementDims() : inner;
  const int64_t rows = domain.numel(0, kept), runs = domain.numel(kept, inner);
  const int64_t elements = domain.numel(inner, size), vectors = ceilDiv(elements, schedule.lanes);
  const int64_t runSplits = runs > 1 ? schedule.splits : 1, splits = schedule.splits / runSplits;
  const int64_t pieces = schedule.tile > 0 ? ceilDiv(vectors, schedule.tile) : splits;
  const int64_t piece = schedule.tile > 0 ? schedule.tile : splits > 1 ? elements / schedule.lanes / splits : vectors;
  Layout layout;
  layout.dims = {{0, kept, rows}, {kept, inner, runs}, {inner, size, vectors, schedule.lanes}};
  layout.laneDim = element;
  layout.parts = {{row, schedule.takesAll ? Bind::Serial : Bind::Grid, ceilDiv(rows, schedule.rows)},
                  {run, Bind::Grid, runSplits},
                  {element, Bind::Grid, pieces, piece},
                  {row, Bind::Serial, schedule.rows},
                  {run, Bind::Serial, ceilDiv(runs, runSplits)}};
  return layout;
}

/// Tiles of columns, whose elements are split among tasks; each task has one tile, or its elements of all.
Layout layoutOfColumns(const IterationDomain& domain, const TaskSchedule& schedule) {
  const bool isRow = domain.runsAlongElements();
  const std::size_t kept = domain.elementDims(), columns = isRow ? kept : kept - 1, size = domain.dims().size();
  const int64_t rows = domain.numel(0, columns), elements = domain.numel(kept, size);
  const int64_t vectors = ceilDiv(domain.numel(columns, kept), schedule.lanes);
  const Bind tiles = schedule.takesAll ? Bind::Serial : Bind::Grid;
  Layout layout;
  layout.dims = {{0, columns, rows}, {columns, kept, vectors, schedule.lanes}, {kept, size, elements}};
  layout.laneDim = isRow ? below : column;
  layout.parts = {{outer, tiles, rows},
                  {column, tiles, ceilDiv(vectors, schedule.tile), schedule.tile},
                  {below, Bind::Grid, schedule.splits, ceilDiv(elements, schedule.splits)}};
  return layout;
}

}  // namespace

Tasks::Tasks(ir::ExprPool& pool, const IterationDomain& domain, const TaskSchedule& schedule, Along along,
             const ir::Target& target)
    : pool_(pool),
      domain_(domain),
      schedule_(schedule),
      along_(along),
      target_(target),
      at_(pool, domain, areColumns() ? layoutOfColumns(domain, schedule) : layoutOfRows(domain, schedule)) {}

Tasks Tasks::afterwards() const {
  TaskSchedule schedule = schedule_;
  schedule.takesAll = true;
  schedule.splits = 1;
  return {pool_, domain_, schedule, along_, target_};
}

std::size_t Tasks::pieceDim() const { return areColumns() ? std::size_t{column} : std::size_t{element}; }

ir::Launch Tasks::launch() const {
  ir::Launch launch;
  launch.tasks = layout().extent(Bind::Grid);
  launch.grain = schedule_.grain;
  return launch;
}

Value Tasks::turn() const { return at_.step(outer) * layout().extent(pieceDim(), Bind::Serial) + at_.step(pieceDim()); }

Value Tasks::partial() const { return schedule_.takesAll ? turn() * schedule_.splits + at_.block(below) : at_.grid(); }

int64_t Tasks::partials() const {
  return launch().tasks * (schedule_.takesAll ? layout().extent(outer, Bind::Serial) * layout().extent(column, Bind::Serial) : 1);
}

ir::Block Tasks::forTasks(ir::Block body) const { return taskLoop(at_.grid(), std::move(body)); }

ir::Block Tasks::forTurns(ir::Block body) const {
  if (!schedule_.takesAll) return body;
  return at_.loops(row, Bind::Serial, areColumns() ? at_.loops(column, Bind::Serial, std::move(body)) : std::move(body));
}

ir::Block Tasks::forTile(const std::function<ir::Block(int64_t)>& body) const { return areColumns() ? forPiece(body) : body(1); }

ir::Block Tasks::forResults(int64_t columns, const UseResults& use) const {
  if (!areColumns()) return forRows({{use(slot())}});
  return across(columns, [&](Value column) { return ir::Block{{use(column)}}; });
}

ir::Block Tasks::forRows(ir::Block body) const {
  if (schedule_.takesAll) return body;
  return at_.loops(row, Bind::Serial, when(at_.isInside(row), std::move(body)));
}

ir::Block Tasks::forRuns(ir::Block body) const { return at_.loops(run, Bind::Serial, when(at_.isInside(run), std::move(body))); }

ir::Block Tasks::forPiece(const std::function<ir::Block(int64_t)>& body) const {
  const Layout::Dim& dim = layout().dims[pieceDim()];
  const Part& part = *layout().outermost(pieceDim());
  const int64_t whole = part.block * lanes(), last = domain_.numel(dim.begin, dim.end) - (part.extent - 1) * whole;
  if (part.extent == 1 || last == whole) return body(last);
  return {{ir::If{(at_.block(pieceDim()) < part.extent - 1).expr(), body(whole), body(last)}}};
}

ir::Block Tasks::one(ir::Block statements, const ir::Expr* active) const {
  for (ir::Statement& statement : statements) std::get<ir::Lanes>(statement.node).active = active;
  return areRowsInside() ? forRows(std::move(statements)) : statements;
}

/// Whole vectors, so many as straight-line code, and what is left as a masked one. With a head this comes first, so that whole
/// vectors are aligned; `count` is no less than its most elements.
ir::Block Tasks::vectors(Value start, int64_t count, int64_t unroll, const std::optional<Head>& head, const Use& use) const {
  const Value zero = number(0);
  const int64_t whole = (head ? count - head->most : count) / lanes(), rounds = whole / unroll;
  const Value first = head ? start + head->elements : start, rest = first + whole * lanes();
  ir::Block block;
  if (head) append(block, one(use(start, zero), head->elements.expr()));
  if (rounds > 0) {
    const Value round = axis(rounds), step = axis(unroll);
    ir::Block body = one(use(first + (round * unroll + step) * lanes(), step), nullptr);
    append(block, loop(LoopKind::Serial, round, loop(LoopKind::Unrolled, step, std::move(body))));
  }
  for (int64_t last = rounds * unroll; last < whole; ++last)
    append(block, one(use(first + number(last) * lanes(), zero), nullptr));
  const int64_t left = count - whole * lanes();  // of which the head may have been some
  for (int64_t done = 0; done < left; done += lanes()) {
    const Value active = (head ? zero + left - head->elements : zero + left) - done;
    append(block, one(use(rest + done, zero), active.expr()));
  }
  return block;
}

std::optional<Tasks::Head> Tasks::headOf(Value start, int64_t count, ElementStores align) const {
  if (!schedule_.hasHead || align.empty() || !hasRoomForHead(align, count, lanes(), target_)) return std::nullopt;
  const int64_t most = alignmentOf(align, lanes(), target_) - 1;
  const Value offset{pool_, domain_.offset(align.front(), vector(start).base)};
  return Head{most - mod(offset + most, most + 1), most};
}

ir::Block Tasks::along(Value start, int64_t count, ElementStores align, const Use& use) const {
  return vectors(start, count, schedule_.unroll, headOf(start, count, align), use);
}

ir::Block Tasks::across(int64_t count, const std::function<ir::Block(Value)>& use) const {
  const int64_t whole = count / lanes();
  const int64_t unroll = whole <= schedule_.unroll ? std::max<int64_t>(1, whole) : 1;
  return vectors(number(0), count, unroll, std::nullopt, [&](Value column, Value) { return use(column); });
}

int64_t Tasks::elements() const { return layout().parts.back().block; }

/// Whether so many elements are the task's; `coversAll` where it has every number that is asked for.
Guard Tasks::isMine(Value inTask, int64_t count, bool coversAll) const {
  const Value last = inTask + (count - 1);
  const Guard ofTask = coversAll ? Guard::always() : last < elements();
  return ofTask & within(at_.blockStart(below) + last, elements() * schedule_.splits, layout().dims[below].extent);
}

ir::Block Tasks::down(int64_t columns, Value first, int64_t count, int atOnce, const UseElements& use) const {
  const auto some = [&](Value inTask, int taken) {
    const Value element = at_.blockStart(below) + inTask;
    return across(columns, [&](Value column) { return ir::Block{{use(column, element, taken)}}; });
  };
  const bool covers = elements() % count == 0;
  const auto single = [&](Value step, Value inTask) {
    return loop(LoopKind::Serial, step, when(isMine(inTask, 1, covers), some(inTask, 1)));
  };
  const int64_t rounds = atOnce == 1 ? 0 : count / atOnce, rest = count - rounds * atOnce;
  ir::Block block;
  if (rounds > 0) {
    const Value round = axis(rounds), inTask = first + round * atOnce, one = axis(atOnce);
    const Guard all = isMine(inTask, atOnce, covers);
    ir::Block body = when(all, some(inTask, atOnce));
    if (!all.isAlways()) std::get<ir::If>(body.front().node).otherwise = single(one, inTask + one);
    append(block, loop(LoopKind::Serial, round, std::move(body)));
  }
  if (rest > 0) {
    const Value step = axis(rest);
    append(block, single(step, first + rounds * atOnce + step));
  }
  return block;
}

/// Vectors may start anywhere.
LanePlace Tasks::placed(const Placement& at, Value lane) const {
  LanePlace place = at.vector(lane);
  place.alignment = 1;
  return place;
}

LanePlace Tasks::vector(Value element) const {
  const Value lane = laneAxis();
  if (!schedule_.isFlat) return placed(at_.at(RowDims::element, element), lane);
  LanePlace place;
  place.dim = domain_.innermost();
  place.lane = lane.expr();
  place.flat = element.expr();
  place.each = domain_.unflatten((element + lane).expr(), 0, domain_.dims().size());
  return place;
}

LanePlace Tasks::vector(Value column, Value element, Value lane) const {
  if (along_ == Along::Rows) return placed(at_.at(run, element).at(RowDims::element, column), lane);
  return placed(at_.at(ColumnDims::column, start() + column).at(below, element), lane);
}

}  // namespace lowering
