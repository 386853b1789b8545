// Reductions along the rows and along the columns of a matrix that is read once: CTAs that take rows one after another.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/kernel/fuse_with_grid_barrier.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/column_epilogue.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

constexpr int sectorColumns = ir::Target::sectorBytes / 4;  // of f32

class PersistentKernel {
 public:
  PersistentKernel(const MixedOrderReduction& matrix, const ir::Target& target, const PersistentSchedule& schedule)
      : matrix_(matrix),
        schedule_(schedule),
        kernel_(matrix.loops, matrix.any().nest, matrix.any().domain, target),
        steps_(ceilDiv(matrix.rows(), schedule.rowsAtOnce())),
        rowVectors_(matrix.columns() / matrix.lanes),
        cta_(kernel_.axis(schedule.grid)),
        thread_(kernel_.axis(schedule.block)),
        step_(kernel_.axis(steps_)),
        ofStep_(kernel_.axis(schedule.rows)),
        vector_(kernel_.axis(schedule.vectors)),
        inGroup_(schedule.group == schedule.block ? thread_ : mod(thread_, schedule.group)),
        group_(schedule.group == schedule.block ? kernel_.number(0) : floorDiv(thread_, schedule.group)) {}

  /// Everything but the columns' results.
  ir::Kernel build() {
    if (rows()) kernel_.addAccumulators(1, 1);
    addInputs();
    addSums();
    ir::Block grid = onThreads(start());
    append(grid, loop(LoopKind::Serial, step_, takeRows()));
    if (columns()) {
      append(grid, onThreads(writePartials()));
      append(grid, onThreads(storePartialResults()));
    }
    ir::Launch launch;
    launch.grid = schedule_.grid;
    launch.block = schedule_.block;
    launch.resident = 1;
    return kernel_.assemble(launch, gridLoop(cta_, std::move(grid)));
  }
  /// The local arrays that have what each CTA's rows add up to, [CTA, column], or all of them, by reduction of columns.
  const std::vector<int>& partialResults() const { return partialResults_; }

 private:
  /// One input in registers: of the row at hand, and of the next one.
  struct Held {
    MatrixInput input;
    int now = 0, next = 0;
    bool isOfRow() const { return input.rowStride != 0; }
    bool isVector() const { return input.columnStride == 1; }
  };

  const MatrixNest* rows() const { return matrix_.alongRows ? &*matrix_.alongRows : nullptr; }
  const MatrixNest* columns() const { return matrix_.alongColumns ? &*matrix_.alongColumns : nullptr; }
  int traversals() const { return rows() ? rows()->nest.traversals() : 0; }
  const std::vector<Reduction>& sums() const { return columns()->nest.reductions; }

  ir::Block onThreads(ir::Block body) const { return loop(LoopKind::Thread, thread_, std::move(body)); }
  Value rowAt(Value step) const {
    const Value turn = step * schedule_.rows + ofStep_;
    return (turn * schedule_.grid + cta_) * schedule_.groups() + group_;
  }
  Value row() const { return rowAt(step_); }
  Condition isRow(Value row) const { return within(row, (steps_ + 1) * schedule_.rowsAtOnce(), matrix_.rows()); }
  Value vector() const { return vector_ * schedule_.group + inGroup_; }
  Value column() const { return vector() * matrix_.lanes; }
  /// The place of a vector among those that a thread holds of all rows alike, or of those it takes at once.
  const Expr* slot() const { return (vector_ * matrix_.lanes).expr(); }
  const Expr* slot(const Held& held) const {
    const Value row = held.isOfRow() ? ofStep_ : kernel_.number(0);
    if (!held.isVector()) return row.expr();
    return ((row * schedule_.vectors + vector_) * matrix_.lanes).expr();
  }
  const Expr* inRegisters(const Held& held, int local) const {
    const auto mode = held.isVector() ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
    return kernel_.pool().load(local, held.input.dtype, slot(held), mode);
  }
  /// `body` for each of the rows that a group takes at once.
  ir::Block forRows(Value row, ir::Block body) const {
    return loop(LoopKind::Unrolled, ofStep_, when(isRow(row), std::move(body)));
  }
  const Expr* zero() const { return kernel_.number(0).expr(); }

