// Reductions along the rows and along the columns of a matrix that is read once: CTAs that take rows one after another.
#include <algorithm>
#include <functional>
#include <utility>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/persistent.h"
#include "lowering/kernel/fuse_with_grid_barrier.h"
#include "lowering/layout/edit.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/column_epilogue.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class PersistentKernel {
 public:
  /// A schedule that is backwards takes the last rows first.
  PersistentKernel(const MixedOrderReduction& matrix, const ir::Target& target, const LayoutSchedule& schedule)
      : matrix_(matrix),
        schedule_(inDims(schedule, matrix.domain)),
        kernel_(matrix.loops, matrix.alongRows, matrix.domain, target),
        loops_(kernel_.pool(), matrix.domain, schedule_.layout),
        at_(atStep(loops_.digits(Bind::Serial))),
        layout_(at_.layout()) {}

  /// Everything but the columns' results.
  ir::Kernel build() {
    kernel_.addAccumulators(1, 1);
    addInputs();
    addSums();
    ir::Block grid = at_.onThreads(start());
    append(grid, loops_.loops(Bind::Serial, takeRows()));
    if (matrix_.reducesColumns()) {
      append(grid, at_.onThreads(writePartials()));
      append(grid, at_.onThreads(storePartialResults()));
    }
    ir::Launch launch = at_.launch();
    launch.resident = schedule_.resident;
    return kernel_.assemble(launch, gridLoop(at_.grid(), std::move(grid)));
  }
  /// The local arrays that have what each CTA's rows add up to, [CTA, column], or all of them, by reduction of columns.
  const std::vector<int>& partialResults() const { return partialResults_; }

 private:
  /// One input in registers: of the row at hand, and of the next one.
  struct Held {
    MatrixInput input;
    int now = 0, next = 0;
  };

  int traversals() const { return matrix_.alongRows.traversals(); }
  const std::vector<Reduction>& sums() const { return matrix_.alongColumns.reductions; }

  /// Threads of a row, and groups of so many in a CTA.
  int group() const { return static_cast<int>(layout_.extent(alongRow_, Bind::Thread)); }
  int64_t groups() const { return layout_.extent(acrossRows_, Bind::Thread); }
  int64_t block() const { return layout_.extent(Bind::Thread); }
  /// Elements of a row that a thread takes.
  int64_t elements() const { return layout_.extent(alongRow_, Bind::Unrolled) * layout_.lanes(); }
  bool readsAhead() const { return steps() > 1; }

  int64_t steps() const { return layout_.extent(Bind::Serial); }
  /// The place of the thread's row in a step.
  Placement atStep(Value step) const {
    Placement other = loops_;
    const int64_t last = loops_.layout().extent(Bind::Serial) - 1;
    other.replace(acrossRows_, Bind::Serial, schedule_.isBackwards ? kernel_.number(last) - step : step);
    return other;
  }
  Value column() const { return at_.index(alongRow_) * layout_.lanes(); }
  /// The place of a vector among the vectors that a thread holds of all rows alike, or of the rows that it takes at once.
  const Expr* slot() const { return (at_.digits(alongRow_, Bind::Unrolled) * layout_.lanes()).expr(); }
  const Expr* slot(const Held& held) const {
    if (!held.input.isVector) return at_.digits(acrossRows_, Bind::Unrolled).expr();
    return held.input.isOfRow ? (at_.digits(Bind::Unrolled) * layout_.lanes()).expr() : slot();
  }
  const Expr* inRegisters(const Held& held, int local) const {
    const auto mode = held.input.isVector ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
    return kernel_.pool().load(local, held.input.dtype(), slot(held), mode);
  }
  /// `body` for each of the rows that a group takes at once.
  ir::Block forRows(const Placement& at, ir::Block body) const {
    return at_.loops(acrossRows_, Bind::Unrolled, when(at.index(acrossRows_) < matrix_.rows(), std::move(body)));
  }
  const Expr* zero() const { return kernel_.number(0).expr(); }

  /// `body` for each of a thread's vectors of a row.
  ir::Block forVectors(ir::Lanes lanes) const {
    if (lanes.stores.empty()) return {};
    return at_.loops(alongRow_, Bind::Unrolled, when(at_.isInside(alongRow_), {{std::move(lanes)}}));
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
    lanes.axis = kernel_.pool().axis(layout_.lanes());
    return lanes;
  }
  /// The vector at hand.
  LanePlace place(const ir::Lanes& lanes) const { return at_.vector({kernel_.pool(), lanes.axis}); }

  void addInputs() {
    for (const MatrixInput& input : matrix_.inputs()) {
      if ((!input.isOfRow && !input.isVector) || !input.isEarly) continue;
      const std::string name = kernel_.bufferName(input.access->buffer);
      const int lanes = input.isVector ? layout_.lanes() : 1;
      const int64_t held = (input.isVector ? elements() : 1) * (input.isOfRow ? layout_.extent(acrossRows_, Bind::Unrolled) : 1);
      const auto add = [&](const char* stem) {
        return kernel_.addLocal(name + stem, input.dtype(), held, ir::Space::Private, lanes);
      };
      held_.push_back({input, add("_held"), input.isOfRow && readsAhead() ? add("_next") : 0});
    }
  }
  void addSums() {
    const int64_t all = matrix_.columns();
    for (const Reduction& reduction : sums()) {
      const ir::DType dtype = reduction.body->dtype;
      sums_.push_back(kernel_.addLocal("column", dtype, elements(), ir::Space::Private, layout_.lanes()));
      partials_.push_back(kernel_.addLocal("partial", dtype, groups() * all, ir::Space::Shared));
      totals_.push_back(kernel_.addLocal("total", dtype, 1, ir::Space::Private));
      partialResults_.push_back(
          schedule_.isAtomic ? kernel_.addLocal("sum", dtype, all, ir::Space::Sums)
                             : kernel_.addLocal("partial_result", dtype, layout_.extent(Bind::Grid) * all, ir::Space::Global));
    }
  }

  const Expr* memory(const MatrixInput& input, const Placement& at) const {
    const Position position = at.vector().base;
    const auto mode = input.isVector ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
    return matrix_.domain.load(*input.access, matrix_.domain.offset(*input.access, position), mode, position, {});
  }
  const Expr* vectorOf(int local, ir::DType dtype) const {
    return kernel_.pool().load(local, dtype, slot(), ir::LoadMode::Contiguous);
  }

  /// What columns start from, the weights of all rows, and the first row.
  ir::Block start() const {
    ir::Block block;
    if (matrix_.reducesColumns()) {
      ir::Lanes clear = vectorLanes();
      for (std::size_t i = 0; i < sums().size(); ++i)
        clear.stores.push_back({sums_[i], slot(), kernel_.pool().identity(sums()[i].op, sums()[i].body->dtype), true, {}});
      append(block, at_.loops(alongRow_, Bind::Unrolled, {{std::move(clear)}}));
    }
    ir::Lanes weights = vectorLanes();
    for (const Held& held : held_)
      if (!held.input.isOfRow) weights.stores.push_back({held.now, slot(), memory(held.input, at_), true, {}});
    append(block, forVectors(std::move(weights)));
    append(block, fetch(atStep(kernel_.number(0)), readsAhead() ? &Held::next : &Held::now));
    return block;
  }
  /// A store of each input of rows, for the rows that a group takes at once.
  ir::Block forInputs(const Placement& at, const std::function<ir::Store(const Held&)>& store) const {
    ir::Lanes lanes = vectorLanes();
    std::vector<ir::Store> values;
    for (const Held& held : held_)
      if (held.input.isOfRow) (held.input.isVector ? lanes.stores : values).push_back(store(held));
    ir::Block block = forVectors(std::move(lanes));
    append(block, statement(std::move(values)));
    return forRows(at, std::move(block));
  }
  /// Reads a row, if there is one, into registers.
  ir::Block fetch(const Placement& at, int Held::* to) const {
    return forInputs(at, [&](const Held& held) { return ir::Store{held.*to, slot(held), memory(held.input, at), true, {}}; });
  }
  /// The row that was read ahead becomes the one at hand.
  ir::Block advance() const {
    if (!readsAhead()) return {};
    ir::Block block =
        forInputs(at_, [&](const Held& held) { return ir::Store{held.now, slot(held), inRegisters(held, held.next), true, {}}; });
    const Value next = loops_.digits(Bind::Serial) + 1;
    ir::Block ahead = fetch(atStep(next), &Held::next);
    append(block, schedule_.isBackwards ? when(next < steps(), std::move(ahead)) : std::move(ahead));
    return block;
  }

  /// What the loads of the matrix are read as.
  LoadMap bindings() const {
    LoadMap map;
    for (const Access& access : matrix_.domain.loads()) {
      const auto held =
          std::find_if(held_.begin(), held_.end(), [&](const Held& one) { return isSame(*one.input.access, access); });
      map[access.node] = held == held_.end() ? memory(matrix_.input(access), at_) : inRegisters(*held, held->now);
    }
    return map;
  }

  /// One step of all groups: a row each.
  ir::Block takeRows() const {
    ir::Block block;
    for (int traversal = 0; traversal < traversals(); ++traversal) {
      append(block, at_.onThreads(reduceRow(traversal)));
      block.push_back({combine(traversal)});
    }
    append(block, at_.onThreads(useRow()));
    return block;
  }
  ir::Block reduceRow(int traversal) const {
    ir::Block block = traversal == 0 ? advance() : ir::Block{};
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), 1));
    ir::Lanes lanes = vectorLanes();
    lanes.stores = kernel_.reductionStores(traversal, place(lanes), bindings(), /*apart=*/false);
    if (traversal == 0) addToColumns(lanes);
    append(block, forRows(at_, forVectors(std::move(lanes))));
    return block;
  }
  /// Adds a vector of a row to its columns; in the first traversal, which has just converted the vector.
  void addToColumns(ir::Lanes& lanes) const {
    const LanePlace at = place(lanes);
    const LoadMap loads = bindings();
    for (std::size_t i = 0; i < sums().size(); ++i)
      lanes.stores.push_back({sums_[i], slot(), matrix_.domain.at(sums()[i].body, at.each, loads), true, sums()[i].op});
  }
  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = group();
    for (const std::size_t i : kernel_.reductionsOf(traversal))
      combine.items.push_back({kernel_.accumulator(i), matrix_.alongRows.reductions[i].op});
    return combine;
  }
  /// What is done with a row once it is reduced, or at once where it is not.
  ir::Block useRow() const {
    ir::Lanes lanes = vectorLanes();
    lanes.stores = kernel_.elementStores(place(lanes), bindings());
    if (traversals() == 0) addToColumns(lanes);
    ir::Block use = forVectors(std::move(lanes));
    append(use, rowStores());
    ir::Block block = traversals() == 0 ? advance() : ir::Block{};
    append(block, forRows(at_, std::move(use)));
    return block;
  }
  ir::Block rowStores() const {
    if (matrix_.alongRows.rowStores.empty()) return {};
    const LanePlace at = at_.row();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, bindings());
    return when(group() == 1 ? Guard::always() : at_.digits(alongRow_, Bind::Thread) == 0, {{std::move(lanes)}});
  }

  /// What each group has of the columns, [group, column].
  ir::Block writePartials() const {
    ir::Lanes lanes = vectorLanes();
    const Value to = at_.digits(acrossRows_, Bind::Thread) * matrix_.columns() + column();
    for (std::size_t i = 0; i < sums().size(); ++i)
      lanes.stores.push_back({partials_[i], to.expr(), vectorOf(sums_[i], sums()[i].body->dtype), true, {}});
    return forVectors(std::move(lanes));
  }
  ir::Block storePartialResults() const {
    const int64_t all = matrix_.columns(), count = ceilDiv(all, block());
    const Value step = kernel_.axis(count), column = step * block() + at_.thread();
    const Value group = kernel_.axis(groups());
    std::vector<ir::Store> clear, add, leave;
    for (std::size_t i = 0; i < sums().size(); ++i) {
      const ir::DType dtype = sums()[i].body->dtype;
      const Value from = group * all + column, to = schedule_.isAtomic ? column : at_.grid() * all + column;
      clear.push_back({totals_[i], zero(), kernel_.pool().identity(sums()[i].op, dtype), true, {}});
      add.push_back({totals_[i], zero(), kernel_.pool().load(partials_[i], dtype, from.expr()), true, sums()[i].op});
      leave.push_back({partialResults_[i], to.expr(), kernel_.pool().load(totals_[i], dtype, zero()), true,
                       schedule_.isAtomic ? std::optional(sums()[i].op) : std::nullopt, schedule_.isAtomic});
    }
    ir::Block body = statement(std::move(clear));
    const LoopKind kind = groups() <= limits::persistent::unrolledGroups ? LoopKind::Unrolled : LoopKind::Serial;
    append(body, loop(kind, group, statement(std::move(add))));
    append(body, statement(std::move(leave)));
    return loop(LoopKind::Serial, step, when(within(column, count * block(), all), std::move(body)));
  }

  const MixedOrderReduction& matrix_;
  const LayoutSchedule schedule_;
  NestKernel kernel_;
  static constexpr std::size_t acrossRows_ = 0, alongRow_ = 1;  ///< dims of the layout
  Placement loops_;                                             ///< the digits count through the loops
  Placement at_;                                                ///< the place of the row at hand
  const Layout& layout_;
  std::vector<Held> held_;
  std::vector<int> sums_, partials_, totals_, partialResults_;  ///< by reduction of columns
};

