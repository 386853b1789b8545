// Reductions along memory: a group of threads, a CTA or a cluster of them a row.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/rows.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/aligned_cover.h"
#include "lowering/schedule/cuda/function_registers.h"
#include "lowering/schedule/cuda/row_registers.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

/// Steps of a loop, as an outer serial loop around an unrolled one.
struct Steps {
  Value serial, unrolled;
  int64_t unrolledExtent = 1;
  int64_t covered = 1;  ///< steps taken, some of them past the end
  Value index() const { return serial * unrolledExtent + unrolled; }
};

class RowKernel {
 public:
  RowKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
            const RowSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        cover_(kernel_, schedule_),
        cluster_(kernel_.axis(clusters())),
        rank_(kernel_.axis(schedule.ctas)),
        thread_(kernel_.axis(schedule.block)),
        runSteps_(steps(schedule.runSteps, schedule.vectorSteps)),
        vectorSteps_(steps(schedule.vectorSteps, 1)),
        split_(schedule.gridSplits > 1 ? cluster_ : rank_),
        row_(schedule.gridSplits > 1      ? kernel_.number(0)
             : schedule.rowsPerCta() == 1 ? cluster_
                                          : cluster_ * schedule.rowsPerCta() + floorDiv(thread_, schedule.group)),
        inGroup_(schedule.group == schedule.block ? thread_ : mod(thread_, schedule.group)) {}