  /// `body` for each of a thread's vectors of a row.
  ir::Block forVectors(ir::Lanes lanes) const {
    if (lanes.stores.empty()) return {};
    const Condition isInRow = within(vector(), int64_t{schedule_.vectors} * schedule_.group, rowVectors_);
    return loop(LoopKind::Unrolled, vector_, when(isInRow, {{std::move(lanes)}}));
  }
  ir::Block statement(std::vector<ir::Store> stores) const {
    if (stores.empty()) return {};
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    lanes.stores = std::move(stores);
    return {{std::move(lanes)}};
  }
  ir::Lanes vectorLanes() const {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(matrix_.lanes);
    return lanes;
  }
  LanePlace place(const MatrixNest& matrix, const ir::Lanes& lanes, Value column) const {
    LanePlace place;
    place.lane = lanes.axis;
    place.dim = 1 - matrix.rowDim;
    place.alignment = static_cast<int>(lanes.axis->axis().extent);
    place.base.resize(2);
    place.base[matrix.rowDim] = row().expr();
    place.base[place.dim] = column.expr();
    place.each = place.base;
    place.each[place.dim] = (column + Value{kernel_.pool(), lanes.axis}).expr();
    return place;
  }

  void addInputs() {
    for (const MatrixInput& input : matrix_.inputs()) {
      if (input.rowStride == 0 && input.columnStride == 0) continue;
      const std::string name = kernel_.bufferName(input.buffer);
      const int lanes = input.columnStride == 1 ? matrix_.lanes : 1;
      const int64_t ofRow = input.columnStride == 1 ? int64_t{lanes} * schedule_.vectors : 1;
      const int64_t elements = ofRow * (input.rowStride == 0 ? 1 : schedule_.rows);
      Held held{input, kernel_.addLocal(name + "_held", input.dtype, elements, ir::Space::Private, lanes), 0};
      if (held.isOfRow() && steps_ > 1)
        held.next = kernel_.addLocal(name + "_next", input.dtype, elements, ir::Space::Private, lanes);
      held_.push_back(held);
    }
  }
  void addSums() {
    if (!columns()) return;
    const int64_t all = matrix_.columns();
    for (const Reduction& reduction : sums()) {
      const ir::DType dtype = reduction.body->dtype;
      sums_.push_back(
          kernel_.addLocal("column", dtype, int64_t{matrix_.lanes} * schedule_.vectors, ir::Space::Private, matrix_.lanes));
      partials_.push_back(kernel_.addLocal("partial", dtype, schedule_.groups() * all, ir::Space::Shared));
      totals_.push_back(kernel_.addLocal("total", dtype, 1, ir::Space::Private));
      partialResults_.push_back(schedule_.adds
                                    ? kernel_.addLocal("sum", dtype, all, ir::Space::Sums)
                                    : kernel_.addLocal("partial_result", dtype, schedule_.grid * all, ir::Space::Global));
    }
  }

  const Expr* memory(const MatrixInput& input, Value row, Value column) const {
    const Value offset = kernel_.number(input.constant) + row * input.rowStride + column * input.columnStride;
    return kernel_.pool().load(input.buffer, input.dtype, offset.expr(),
                               input.columnStride == 1 ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane);
  }
  const Expr* vectorOf(int local, ir::DType dtype) const {
    return kernel_.pool().load(local, dtype, slot(), ir::LoadMode::Contiguous);
  }

  /// What columns start from, the weights of all rows, and the first row.
  ir::Block start() const {
    ir::Block block;
    if (columns()) {
      ir::Lanes clear = vectorLanes();
      for (std::size_t i = 0; i < sums().size(); ++i)
        clear.stores.push_back({sums_[i], slot(), kernel_.pool().identity(sums()[i].op, sums()[i].body->dtype), true, {}});
      append(block, loop(LoopKind::Unrolled, vector_, {{std::move(clear)}}));
    }
    ir::Lanes weights = vectorLanes();
    for (const Held& held : held_)
      if (!held.isOfRow()) weights.stores.push_back({held.now, slot(), memory(held.input, row(), column()), true, {}});
    append(block, forVectors(std::move(weights)));
    append(block, fetch(rowAt(kernel_.number(0)), [&](const Held& held) { return steps_ > 1 ? held.next : held.now; }));
    return block;
  }
  /// Reads a row, if there is one, into registers.
  ir::Block fetch(Value row, const std::function<int(const Held&)>& to) const {
    ir::Lanes lanes = vectorLanes();
    std::vector<ir::Store> values;
    for (const Held& held : held_) {
      if (!held.isOfRow()) continue;
      if (held.isVector())
        lanes.stores.push_back({to(held), slot(held), memory(held.input, row, column()), true, {}});
      else
        values.push_back({to(held), slot(held), memory(held.input, row, kernel_.number(0)), true, {}});
    }
    ir::Block block = forVectors(std::move(lanes));
    append(block, statement(std::move(values)));
    return forRows(row, std::move(block));
  }
  /// The row that was read ahead becomes the one at hand.
  ir::Block advance() const {
    if (steps_ == 1) return {};
    ir::Lanes lanes = vectorLanes();
    std::vector<ir::Store> values;
    for (const Held& held : held_) {
      if (!held.isOfRow()) continue;
      const ir::Store move{held.now, slot(held), inRegisters(held, held.next), true, {}};
      if (held.isVector())
        lanes.stores.push_back(move);
      else
        values.push_back(move);
    }
    ir::Block block = forVectors(std::move(lanes));
    append(block, statement(std::move(values)));
    block = forRows(row(), std::move(block));
    append(block, fetch(rowAt(step_ + 1), [](const Held& held) { return held.next; }));
    return block;
  }

