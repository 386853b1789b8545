// Loops without scans as tasks: traversals of a nest's elements in vectors, and the stores.
#include <numeric>

#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/values.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class TaskKernel {
 public:
  TaskKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
             const TaskSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        target_(target),
        lanes_(schedule.lanes),
        tasks_(kernel_.pool(), domain, schedule,
               nest.reductions.empty() || domain.runsAlongElements() ? Along::Rows : Along::Columns, target),
        afterwards_(tasks_.afterwards()),
        areColumns_(tasks_.areColumns()),
        runs_(domain.numel(domain.elementDims(), domain.innermost())) {}

  ir::Kernel build() {
    values_.add();
    if (isSplit())
      partials_ =
          values_.addForReductions("partial_result", tasks_.partials() * (areColumns_ ? values_.count() : 1), ir::Space::Global);
    ir::Block block = tasks_.forTasks(tasks_.forTurns(tasks_.forTile([&](int64_t columns) { return body(columns); })));
    if (isSplit()) append(block, combinePartialResults());
    ir::Kernel kernel = kernel_.assemble(tasks_.launch(), std::move(block));
    kernel.streamStores = schedule_.streams;
    return kernel;
  }

 private:
  bool isSplit() const { return schedule_.splits > 1; }

  /// What a task does with its rows, or with so many columns.
  ir::Block body(int64_t columns) const {
    ir::Block block;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(block, values_.hoist(traversal, columns));
      append(block, areColumns_ ? reduceColumns(traversal, columns) : reduceRows(traversal));
    }
    if (isSplit()) {
      append(block, storePartialResults(columns));
      return block;
    }
    append(block, values_.hoist(nest_.traversals(), columns));
    append(block, schedule_.storesAcross ? storesAcross(columns) : elementStores(columns));
    append(block, rowStores(tasks_, columns, [&](Value slot) { return values_.knownOnce(slot); }));
    return block;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Traversals.

  using UseVector = std::function<ir::Lanes(const ElementVector&)>;
  using UseVectors = std::function<ir::Lanes(const std::vector<ElementVector>&)>;

  /// Rows: `count` elements of a run from one on, where a place says, with stores that are to be aligned.
  ir::Block run(Value start, int64_t count, ElementStores align, const std::function<LanePlace(Value)>& place,
                const UseVector& use) const {
    return tasks_.along(start, count, align, [&](Value element, Value step) {
      const Value slot = tasks_.slot(), sums = (slot * schedule_.unroll + step) * lanes_;
      return ir::Block{{use({place(element), slot, element, sums})}};
    });
  }
  /// Rows: what is done with `count` elements of a run from one on.
  using UseRun = std::function<ir::Block(Value start, int64_t count, const std::function<LanePlace(Value)>& place)>;
  /// Rows: every element of the task.
  ir::Block sweepRows(const UseRun& use) const {
    const auto place = [&](Value element) { return tasks_.vector(element); };
    ir::Block body = tasks_.forPiece([&](int64_t count) { return use(tasks_.start(), count, place); });
    return tasks_.forRuns(tasks_.areRowsInside() ? std::move(body) : tasks_.forRows(std::move(body)));
  }
  /// Rows: the same, where all runs are one.
  ir::Block sweepAsOneRun(const UseRun& use) const {
    const Value zero = kernel_.number(0);
    return use(zero, runs_ * domain_.inner().extent, [&](Value element) { return tasks_.vector(element, zero); });
  }
  /// Columns: `count` elements from one of the task's on, so many at once.
  ir::Block sweepColumns(int64_t columns, Value first, int64_t count, int atOnce, const UseVectors& use) const {
    return tasks_.down(columns, first, count, atOnce, [&](Value column, Value element, int taken) {
      std::vector<ElementVector> vectors;
      const Value lane = tasks_.laneAxis();
      for (int i = 0; i < taken; ++i) {
        const Value one = element + i;
        vectors.push_back({tasks_.vector(column, one, lane), column, one * values_.count() + column, column});
      }
      return use(vectors);
    });
  }

  ir::Block reduceRows(int traversal) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    const bool isOneRun = !isSplit() && schedule_.rows == 1 && areRunsOne(nest_, domain_, traversal);
    const ElementStores align = !isOneRun && runs_ == 1 ? elementAccesses() : ElementStores();
    const auto sweep = [&](const UseRun& use) { return isOneRun ? sweepAsOneRun(use) : sweepRows(use); };
    const UseRun add = [&](Value start, int64_t count, const auto& place) {
      return run(start, count, align, place,
                 [&](const ElementVector& vector) { return combining(traversal, {vector}, values_.blockSums()); });
    };
    const UseRun addBlocks = [&](Value start, int64_t count, const auto& place) {
      return inBlocks(count, [&](Value first, int64_t some) {
        ir::Block block = values_.resetBlockSums(reductions);
        append(block, add(start + first, some, place));
        append(block, values_.addBlockSums(reductions));
        return block;
      });
    };
    ir::Block block = values_.resetSums(reductions);
    append(block, values_.reset(reductions));
    append(block, sweep(schedule_.block > 0 ? addBlocks : add));
    append(block, values_.addUp(reductions, 1));
    return block;
  }
  /// Rows: `body` for each block of `count` elements, from the first of its elements on; the last block may be shorter.
  ir::Block inBlocks(int64_t count, const std::function<ir::Block(Value first, int64_t some)>& body) const {
    const int64_t whole = count / schedule_.block, rest = count % schedule_.block;
    const Value number = kernel_.axis(whole);
    ir::Block block;
    if (whole > 0) append(block, loop(LoopKind::Serial, number, body(number * schedule_.block, schedule_.block)));
    if (rest > 0) append(block, body(kernel_.number(whole * schedule_.block), rest));
    return block;
  }
  ir::Block reduceColumns(int traversal, int64_t columns) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    const int atOnce = traversal > 0 || !values_.areHeld() ? schedule_.atOnce : 1;
    const auto sweep = [&](Value first, int64_t count, const std::vector<int>& sums) {
      return sweepColumns(columns, first, count, atOnce,
                          [&](const std::vector<ElementVector>& vectors) { return combining(traversal, vectors, sums); });
    };
    ir::Block block = values_.reset(reductions);
    if (schedule_.block == 0) {
      append(block, sweep(kernel_.number(0), tasks_.elements(), values_.results()));
      return block;
    }
    const Value number = kernel_.axis(ceilDiv(tasks_.elements(), schedule_.block));
    ir::Block body = values_.resetSums(reductions);
    append(body, sweep(number * schedule_.block, schedule_.block, values_.sums()));
    append(body, values_.addUp(reductions, columns));
    append(block, loop(LoopKind::Serial, number, std::move(body)));
    return block;
  }

  /// Adds vectors of neighbouring elements to the sums of a traversal, and keeps what is held of them.
  ir::Lanes combining(int traversal, const std::vector<ElementVector>& vectors, const std::vector<int>& sums) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    ir::Lanes lanes = kernel_.lanes(vectors.front().at);
    std::vector<std::vector<const Expr*>> values(reductions.size());
    for (const ElementVector& one : vectors) {
      const LoadMap loads = readLanes(kernel_.pool(), domain_, one.at, values_.known(one, traversal));
      for (ir::Store& store : values_.hold(traversal, one, loads)) lanes.stores.push_back(store);
      for (std::size_t i = 0; i < reductions.size(); ++i)
        values[i].push_back(domain_.at(nest_.reductions[reductions[i]].body, one.at.each, loads));
    }
    for (std::size_t i = 0; i < reductions.size(); ++i) {
      const ir::Op op = nest_.reductions[reductions[i]].op;
      lanes.stores.push_back({sums[reductions[i]], vectors.front().sums.expr(), combined(op, std::move(values[i])), true, op});
    }
    return lanes;
  }
  /// Values combined pairwise.
  const Expr* combined(ir::Op op, std::vector<const Expr*> values) const {
    for (; values.size() > 1; values.resize(ceilDiv(values.size(), 2)))
      for (std::size_t i = 0; 2 * i < values.size(); ++i)
        values[i] = 2 * i + 1 < values.size() ? kernel_.pool().make(op, {values[2 * i], values[2 * i + 1]}) : values[2 * i];
    return values.front();
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Stores.

  ElementStores elementAccesses() const { return ElementStores(domain_.stores()).subspan(nest_.rowStores.size()); }

  ir::Block elementStores(int64_t columns) const {
    if (nest_.elementStores.empty()) return {};
    const UseVector store = [&](const ElementVector& one) {
      ir::Lanes lanes = kernel_.lanes(one.at);
      const LoadMap known = values_.known(one, nest_.traversals());
      lanes.stores = kernel_.elementStores(one.at, readLanes(kernel_.pool(), domain_, one.at, known));
      return schedule_.isAtomic ? atomic(kernel_.pool(), std::move(lanes), target_) : lanes;
    };
    if (!areColumns_)
      return sweepRows(
          [&](Value start, int64_t count, const auto& place) { return run(start, count, elementAccesses(), place, store); });
    return sweepColumns(columns, kernel_.number(0), tasks_.elements(), 1,
                        [&](const std::vector<ElementVector>& vectors) { return store(vectors.front()); });
  }

  /// The element stores along the elements: a vector of each column in turn, as one reads the cache lines of the one before.
  ir::Block storesAcross(int64_t columns) const {
    ir::Block block = copyResults(columns, values_.byColumn(), [](Value column) { return column; });
    const int64_t extent = domain_.inner().extent, whole = extent / lanes_;
    const Value run = kernel_.axis(tasks_.elements() / extent), vector = kernel_.axis(whole);
    ir::Block body;
    if (whole > 0) append(body, loop(LoopKind::Serial, vector, storeAcross(columns, run, vector * lanes_, lanes_)));
    if (extent % lanes_ != 0) append(body, storeAcross(columns, run, kernel_.number(whole * lanes_), extent % lanes_));
    append(block, loop(LoopKind::Serial, run, std::move(body)));
    return block;
  }
  ir::Block storeAcross(int64_t columns, Value run, Value start, int64_t active) const {
    const Value column = kernel_.axis(columns), lane = tasks_.laneAxis();
    LanePlace at = tasks_.vector(column, run * domain_.inner().extent, lane);
    at.dim = domain_.innermost();
    at.each = at.base;
    at.base.back() = start.expr();
    at.each.back() = (start + lane).expr();
    ir::Lanes lanes = kernel_.lanes(at);
    const LoadMap known = values_.knownOfColumn(column);
    lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, known));
    if (active < lanes_) lanes.active = kernel_.number(active).expr();
    return loop(LoopKind::Serial, column, {{std::move(lanes)}});
  }

  ir::Block rowStores(const Tasks& tasks, int64_t columns, const std::function<LoadMap(Value slot)>& known) const {
    if (nest_.rowStores.empty()) return {};
    return tasks.forResults(columns, [&](Value slot) {
      const LanePlace at = tasks.first(slot);
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.rowStores(at, readLanes(kernel_.pool(), domain_, at, known(slot)));
      return lanes;
    });
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Partial results.

  /// Lanes of statements on results.
  int64_t resultLanes() const { return areColumns_ ? lanes_ : 1; }
  Value partialAt(Value number, Value slot) const { return areColumns_ ? number * values_.count() + slot : number; }

  /// Stores results in other arrays.
  ir::Block copyResults(int64_t columns, const std::vector<int>& to, const std::function<Value(Value slot)>& offset) const {
    std::vector<std::size_t> all(nest_.reductions.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return tasks_.forResults(columns, [&](Value slot) {
      return values_.forReductions(all, resultLanes(), [&](std::size_t i) {
        return ir::Store{to[i], offset(slot).expr(), values_.known(slot).at(nest_.reductions[i].result), true, {}};
      });
    });
  }
  ir::Block storePartialResults(int64_t columns) const {
    return copyResults(columns, partials_, [&](Value slot) { return partialAt(tasks_.partial(), slot); });
  }

  ir::Block combinePartialResults() const {
    const Value split = kernel_.axis(schedule_.splits);
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(0);
    const auto add = [&](Value slot) {
      const Value from = partialAt(afterwards_.turn() * schedule_.splits + split, slot);
      return values_.forReductions(reductions, resultLanes(), [&](std::size_t i) {
        const Reduction& reduction = nest_.reductions[i];
        const Expr* partial = values_.read(partials_[i], reduction.body->dtype, from);
        return ir::Store{kernel_.accumulator(i), slot.expr(), partial, areColumns_, reduction.op};
      });
    };
    return afterwards_.forTurns(afterwards_.forTile([&](int64_t columns) {
      ir::Block block = values_.reset(reductions);
      append(block, loop(LoopKind::Serial, split, afterwards_.forResults(columns, add)));
      append(block, rowStores(afterwards_, columns, [&](Value slot) { return values_.known(slot); }));
      return block;
    }));
  }

  const TaskSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const ir::Target& target_;
  const int lanes_;
  Tasks tasks_, afterwards_;
  TaskValues values_{kernel_, tasks_, schedule_};
  const bool areColumns_;  ///< whether lanes are different columns, with results of their own
  const int64_t runs_;     ///< of a row
  std::vector<int> partials_;
};

}  // namespace

ir::Kernel applyTasks(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                      const TaskSchedule& schedule) {
  return TaskKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