  ir::Kernel build() {
    kernel_.addAccumulators(1, 1);
    addHeld();
    ir::Block grid;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, onThreads(reducingPhase(traversal)));
      if (schedule_.group > 1 || schedule_.ctas > 1) grid.push_back({combine(traversal)});
    }
    append(grid, onThreads(isSplit() ? storePartialResults() : storingPhase()));
    ir::Launch launch;
    launch.grid = clusters();
    launch.cluster = schedule_.ctas;
    launch.isPersistent = schedule_.isPersistent;
    launch.block = schedule_.block;
    launch.resident = schedule_.resident;
    ir::Block body = kernel_.gridLoop(cluster_, std::move(grid));
    if (isSplit()) append(body, combinePartialResults());
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  bool isSplit() const { return schedule_.gridSplits > 1; }
  int64_t clusters() const { return isSplit() ? schedule_.gridSplits : ceilDiv(schedule_.rows, schedule_.rowsPerCta()); }
  bool isResident() const { return schedule_.hold == Hold::Registers; }

  /// All of it unrolled where a row stays in registers, else as many as are read at once; `inner` steps are inside each.
  Steps steps(int64_t count, int64_t inner) const {
    const int64_t most = isResident() ? count : std::max<int64_t>(1, limits::rows::vectorsInFlight / inner);
    const int64_t unrolled = std::min(count, most);
    const int64_t serial = ceilDiv(count, unrolled);
    return {kernel_.axis(serial), kernel_.axis(unrolled), unrolled, serial * unrolled};
  }

  ir::Block onThreads(ir::Block body) const {
    return loop(LoopKind::Cluster, rank_, loop(LoopKind::Thread, thread_, std::move(body)));
  }
  Condition isRow() const { return isSplit() ? std::nullopt : within(row_, clusters() * schedule_.rowsPerCta(), schedule_.rows); }

  /// Positions of the vector that a thread takes in one step. Each part of a row has runs that follow one another, so that few
  /// addresses reach a thread's.
  Value runInSplit() const { return runSteps_.index() * schedule_.runsAtOnce + cover_.run(inGroup_); }
  int64_t runsOfSplit() const { return ceilDiv(schedule_.runs, schedule_.runSplits()); }
  Value run() const {
    const Value split = schedule_.alongRun == 1 ? split_ : floorDiv(split_, schedule_.alongRun);
    if (!schedule_.hasRuns()) return kernel_.number(0);
    return schedule_.runSplits() == 1 ? runInSplit() : split * runsOfSplit() + runInSplit();
  }
  Value vector() const {
    const Value split = schedule_.runSplits() == 1 ? split_ : mod(split_, schedule_.alongRun);
    const Value step = vectorSteps_.index() * schedule_.alongRun;
    return (schedule_.alongRun == 1 ? step : step + split) * schedule_.columns + cover_.column(inGroup_);
  }
  LanePlace place() const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(schedule_.lanes)};
    place.lane = lane.expr();
    place.dim = domain_.innermost();
    place.alignment = schedule_.lanes;
    place.isScattered = schedule_.hasCover;
    place.base = domain_.unflatten(row_.expr(), 0, domain_.elementDims());
    const Position runs = domain_.unflatten(run().expr(), domain_.elementDims(), domain_.innermost());
    place.base.insert(place.base.end(), runs.begin(), runs.end());
    place.each = place.base;
    const Value start = vector() * schedule_.lanes;
    place.base.push_back(start.expr());
    const Value column = schedule_.hasCover ? cover_.clamped(start + lane, place.base) : start + lane;
    place.each.push_back(column.expr());
    return place;
  }

  /// What loads of the domain read at a place; those not known are read from memory.
  LoadMap reads(const LanePlace& at, LoadMap bindings = {}) const {
    for (const Access& access : domain_.loads()) {
      if (!schedule_.hasCover || bindings.contains(access.node) || !isRowAccess(domain_, access)) continue;
      bindings[access.node] =
          kernel_.pool().load(access.buffer, access.node->dtype, cover_.offset(access, at), ir::LoadMode::Contiguous);
    }
    return readLanes(kernel_.pool(), domain_, at, std::move(bindings));
  }
  /// Where a vector begins among the elements that a thread holds at once.
  Value slot() const { return (runSteps_.unrolled * vectorSteps_.unrolledExtent + vectorSteps_.unrolled) * schedule_.lanes; }
  /// The same among those of a CTA.
  Value sharedSlot() const {
    const Value step = runSteps_.index() * schedule_.vectorSteps + vectorSteps_.index();
    return (step * (schedule_.columns * schedule_.runsAtOnce) + inGroup_) * schedule_.lanes;
  }

  /// `body` for every vector of one chunk.
  ir::Block chunk(ir::Block body) const {
    const int64_t runs = runSteps_.covered * schedule_.runsAtOnce;
    const int64_t vectors = vectorSteps_.covered * schedule_.columns * schedule_.alongRun;
    Condition inRun = within(vector(), vectors, schedule_.runVectors);
    if (schedule_.hasCover) inRun = cover_.begins(vector() * schedule_.lanes, vectors, place().base);
    Condition inRow = schedule_.hasRuns() ? within(runInSplit(), runs, runsOfSplit()) : std::nullopt;
    if (schedule_.hasRuns()) inRow = both(inRow, within(run(), runsOfSplit() * schedule_.runSplits(), schedule_.runs));
    body = when(both(inRow, inRun), std::move(body));
    return loop(LoopKind::Unrolled, runSteps_.unrolled, loop(LoopKind::Unrolled, vectorSteps_.unrolled, std::move(body)));
  }
  /// The same with a vector that is `whole` or `masked`, which one condition says of a thread's vectors at one place of their
  /// runs.
  ir::Block chunk(const LanePlace& at, ir::Block whole, ir::Block masked) const {
    const Expr* isWhole = cover_.isWhole(at).expr();
    const auto moves = [&](Value step) { return !step.expr()->isConst() && ir::dependsOn(isWhole, step.expr()); };
    const auto either = [&](ir::Block then, ir::Block otherwise) {
      return ir::Block{{ir::If{isWhole, std::move(then), std::move(otherwise)}}};
    };
    if (moves(runSteps_.unrolled) || moves(vectorSteps_.unrolled)) return chunk(either(std::move(whole), std::move(masked)));
    return either(chunk(std::move(whole)), chunk(std::move(masked)));
  }
  /// All chunks, for the threads that work.
  ir::Block sweep(ir::Block body) const {
    body = loop(LoopKind::Serial, runSteps_.serial, loop(LoopKind::Serial, vectorSteps_.serial, std::move(body)));
    return when(both(isRow(), within(inGroup_, schedule_.group, int64_t{schedule_.columns} * schedule_.runsAtOnce)),
                std::move(body));
  }

  /// Memory for what is read: vectors of loads that move along a row, and what a row has once.
  void addHeld() {
    hoisted_.addLoads();
    if (schedule_.keepsFunctions) functions_.add(slots(), schedule_.lanes);
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      if (access.form && domain_.isInnerUniform(access)) continue;  // one a run: read where it is used
      const bool moves = domain_.moves(access, 0, domain_.elementDims()) || schedule_.rows == 1;
      if (schedule_.hold == Hold::Shared && moves && traversalsOf(access.node) > 1) {
        const int64_t vectors = schedule_.runSteps * schedule_.vectorSteps * schedule_.columns * schedule_.runsAtOnce;
        shared_[access.node] = kernel_.addLocal(kernel_.bufferName(access.buffer) + "_row", access.node->dtype,
                                                vectors * schedule_.lanes, ir::Space::Shared);
      } else {
        const int64_t elements = slots() * schedule_.lanes;
        held_[access.node] = kernel_.addLocal(kernel_.bufferName(access.buffer) + "_held", access.node->dtype, elements,
                                              ir::Space::Private, schedule_.lanes);
      }
    }
  }
  /// Loads that a traversal needs, which also stores elements where it is the first that can.
  std::set<const Expr*> loadsOf(int traversal) const {
    std::set<const Expr*> loads;
    if (traversal < nest_.traversals()) loads = kernel_.loadsOf(traversal);
    if (traversal == nest_.storingTraversal()) loads.merge(kernel_.loadsOf(nest_.traversals()));
    return loads;
  }
  int traversalsOf(const Expr* load) const {
    int count = 0;
    for (int traversal = 0; traversal <= nest_.traversals(); ++traversal) count += loadsOf(traversal).contains(load) ? 1 : 0;
    return count;
  }

  const Expr* heldVector(const Expr* load, int local, Value at) const {
    return kernel_.pool().load(local, load->dtype, at.expr(), ir::LoadMode::Contiguous);
  }

  /// Copies to shared memory what is kept there, all of it at once.
  ir::Block copies() const {
    const LanePlace at = place();
    const LoadMap memory = reads(at);
    ir::Block vectors;
    for (const Access& access : domain_.loads()) {
      const auto shared = shared_.find(access.node);
      if (shared == shared_.end()) continue;
      ir::Lanes copy = kernel_.lanes(at);
      copy.stores.push_back({shared->second, sharedSlot().expr(), memory.at(access.node), true, {}});
      vectors.push_back({std::move(copy)});
    }
    return vectors.empty() ? vectors : sweep(chunk(std::move(vectors)));
  }

  /// Reads the vectors that a traversal needs into registers.
  ir::Block readVectors(int traversal) const {
    const std::set<const Expr*> loads = readIn(traversal);
    const LanePlace at = place();
    const LoadMap memory = reads(at);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const Access& access : domain_.loads()) {
      const auto held = held_.find(access.node);
      if (held == held_.end() || !loads.contains(access.node)) continue;
      lanes.stores.push_back({held->second, slot().expr(), memory.at(access.node), true, {}});
    }
    if (lanes.stores.empty()) return {};
    ir::Block block;
    block.push_back({std::move(lanes)});
    return chunk(std::move(block));
  }

  /// What loads are read as once they are held, and functions that are kept before a traversal.
  LoadMap bindings(const LanePlace& at, int traversal = 0) const {
    LoadMap map;
    functions_.addTo(map, traversal, slot().expr());
    for (const auto& [load, local] : held_) map[load] = heldVector(load, local, slot());
    for (const auto& [load, local] : shared_) map[load] = heldVector(load, local, sharedSlot());
    hoisted_.addTo(map);
    return reads(at, std::move(map));
  }

  /// Loads that a traversal reads from memory: all that it needs, or, where rows are held in registers, in the first
  /// traversal whatever is needed at all and fits, afterwards nothing that was read.
  std::set<const Expr*> readIn(int traversal) const {
    if (!isResident()) return loadsOf(traversal);
    std::set<const Expr*> loads;
    for (const auto& [load, local] : held_) {
      const int first = slots() <= limits::rows::prefetchedVectors ? 0 : firstNeeded(load);
      if (first == traversal) loads.insert(load);
    }
    return loads;
  }
  int firstNeeded(const Expr* load) const {
    int traversal = 0;
    while (traversal < nest_.traversals() && !loadsOf(traversal).contains(load)) ++traversal;
    return traversal;
  }
  int64_t slots() const { return runSteps_.unrolledExtent * vectorSteps_.unrolledExtent; }

  /// A single lane at the first element of the row.
  LanePlace rowPlace() const {
    LanePlace at;
    at.lane = kernel_.pool().axis(1);
    at.dim = domain_.innermost();
    at.base = domain_.unflatten(row_.expr(), 0, domain_.elementDims());
    at.base.resize(domain_.dims().size(), kernel_.number(0).expr());
    at.each = at.base;
    return at;
  }

  ir::Block rowValues(int traversal) { return when(isRow(), hoisted_.compute(traversal, rowPlace(), bindings(rowPlace()))); }

  ir::Block reducingPhase(int traversal) {
    ir::Block block;
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), 1));
    if (traversal == 0) append(block, when(isRow(), hoisted_.read(rowPlace())));
    if (traversal == 0) append(block, copies());
    append(block, rowValues(traversal));
    ir::Block body = readVectors(traversal);
    append(body, reductions(traversal));
    if (traversal == nest_.storingTraversal()) append(body, elementStores());
    append(block, sweep(std::move(body)));
    return block;
  }

  /// For every vector of one chunk.
  ir::Block reductions(int traversal) const {
    const LanePlace at = place();
    const LoadMap loads = bindings(at, traversal);
    const std::vector<ir::Store> kept = functions_.stores(traversal, at, slot().expr(), loads);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.reductionStores(traversal, at, loads, /*apart=*/false);
    ir::Lanes inside = schedule_.hasCover ? cover_.inside(lanes, at) : lanes;
    for (ir::Lanes* all : {&lanes, &inside}) all->stores.insert(all->stores.begin(), kept.begin(), kept.end());
    if (!schedule_.hasCover) return chunk({{std::move(lanes)}});
    return cover_.edgesAreRare() ? chunk(at, {{lanes}}, {{inside}}) : chunk({{inside}});
  }

  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = schedule_.group;
    combine.ctas = schedule_.ctas;
    for (std::size_t i : kernel_.reductionsOf(traversal))
      combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
    return combine;
  }

  /// For every vector of one chunk.
  ir::Block elementStores() {
    if (nest_.elementStores.empty()) return {};
    const LanePlace at = place();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, bindings(at, nest_.traversals()));
    if (!schedule_.hasCover) return chunk({{std::move(lanes)}});
    cover_.align(lanes, at);
    const ir::Lanes whole = lanes, values = cover_.computedFirst(lanes, at, kernel_);
    const ir::Lanes masked = cover_.insideOnly(lanes, at);
    if (cover_.edgesAreRare()) return chunk(at, {{whole}}, {{values}, {masked}});
    return chunk({{values}, {ir::If{cover_.isWhole(at).expr(), {{lanes}}, {{masked}}}}});
  }

  ir::Block storingPhase() {
    ir::Block block;
    if (nest_.storingTraversal() == nest_.traversals()) {
      append(block, rowValues(nest_.traversals()));
      ir::Block body = readVectors(nest_.traversals());
      append(body, elementStores());
      append(block, sweep(std::move(body)));
    }
    if (!nest_.rowStores.empty()) {
      const LanePlace at = rowPlace();
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.rowStores(at, bindings(at));
      ir::Block use;
      use.push_back({std::move(lanes)});
      Condition isFirst = schedule_.group == 1 ? Condition() : inGroup_ == 0;
      if (schedule_.ctas > 1) isFirst = both(rank_ == 0, isFirst);
      append(block, when(both(isRow(), isFirst), std::move(use)));
    }
    return block;
  }

  /// Global memory for what every share of the row combines to.
  ir::Block storePartialResults() {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (const Reduction& reduction : nest_.reductions) {
      partials_.push_back(kernel_.addLocal("partial_result", reduction.result->dtype, schedule_.gridSplits, ir::Space::Global));
      lanes.stores.push_back({partials_.back(), cluster_.expr(), reduction.result, true, {}});
    }
    ir::Block body;
    body.push_back({std::move(lanes)});
    return when(inGroup_ == 0, std::move(body));
  }
  ir::Block combinePartialResults() {
    const int64_t count = ceilDiv(schedule_.gridSplits, schedule_.block);
    const Value step = kernel_.axis(count);
    const Value split = step * schedule_.block + thread_;
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* left = kernel_.pool().load(partials_[i], reduction.result->dtype, split.expr());
      lanes.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), left, false, reduction.op});
    }
    ir::Block add, block;
    add.push_back({std::move(lanes)});
    add = when(within(split, count * schedule_.block, schedule_.gridSplits), std::move(add));
    block.push_back(kernel_.reset(kernel_.reductionsOf(0), 1));
    append(block, hoisted_.read(rowPlace()));
    append(block, loop(LoopKind::Serial, step, std::move(add)));
    ir::Block all = onThreads(std::move(block));
    all.push_back({combine(0)});
    append(all, onThreads(storingPhase()));
    return all;
  }

  const RowSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const AlignedCover cover_;
  Value cluster_, rank_, thread_;
  Steps runSteps_, vectorSteps_;
  Value split_, row_, inGroup_;
  std::vector<int> partials_;
  std::map<const Expr*, int> held_, shared_;
  RowRegisters hoisted_{kernel_};
  FunctionRegisters functions_{kernel_};
};

}  // namespace

ir::Kernel applyRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                     const RowSchedule& schedule) {
  return RowKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