  /// What the loads of a nest are read as.
  LoadMap bindings(const MatrixNest& matrix) const {
    LoadMap map;
    for (const Access& access : matrix.domain.loads()) {
      const MatrixInput input = matrix.input(access);
      const auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return one.input == input; });
      map[access.node] =
          held == held_.end() ? memory(input, kernel_.number(0), kernel_.number(0)) : inRegisters(*held, held->now);
    }
    return map;
  }

  /// One step of all groups: a row each.
  ir::Block takeRows() const {
    ir::Block block;
    for (int traversal = 0; traversal < traversals(); ++traversal) {
      append(block, onThreads(reduceRow(traversal)));
      block.push_back({combine(traversal)});
    }
    append(block, onThreads(useRow()));
    return block;
  }
  ir::Block reduceRow(int traversal) const {
    ir::Block block = traversal == 0 ? advance() : ir::Block{};
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    block.push_back(kernel_.reset(reductions, 1));
    ir::Lanes lanes = vectorLanes();
    const LanePlace at = place(*rows(), lanes, column());
    const LoadMap loads = bindings(*rows());
    for (const std::size_t i : reductions) {
      const Reduction& reduction = rows()->nest.reductions[i];
      lanes.stores.push_back(
          {kernel_.accumulator(i), zero(), rows()->domain.at(reduction.body, at.each, loads), false, reduction.op});
    }
    if (traversal == 0) addToColumns(lanes);
    append(block, forRows(row(), forVectors(std::move(lanes))));
    return block;
  }
  /// Adds a vector of a row to its columns; in the first traversal, which has just converted the vector.
  void addToColumns(ir::Lanes& lanes) const {
    if (!columns()) return;
    const LanePlace at = place(*columns(), lanes, column());
    const LoadMap loads = bindings(*columns());
    for (std::size_t i = 0; i < sums().size(); ++i)
      lanes.stores.push_back({sums_[i], slot(), columns()->domain.at(sums()[i].body, at.each, loads), true, sums()[i].op});
  }
  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = schedule_.group;
    for (const std::size_t i : kernel_.reductionsOf(traversal))
      combine.items.push_back({kernel_.accumulator(i), rows()->nest.reductions[i].op});
    return combine;
  }
  /// What is done with a row once it is reduced, or at once where it is not.
  ir::Block useRow() const {
    ir::Lanes lanes = vectorLanes();
    if (rows())
      lanes.stores = kernel_.elementStores(place(*rows(), lanes, column()), bindings(*rows()));
    else
      addToColumns(lanes);
    ir::Block use = forVectors(std::move(lanes));
    if (rows()) append(use, rowStores());
    ir::Block block = traversals() == 0 ? advance() : ir::Block{};
    append(block, forRows(row(), std::move(use)));
    return block;
  }
  ir::Block rowStores() const {
    if (rows()->nest.rowStores.empty()) return {};
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    lanes.stores = kernel_.rowStores(place(*rows(), lanes, kernel_.number(0)), bindings(*rows()));
    return when(schedule_.group == 1 ? Condition() : inGroup_ == 0, {{std::move(lanes)}});
  }

  /// What each group has of the columns, [group, column].
  ir::Block writePartials() const {
    ir::Lanes lanes = vectorLanes();
    const Value to = group_ * matrix_.columns() + column();
    for (std::size_t i = 0; i < sums().size(); ++i)
      lanes.stores.push_back({partials_[i], to.expr(), vectorOf(sums_[i], sums()[i].body->dtype), true, {}});
    return forVectors(std::move(lanes));
  }
  ir::Block storePartialResults() const {
    const int64_t all = matrix_.columns(), count = ceilDiv(all, schedule_.block);
    const Value step = kernel_.axis(count), column = step * schedule_.block + thread_;
    const Value group = kernel_.axis(schedule_.groups());
    std::vector<ir::Store> clear, add, leave;
    for (std::size_t i = 0; i < sums().size(); ++i) {
      const ir::DType dtype = sums()[i].body->dtype;
      const Value from = group * all + column, to = schedule_.adds ? column : cta_ * all + column;
      clear.push_back({totals_[i], zero(), kernel_.pool().identity(sums()[i].op, dtype), true, {}});
      add.push_back({totals_[i], zero(), kernel_.pool().load(partials_[i], dtype, from.expr()), true, sums()[i].op});
      leave.push_back({partialResults_[i], to.expr(), kernel_.pool().load(totals_[i], dtype, zero()), true,
                       schedule_.adds ? std::optional(sums()[i].op) : std::nullopt, schedule_.adds});
    }
    ir::Block body = statement(std::move(clear));
    const LoopKind kind = schedule_.groups() <= limits::persistent::unrolledGroups ? LoopKind::Unrolled : LoopKind::Serial;
    append(body, loop(kind, group, statement(std::move(add))));
    append(body, statement(std::move(leave)));
    return loop(LoopKind::Serial, step, when(within(column, count * schedule_.block, all), std::move(body)));
  }

  const MixedOrderReduction& matrix_;
  const PersistentSchedule schedule_;
  NestKernel kernel_;
  const int64_t steps_, rowVectors_;
  Value cta_, thread_, step_, ofStep_, vector_, inGroup_, group_;
  std::vector<Held> held_;
  std::vector<int> sums_, partials_, totals_, partialResults_;  ///< by reduction of columns
};

