// Inner reductions on a CPU: a task a row, or, where rows are few and long, a split of one.
#include <algorithm>
#include <bit>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/reuse.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/cpu/vectors.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class CpuRowKernel {
 public:
  CpuRowKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target)
      : kernel_(loops, nest, domain, target),
        loops_(loops),
        nest_(nest),
        domain_(domain),
        target_(target),
        lanes_(std::min(cpuLanes(loops, domain, domain.innermost(), target),
                        static_cast<int>(std::bit_ceil(static_cast<uint64_t>(domain.inner().extent))))),
        rows_(domain.numel(0, domain.elementDims())),
        runs_(domain.numel(domain.elementDims(), domain.innermost())),
        splits_(chooseSplits(target)),
        rowsPerTask_(chooseRowsPerTask(target)),
        accumulators_(chooseAccumulators()),
        task_(kernel_.pool(), kernel_.pool().axis(ceilDiv(rows_, rowsPerTask_) * splits_)) {}

  ir::Kernel build() {
    kernel_.addAccumulators(rowsPerTask_, 1);
    for (const Reduction& reduction : nest_.reductions)
      vectors_.push_back(addVectors("lanes", reduction.body->dtype, rowsPerTask_ * accumulators_ * lanes_));
    addHoisted();
    addHeld();
    ir::Launch launch;
    launch.tasks = task_.expr()->axis().extent;
    launch.grain = cpuGrain(loops_, domain_, domain_.numel() / launch.tasks);
    ir::Block body, task;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(task, computeHoisted(traversal));
      append(task, reduce(traversal));
    }
    if (splits_ == 1) {
      append(task, computeHoisted(nest_.traversals()));
      append(task, elementStores());
      append(task, forRows([&](const Row& row) { return rowStores(row.number, bindings(row)); }));
      body.push_back({ir::For{task_.expr(), LoopKind::Task, std::move(task)}});
    } else {
      launch.grain = 1;
      for (const Reduction& reduction : nest_.reductions)
        partials_.push_back(kernel_.addLocal("partial_result", reduction.body->dtype, rows_ * splits_, ir::Space::Global));
      append(task, storePartialResults());
      body.push_back({ir::For{task_.expr(), LoopKind::Task, std::move(task)}});
      append(body, combinePartialResults());
    }
    ir::Kernel kernel = kernel_.assemble(launch, std::move(body));
    const ElementStores stores = elementAccesses();
    kernel.streamStores =
        !stores.empty() && canAlign(domain_, stores, domain_.inner().extent, lanes_, target_) && exceedsCaches(loops_, target_);
    return kernel;
  }

 private:
  /// More than one where rows alone do not keep all threads busy and nothing but reductions of the first traversal is asked for.
  int64_t chooseSplits(const ir::Target& target) const {
    if (nest_.traversals() > 1 || !nest_.elementStores.empty() || rows_ >= target.processors) return 1;
    const int64_t parts = runs_ > 1 ? runs_ : domain_.inner().extent / lanes_;
    const int64_t rowElements = runs_ * domain_.inner().extent;
    return std::max<int64_t>(1, std::min({int64_t{target.processors}, parts, rowElements / limits::cpu::rowSplitElements}));
  }

  /// Several where runs are short and those of neighbouring rows follow one another in memory, which is then read and written in
  /// longer segments; as many as the cache keeps until they are traversed again.
  int64_t chooseRowsPerTask(const ir::Target& target) const {
    if (runs_ == 1 || splits_ > 1 || domain_.elementDims() == 0) return 1;
    const int64_t extent = domain_.inner().extent;
    int64_t runBytes = 0, rowBytes = 0;
    for (const std::vector<Access>* accesses : {&domain_.loads(), &domain_.stores()})
      for (const Access& access : *accesses) {
        if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
        if (!domain_.isInnerContiguous(access) || domain_.stride(access, domain_.elementDims() - 1) != extent) return 1;
        runBytes = std::max(runBytes, extent * access.elementBytes);
        rowBytes += runs_ * extent * access.elementBytes;
      }
    const int64_t perThread = ceilDiv(rows_, limits::cpu::tasksPerThread * target.processors);
    const int64_t inCache = limits::cpu::segmentCache.of(target.cacheBytes) / rowBytes;
    const int64_t most = std::max<int64_t>(1, std::min({limits::cpu::segmentBytes / runBytes, inCache, perThread}));
    int64_t whole = most;  // that leaves no task with fewer rows
    while (rows_ % whole != 0) --whole;
    return 2 * whole > most ? whole : most;
  }

  /// No more than there are whole vectors in a run.
  int chooseAccumulators() const {
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal)
      if (isOneRun(traversal)) return limits::cpu::accumulators;
    return static_cast<int>(std::clamp<int64_t>(domain_.inner().extent / lanes_, 1, limits::cpu::accumulators));
  }

  /// One of the task's rows, and its number among these.
  struct Row {
    Value number, slot;
  };
  ir::Block forRows(const std::function<ir::Block(const Row&)>& body) const {
    if (rowsPerTask_ == 1) return body({splits_ == 1 ? task_ : floorDiv(task_, splits_), kernel_.number(0)});
    const Value slot = kernel_.axis(rowsPerTask_), number = task_ * rowsPerTask_ + slot;
    return loop(LoopKind::Serial, slot,
                when(within(number, ceilDiv(rows_, rowsPerTask_) * rowsPerTask_, rows_), body({number, slot})));
  }

  int addVectors(const std::string& stem, ir::DType dtype, int64_t elements) {
    return kernel_.addLocal(stem, dtype, elements, ir::Space::Private, lanes_);
  }

  /// Of rows one after another, what their elements share leaves the loops over these; of several rows it is kept.
  void addHoisted() {
    if (rowsPerTask_ == 1) return;
    for (const TraversalValue& one : rowValues(nest_))
      hoisted_.emplace_back(one, kernel_.addLocal("hoisted", one.value->dtype, rowsPerTask_, ir::Space::Private));
  }
  ir::Block computeHoisted(int traversal) const {
    if (std::none_of(hoisted_.begin(), hoisted_.end(), [&](const auto& one) { return one.first.traversal == traversal; }))
      return {};
    return forRows([&](const Row& row) {
      const LanePlace at = place(row.number, kernel_.number(0), kernel_.number(0), 1);
      const LoadMap loads = readLanes(kernel_.pool(), domain_, at, results(row));
      ir::Lanes lanes = kernel_.lanes(at);
      for (const auto& [one, local] : hoisted_)
        if (one.traversal == traversal)
          lanes.stores.push_back({local, row.slot.expr(), domain_.at(one.value, at.each, loads), false, {}});
      return ir::Block{{std::move(lanes)}};
    });
  }

  /// Functions of elements are held for the traversals that need them again.
  void addHeld() {
    if (runs_ > 1 || splits_ > 1 || rowsPerTask_ > 1) return;
    for (const TraversalValue& function : repeatedFunctions(nest_)) {
      const int64_t extent = domain_.inner().extent, bytes = extent * ir::sizeOf(function.value->dtype);
      if (bytes <= limits::cpu::heldRowBytes)
        held_.emplace_back(function, kernel_.addLocal("held", function.value->dtype, extent, ir::Space::Private));
    }
  }

  LoadMap results(const Row& row) const {
    LoadMap map;
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      map[result] = kernel_.pool().load(kernel_.accumulator(i), result->dtype, row.slot.expr());
    }
    return map;
  }
  /// The results and what else a row has once.
  LoadMap bindings(const Row& row) const {
    LoadMap map = results(row);
    for (const auto& [one, local] : hoisted_) map[one.value] = kernel_.pool().load(local, one.value->dtype, row.slot.expr());
    return map;
  }
  /// What is known of a row's elements before a traversal, of those in a vector.
  LoadMap bindings(const Row& row, Value column, int traversal) const {
    LoadMap map = bindings(row);
    for (const auto& [one, local] : held_)
      if (one.traversal < traversal)
        map[one.value] = kernel_.pool().load(local, one.value->dtype, column.expr(), ir::LoadMode::Contiguous);
    return map;
  }

  Value split() const { return splits_ == 1 ? kernel_.number(0) : mod(task_, splits_); }
  bool splitsRuns() const { return splits_ > 1 && runs_ > 1; }

  LanePlace place(Value row, Value run, Value column, int lanes) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes)};
    place.lane = lane.expr();
    place.dim = domain_.innermost();
    place.base = domain_.unflatten(row.expr(), 0, domain_.elementDims());
    const Position runs = domain_.unflatten(run.expr(), domain_.elementDims(), domain_.innermost());
    place.base.insert(place.base.end(), runs.begin(), runs.end());
    place.each = place.base;
    place.base.push_back(column.expr());
    place.each.push_back((column + lane).expr());
    return place;
  }

  /// What is done with a vector: its place, its row and column, and the number of the accumulator it goes to.
  using Use = std::function<ir::Lanes(const LanePlace&, const Row&, Value column, Value accumulator)>;

  /// `count` elements of a run from `start` on, vectors in turn for each accumulator, in which stores are aligned.
  ir::Block along(const Row& row, Value run, Value start, int64_t count, ElementStores aligned, const Use& use) const {
    const std::optional<Head> head =
        headOf(kernel_.pool(), domain_, aligned, place(row.number, run, start, 1).base, count, lanes_, target_);
    return CpuVectors{lanes_, accumulators_}.along(start, count, head, [&](Value column, Value step) {
      return use(place(row.number, run, column, lanes_), row, column, step);
    });
  }

  ElementStores elementAccesses() const { return ElementStores(domain_.stores()).subspan(nest_.rowStores.size()); }

  /// Every element of the task's rows, or of its split of one, in vectors in which stores are aligned.
  ir::Block sweep(ElementStores aligned, const Use& use) const {
    const int64_t extent = domain_.inner().extent;
    if (splits_ > 1 && !splitsRuns()) return forRows([&](const Row& row) { return traverseSplit(row, extent, aligned, use); });
    const int64_t each = ceilDiv(runs_, splits_);
    const Value step = kernel_.axis(each);
    const Value run = splitsRuns() ? split() * each + step : step;
    ir::Block body = forRows([&](const Row& row) { return along(row, run, kernel_.number(0), extent, aligned, use); });
    return loop(LoopKind::Serial, step, when(within(run, each * splits_, runs_), std::move(body)));
  }
  ir::Block traverseSplit(const Row& row, int64_t extent, ElementStores aligned, const Use& use) const {
    const int64_t least = extent / splits_ / lanes_ * lanes_, last = extent - least * (splits_ - 1);
    const Value start = split() * least;
    if (least == last) return along(row, kernel_.number(0), start, least, aligned, use);
    ir::Block block;
    const Value isLast = split() == splits_ - 1;
    block.push_back({ir::If{isLast.expr(), along(row, kernel_.number(0), start, last, aligned, use),
                            along(row, kernel_.number(0), start, least, aligned, use)}});
    return block;
  }

  /// Whether a traversal may go through a row's runs as through a single one.
  bool isOneRun(int traversal) const {
    if (runs_ == 1 || splits_ > 1 || rowsPerTask_ > 1 || !dependsOnLoadsAlone(nest_, traversal)) return false;
    const std::set<const Expr*> loads = kernel_.loadsOf(traversal);
    return std::all_of(domain_.loads().begin(), domain_.loads().end(), [&](const Access& load) {
      if (!loads.contains(load.node)) return true;
      bool isOne = load.form.has_value();
      for (std::size_t d = domain_.elementDims(); isOne && d < domain_.innermost(); ++d)
        isOne = domain_.stride(load, d) == domain_.stride(load, d + 1) * domain_.dims()[d + 1].extent;
      return isOne;
    });
  }

  ir::Block reset(const std::vector<std::size_t>& reductions) const {
    const Value slot = kernel_.axis(rowsPerTask_);
    ir::Lanes vectors;
    vectors.axis = kernel_.pool().axis(accumulators_ * lanes_);
    for (std::size_t i : reductions)
      vectors.stores.push_back({vectors_[i],
                                (slot * (accumulators_ * lanes_)).expr(),
                                kernel_.pool().identity(nest_.reductions[i].op, nest_.reductions[i].body->dtype),
                                true,
                                {}});
    ir::Block block = loop(LoopKind::Serial, slot, ir::Block{{std::move(vectors)}});
    block.push_back(kernel_.reset(reductions, static_cast<int>(rowsPerTask_)));
    return block;
  }

  ir::Block reduce(int traversal) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    ir::Block block = reset(reductions);
    const Use add = [&](const LanePlace& at, const Row& row, Value column, Value accumulator) {
      const LoadMap loads = readLanes(kernel_.pool(), domain_, at, bindings(row, column, traversal));
      ir::Lanes lanes = kernel_.lanes(at);
      for (const auto& [one, local] : held_)
        if (one.traversal == traversal)
          lanes.stores.push_back({local, column.expr(), domain_.at(one.value, at.each, loads), true, {}});
      for (std::size_t i : reductions) {
        const Reduction& reduction = nest_.reductions[i];
        lanes.stores.push_back(
            {vectors_[i], vectorOffset(row, accumulator), domain_.at(reduction.body, at.each, loads), true, reduction.op});
      }
      return lanes;
    };
    if (isOneRun(traversal))
      append(block, forRows([&](const Row& row) {
               const Value start = kernel_.number(0);
               return along(row, start, start, runs_ * domain_.inner().extent, {}, add);
             }));
    else
      append(block, sweep(runs_ == 1 ? elementAccesses() : ElementStores(), add));
    append(block, forRows([&](const Row& row) { return combineVectors(row, reductions); }));
    return block;
  }
  const Expr* vectorOffset(const Row& row, Value accumulator) const {
    return ((row.slot * accumulators_ + accumulator) * lanes_).expr();
  }
  ir::Block combineVectors(const Row& row, const std::vector<std::size_t>& reductions) const {
    ir::Lanes across;
    across.axis = kernel_.pool().axis(accumulators_ * lanes_);
    for (std::size_t i : reductions) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* lanes =
          kernel_.pool().load(vectors_[i], reduction.body->dtype, vectorOffset(row, kernel_.number(0)), ir::LoadMode::Contiguous);
      across.stores.push_back({kernel_.accumulator(i), row.slot.expr(), lanes, false, reduction.op});
    }
    return {{std::move(across)}};
  }

  ir::Block elementStores() const {
    if (nest_.elementStores.empty()) return {};
    return sweep(elementAccesses(), [&](const LanePlace& at, const Row& row, Value column, Value) {
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, bindings(row, column, nest_.traversals())));
      return lanes;
    });
  }

  ir::Block rowStores(Value row, LoadMap results) const {
    if (nest_.rowStores.empty()) return {};
    const LanePlace at = place(row, kernel_.number(0), kernel_.number(0), 1);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, readLanes(kernel_.pool(), domain_, at, std::move(results)));
    ir::Block block;
    block.push_back({std::move(lanes)});
    return block;
  }

  ir::Block storePartialResults() const {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      lanes.stores.push_back({partials_[i], task_.expr(), result, true, {}});
    }
    ir::Block block;
    block.push_back({std::move(lanes)});
    return block;
  }

  ir::Block combinePartialResults() const {
    const Value row = kernel_.axis(rows_), split = kernel_.axis(splits_);
    ir::Block body, add;
    body.push_back(kernel_.reset(kernel_.reductionsOf(0), 1));
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* left = kernel_.pool().load(partials_[i], reduction.body->dtype, (row * splits_ + split).expr());
      lanes.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), left, false, reduction.op});
    }
    add.push_back({std::move(lanes)});
    append(body, loop(LoopKind::Serial, split, std::move(add)));
    append(body, rowStores(row, {}));
    return loop(LoopKind::Serial, row, std::move(body));
  }

  NestKernel kernel_;
  const ir::Loops& loops_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const ir::Target& target_;
  int lanes_;
  int64_t rows_, runs_, splits_;
  int64_t rowsPerTask_;  // rows of a task
  int accumulators_;     // of each sum
  Value task_;
  std::vector<int> vectors_, partials_;
  std::vector<std::pair<TraversalValue, int>> hoisted_;  // what rows have once, and where
  std::vector<std::pair<TraversalValue, int>> held_;     // what is kept of each element, and where
};

}  // namespace

ir::Kernel applyCpuRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target) {
  return CpuRowKernel(loops, nest, domain, target).build();
}

}  // namespace lowering