/// The elements of columns as elements of rows, whose weights the columns' values are.
ir::Kernel elementsKernel(const ColumnEpilogue& epilogue, const MixedOrderReduction& matrix, const ir::Target& target,
                          const LayoutSchedule& schedule) {
  ReductionNest rows;
  rows.kept = matrix.alongColumns.reduced;
  rows.reduced = matrix.alongColumns.kept;
  rows.elementStores = epilogue.elements().stores;
  const IterationDomain domain(epilogue.elements(), rows);
  const MixedOrderReduction elements{epilogue.elements(), rows, {}, domain, matrix.lanes};
  return PersistentKernel(elements, target, choosePersistentElements(schedule, elements, target)).build();
}

}  // namespace

ir::Kernel applyPersistent(const MixedOrderReduction& matrix, const ir::Target& target, const LayoutSchedule& schedule) {
  PersistentKernel persistent(matrix, target, schedule);
  ir::Kernel kernel = persistent.build();
  if (!matrix.reducesColumns()) return kernel;
  std::vector<ir::Local> partialResults;
  std::vector<std::string> names;
  for (const int partial : persistent.partialResults()) {
    partialResults.push_back(*kernel.local(partial));
    names.push_back(partialResults.back().buffer.name);
  }
  const ColumnEpilogue epilogue(matrix, partialResults);
  const LoopNest results = analyze(epilogue.results(), target);
  const LayoutSchedule ofResults = choosePersistentResults(results, kernel.launch.block, kernel.launch.grid);
  ir::Kernel withResults = fuseWithGridBarrier(kernel, apply(results, target, ofResults), names);
  if (epilogue.elements().stores.empty()) return withResults;
  return fuseWithGridBarrier(withResults, elementsKernel(epilogue, matrix, target, schedule), epilogue.intermediates());
}

}  // namespace lowering