ir::Kernel resultsKernel(const ir::Loops& results, const ir::Target& target, int block) {
  const LoopNest nest = analyze(results, target);
  if (!nest.reduction) return apply(nest, target, scheduleOf(PointwiseMapping{.block = block}, nest.domain));
  ColumnMapping mapping;
  mapping.columns = nest.domain.dims()[0].extent;
  mapping.elements = nest.domain.numel(1, nest.domain.dims().size());
  mapping.across = sectorColumns;
  mapping.down = block / sectorColumns;
  return apply(nest, target, scheduleOf(mapping, *nest.reduction, nest.domain));
}

/// The elements of columns as those of rows, whose weights the columns' values are.
ir::Kernel elementsKernel(const ColumnEpilogue& epilogue, const MixedOrderReduction& matrix, const ir::Target& target,
                          const PersistentSchedule& schedule) {
  const ReductionNest& columns = matrix.alongColumns->nest;
  ReductionNest rows;
  rows.kept = columns.reduced;
  rows.reduced = columns.kept;
  rows.elementStores = epilogue.elements().stores;
  const MixedOrderReduction elements{epilogue.elements(), MatrixNest{rows, IterationDomain(epilogue.elements(), rows), 0},
                                     std::nullopt, matrix.lanes};
  return PersistentKernel(elements, target, schedule).build();
}

}  // namespace

ir::Kernel applyPersistent(const MixedOrderReduction& matrix, const ir::Target& target, const PersistentSchedule& schedule) {
  PersistentKernel persistent(matrix, target, schedule);
  ir::Kernel kernel = persistent.build();
  if (!matrix.alongColumns) return kernel;
  std::vector<ir::Local> partialResults;
  std::vector<std::string> names;
  for (const int partial : persistent.partialResults()) {
    partialResults.push_back(*kernel.local(partial));
    names.push_back(partialResults.back().buffer.name);
  }
  const ColumnEpilogue epilogue(matrix, partialResults);
  ir::Kernel withResults = fuseWithGridBarrier(kernel, resultsKernel(epilogue.results(), target, schedule.block), names);
  if (epilogue.elements().stores.empty()) return withResults;
  return fuseWithGridBarrier(withResults, elementsKernel(epilogue, matrix, target, schedule), epilogue.intermediates());
}

}  // namespace lowering
