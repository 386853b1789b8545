// Reductions along memory: a group of threads, a CTA or a cluster of them a row.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/rows.h"
#include "lowering/schedule/cuda/aligned_cover.h"
#include "lowering/schedule/cuda/function_registers.h"
#include "lowering/schedule/cuda/row_registers.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/schedule.h"

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
            const RowTiling& tiling)
      : tiling_(tiling),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        cover_(kernel_, tiling_),
        cluster_(kernel_.axis(clusters())),
        rank_(kernel_.axis(tiling.ctas)),
        thread_(kernel_.axis(tiling.block)),
        runSteps_(steps(tiling.runSteps, tiling.vectorSteps)),
        vectorSteps_(steps(tiling.vectorSteps, 1)),
        split_(tiling.gridSplits > 1 ? cluster_ : rank_),
        row_(tiling.gridSplits > 1      ? kernel_.number(0)
             : tiling.rowsPerCta() == 1 ? cluster_
                                        : cluster_ * tiling.rowsPerCta() + floorDiv(thread_, tiling.group)),
        inGroup_(tiling.group == tiling.block ? thread_ : mod(thread_, tiling.group)) {}

  ir::Kernel build() {
    kernel_.addAccumulators(1, 1);
    addHeld();
    ir::Block grid;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, onThreads(reducingPhase(traversal)));
      if (tiling_.group > 1 || tiling_.ctas > 1) grid.push_back({combine(traversal)});
    }
    append(grid, onThreads(tiling_.gridSplits > 1 ? storePartialResults() : storingPhase()));
    ir::Launch launch;
    launch.grid = clusters();
    launch.cluster = tiling_.ctas;
    launch.isPersistent = tiling_.isPersistent;
    launch.block = tiling_.block;
    launch.resident = tiling_.resident;
    ir::Block body = kernel_.gridLoop(cluster_, std::move(grid));
    if (tiling_.gridSplits > 1) append(body, combinePartialResults());
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  int64_t clusters() const { return tiling_.gridSplits > 1 ? tiling_.gridSplits : ceilDiv(tiling_.rows, tiling_.rowsPerCta()); }
  bool isResident() const { return tiling_.hold == Hold::Registers; }

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
  Condition isRow() const {
    return tiling_.gridSplits > 1 ? std::nullopt : within(row_, clusters() * tiling_.rowsPerCta(), tiling_.rows);
  }

  /// Positions of the vector that a thread takes in one step. Each part of a row has runs that follow one another, so that few
  /// addresses reach a thread's.
  Value runInSplit() const { return runSteps_.index() * tiling_.runsAtOnce + cover_.run(inGroup_); }
  int64_t runsOfSplit() const { return ceilDiv(tiling_.runs, tiling_.runSplits()); }
  Value run() const {
    const Value split = tiling_.alongRun == 1 ? split_ : floorDiv(split_, tiling_.alongRun);
    if (!tiling_.hasRuns()) return kernel_.number(0);
    return tiling_.runSplits() == 1 ? runInSplit() : split * runsOfSplit() + runInSplit();
  }
  Value vector() const {
    const Value split = tiling_.runSplits() == 1 ? split_ : mod(split_, tiling_.alongRun);
    const Value step = vectorSteps_.index() * tiling_.alongRun;
    return (tiling_.alongRun == 1 ? step : step + split) * tiling_.columns + cover_.column(inGroup_);
  }
  LanePlace place() const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(tiling_.lanes)};
    place.lane = lane.expr();
    place.dim = domain_.innermost();
    place.alignment = tiling_.lanes;
    place.isScattered = tiling_.hasCover;
    place.base = domain_.unflatten(row_.expr(), 0, domain_.elementDims());
    const Position runs = domain_.unflatten(run().expr(), domain_.elementDims(), domain_.innermost());
    place.base.insert(place.base.end(), runs.begin(), runs.end());
    place.each = place.base;
    const Value start = vector() * tiling_.lanes;
    place.base.push_back(start.expr());
    const Value column = tiling_.hasCover ? cover_.clamped(start + lane, place.base) : start + lane;
    place.each.push_back(column.expr());
    return place;
  }

  /// What loads of the domain read at a place; those not known are read from memory.
  LoadMap reads(const LanePlace& at, LoadMap bindings = {}) const {
    for (const Access& access : domain_.loads()) {
      if (!tiling_.hasCover || bindings.contains(access.node) || !isRowAccess(domain_, access)) continue;
      bindings[access.node] =
          kernel_.pool().load(access.buffer, access.node->dtype, cover_.offset(access, at), ir::LoadMode::Contiguous);
    }
    return readLanes(kernel_.pool(), domain_, at, std::move(bindings));
  }
  /// Where a vector begins among the elements that a thread holds at once.
  Value slot() const { return (runSteps_.unrolled * vectorSteps_.unrolledExtent + vectorSteps_.unrolled) * tiling_.lanes; }
  /// The same among those of a CTA.
  Value sharedSlot() const {
    const Value step = runSteps_.index() * tiling_.vectorSteps + vectorSteps_.index();
    return (step * (tiling_.columns * tiling_.runsAtOnce) + inGroup_) * tiling_.lanes;
  }

  /// `body` for every vector of one chunk.
  ir::Block chunk(ir::Block body) const {
    const int64_t runs = runSteps_.covered * tiling_.runsAtOnce;
    const int64_t vectors = vectorSteps_.covered * tiling_.columns * tiling_.alongRun;
    Condition inRun = within(vector(), vectors, tiling_.runVectors);
    if (tiling_.hasCover) inRun = cover_.begins(vector() * tiling_.lanes, vectors, place().base);
    Condition inRow = tiling_.hasRuns() ? within(runInSplit(), runs, runsOfSplit()) : std::nullopt;
    if (tiling_.hasRuns()) inRow = both(inRow, within(run(), runsOfSplit() * tiling_.runSplits(), tiling_.runs));
    body = when(both(inRow, inRun), std::move(body));
    return loop(LoopKind::Unrolled, runSteps_.unrolled, loop(LoopKind::Unrolled, vectorSteps_.unrolled, std::move(body)));
  }
  /// The same with a vector that is `whole` or `masked`. One condition serves all of a thread's vectors where these are the same
  /// one of each run.
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
    return when(both(isRow(), within(inGroup_, tiling_.group, int64_t{tiling_.columns} * tiling_.runsAtOnce)), std::move(body));
  }

  /// Memory for what is read: vectors of loads that move along a row, and what a row has once.
  void addHeld() {
    hoisted_.addLoads();
    if (tiling_.keepsFunctions) functions_.add(slots(), tiling_.lanes);
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      if (access.form && domain_.isInnerUniform(access)) continue;  // one a run: read where it is used
      const bool moves = domain_.moves(access, 0, domain_.elementDims()) || tiling_.rows == 1;
      if (tiling_.hold == Hold::Shared && moves && traversalsOf(access.node) > 1) {
        const int64_t vectors = tiling_.runSteps * tiling_.vectorSteps * tiling_.columns * tiling_.runsAtOnce;
        shared_[access.node] = kernel_.addLocal(kernel_.bufferName(access.buffer) + "_row", access.node->dtype,
                                                vectors * tiling_.lanes, ir::Space::Shared);
      } else {
        const int64_t elements = slots() * tiling_.lanes;
        held_[access.node] = kernel_.addLocal(kernel_.bufferName(access.buffer) + "_held", access.node->dtype, elements,
                                              ir::Space::Private, tiling_.lanes);
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

  /// Reads the vectors that a pass needs into registers.
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

  /// What loads are read as once they are held, and functions that are kept before a pass.
  LoadMap bindings(const LanePlace& at, int traversal = 0) const {
    LoadMap map;
    functions_.addTo(map, traversal, slot().expr());
    for (const auto& [load, local] : held_) map[load] = heldVector(load, local, slot());
    for (const auto& [load, local] : shared_) map[load] = heldVector(load, local, sharedSlot());
    hoisted_.addTo(map);
    return reads(at, std::move(map));
  }

  /// Loads that a traversal reads from memory: all that it needs, or, where rows are held in registers, in the first
  /// pass whatever is needed at all and fits, afterwards nothing that was read.
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
    ir::Lanes inside = tiling_.hasCover ? cover_.inside(lanes, at) : lanes;
    for (ir::Lanes* all : {&lanes, &inside}) all->stores.insert(all->stores.begin(), kept.begin(), kept.end());
    if (!tiling_.hasCover) return chunk({{std::move(lanes)}});
    return cover_.edgesAreRare() ? chunk(at, {{lanes}}, {{inside}}) : chunk({{inside}});
  }

  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = tiling_.group;
    combine.ctas = tiling_.ctas;
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
    if (!tiling_.hasCover) return chunk({{std::move(lanes)}});
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
      Condition isFirst = tiling_.group == 1 ? Condition() : inGroup_ == 0;
      if (tiling_.ctas > 1) isFirst = both(rank_ == 0, isFirst);
      append(block, when(both(isRow(), isFirst), std::move(use)));
    }
    return block;
  }

  /// Global memory for what every share of the row combines to.
  ir::Block storePartialResults() {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (const Reduction& reduction : nest_.reductions) {
      partialResults_.push_back(
          kernel_.addLocal("partial_result", reduction.result->dtype, tiling_.gridSplits, ir::Space::Global));
      lanes.stores.push_back({partialResults_.back(), cluster_.expr(), reduction.result, true, {}});
    }
    ir::Block body;
    body.push_back({std::move(lanes)});
    return when(inGroup_ == 0, std::move(body));
  }
  ir::Block combinePartialResults() {
    const int64_t count = ceilDiv(tiling_.gridSplits, tiling_.block);
    const Value step = kernel_.axis(count);
    const Value split = step * tiling_.block + thread_;
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* left = kernel_.pool().load(partialResults_[i], reduction.result->dtype, split.expr());
      lanes.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), left, false, reduction.op});
    }
    ir::Block add, block;
    add.push_back({std::move(lanes)});
    add = when(within(split, count * tiling_.block, tiling_.gridSplits), std::move(add));
    block.push_back(kernel_.reset(kernel_.reductionsOf(0), 1));
    append(block, hoisted_.read(rowPlace()));
    append(block, loop(LoopKind::Serial, step, std::move(add)));
    ir::Block all = onThreads(std::move(block));
    all.push_back({combine(0)});
    append(all, onThreads(storingPhase()));
    return all;
  }

  const RowTiling tiling_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const AlignedCover cover_;
  Value cluster_, rank_, thread_;
  Steps runSteps_, vectorSteps_;
  Value split_, row_, inGroup_;
  std::vector<int> partialResults_;
  std::map<const Expr*, int> held_, shared_;
  RowRegisters hoisted_{kernel_};
  FunctionRegisters functions_{kernel_};
};

}  // namespace

ir::Kernel scheduleRows(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target, const RowTiling& tiling) {
  return RowKernel(loops, nest, domain, target, tiling).build();
}

}  // namespace lowering
