// Reductions across memory: tiles of columns, whose elements the threads of a CTA or a cluster share.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/schedule.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

constexpr int warp = ir::Target::warp;

class ColumnKernel {
 public:
  ColumnKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
               const ColumnTiling& tiling)
      : tiling_(tiling),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        cluster_(kernel_.axis(clusters())),
        rank_(kernel_.axis(tiling.ctas)),
        thread_(kernel_.axis(tiling.block())),
        unrolled_(kernel_.axis(unrolledSteps())),
        serial_(kernel_.axis(ceilDiv(steps(), unrolledSteps()))) {}

  ir::Kernel build() {
    kernel_.addAccumulators(tiling_.lanes, tiling_.lanes);
    addHeld();
    if (!tiling_.isDirect()) addExchange();
    ir::Block grid;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, onThreads(reducingPhase(traversal)));
      if (!tiling_.isDirect()) append(grid, exchange(traversal));
    }
    if (!nest_.elementStores.empty()) append(grid, onThreads(elementStores()));
    append(grid, onThreads(tiling_.isDirect()       ? directRowStores()
                           : tiling_.gridSplits > 1 ? storePartialResults()
                                                    : rowStores(tileAndOuter(), thread_)));
    ir::Launch launch;
    launch.grid = clusters();
    launch.cluster = tiling_.ctas;
    launch.block = tiling_.block();
    ir::Block body = kernel_.gridLoop(cluster_, std::move(grid));
    if (tiling_.gridSplits > 1) append(body, combinePartialResults());
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  int64_t clusters() const {
    if (tiling_.isDirect()) return ceilDiv(tiling_.vectors(), tiling_.block());
    return tiling_.outer * tiling_.tiles() * tiling_.gridSplits;
  }
  int64_t atOnce() const { return int64_t{tiling_.down} * tiling_.splits(); }
  int64_t steps() const { return ceilDiv(tiling_.elements, atOnce()); }
  /// Warps, or rows of threads where a row is wider than a warp: each leaves one partial result a column.
  int partials() const { return tiling_.across < warp ? tiling_.block() / warp : tiling_.down; }

  ir::Block onThreads(ir::Block body) const {
    if (body.empty()) return body;
    return loop(LoopKind::Cluster, rank_, loop(LoopKind::Thread, thread_, std::move(body)));
  }

  Value across() const { return tiling_.down == 1 ? thread_ : mod(thread_, tiling_.across); }
  /// The number of the CTA's tile, and which of those that share it the CTA is.
  Value tileAndOuter() const {
    if (tiling_.outer * tiling_.tiles() == 1) return kernel_.number(0);
    return tiling_.gridSplits == 1 ? cluster_ : floorDiv(cluster_, tiling_.gridSplits);
  }
  Value split() const {
    if (tiling_.gridSplits == 1) return rank_;
    return tiling_.outer * tiling_.tiles() == 1 ? cluster_ : mod(cluster_, tiling_.gridSplits);
  }
  Value tile(Value number) const { return tiling_.outer == 1 ? number : mod(number, tiling_.tiles()); }
  Value outer(Value number) const { return tiling_.outer == 1 ? kernel_.number(0) : floorDiv(number, tiling_.tiles()); }
  Value element() const {
    const Value step = serial_ * unrolledSteps() + unrolled_;
    const Value at = step * tiling_.splits() + split();
    return tiling_.down == 1 ? at : at * tiling_.down + floorDiv(thread_, tiling_.across);
  }
  int64_t coveredElements() const { return ceilDiv(steps(), unrolledSteps()) * unrolledSteps() * atOnce(); }
  int64_t unrolledSteps() const { return isResident() ? steps() : std::min(steps(), limits::columns::vectorsInFlight); }
  /// Whether a thread holds all that it reads between the traversals.
  bool isResident() const {
    return nest_.traversals() + (nest_.elementStores.empty() ? 0 : 1) > 1 && steps() <= limits::columns::heldVectors;
  }

  /// `lanes` columns from `column` on of an outer point, at an element of theirs.
  LanePlace place(Value outer, Value column, int lanes, Value element) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes)};
    place.lane = lane.expr();
    place.dim = domain_.elementDims() - 1;
    place.alignment = lanes;
    if (place.dim > 0) place.base = domain_.unflatten(outer.expr(), 0, place.dim);
    place.each = place.base;
    place.base.push_back(column.expr());
    place.each.push_back((column + lane).expr());
    const Position elements = domain_.unflatten(element.expr(), domain_.elementDims(), domain_.dims().size());
    for (Position* position : {&place.base, &place.each}) position->insert(position->end(), elements.begin(), elements.end());
    return place;
  }
  /// A thread's vector of columns.
  LanePlace vectorPlace(Value element) const {
    const int64_t lanes = tiling_.lanes, inRow = tiling_.columns / tiling_.lanes;
    if (!tiling_.isDirect()) {
      const Value number = tileAndOuter();
      return place(outer(number), tile(number) * tiling_.tile() + across() * lanes, tiling_.lanes, element);
    }
    if (tiling_.outer == 1) return place(kernel_.number(0), directVector() * lanes, tiling_.lanes, element);
    return place(floorDiv(directVector(), inRow), mod(directVector(), inRow) * lanes, tiling_.lanes, element);
  }
  LanePlace vectorPlace() const { return vectorPlace(element()); }
  Value directVector() const { return cluster_ * tiling_.block() + thread_; }
  Condition inColumns(Value number, Value column) const {
    return within(tile(number) * tiling_.tile() + column, tiling_.tiles() * tiling_.tile(), tiling_.columns);
  }
  Condition hasColumns() const {
    if (tiling_.isDirect()) return within(directVector(), clusters() * tiling_.block(), tiling_.vectors());
    return inColumns(tileAndOuter(), across() * tiling_.lanes);
  }

  ir::Block chunk(ir::Lanes lanes) const {
    ir::Block body;
    if (lanes.stores.empty()) return body;
    body.push_back({std::move(lanes)});
    return loop(LoopKind::Unrolled, unrolled_, when(within(element(), coveredElements(), tiling_.elements), std::move(body)));
  }
  /// All elements of a thread's columns, in a pass; the one after the last stores.
  ir::Block traverse(int traversal, ir::Lanes use) const {
    ir::Block body = chunk(readVectors(readIn(traversal)));
    append(body, chunk(std::move(use)));
    return when(hasColumns(), loop(LoopKind::Serial, serial_, std::move(body)));
  }

  void addHeld() {
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      if (access.form && domain_.isUniform(access, domain_.elementDims() - 1)) continue;
      const std::string name = kernel_.bufferName(access.buffer) + "_held";
      held_[access.node] =
          kernel_.addLocal(name, access.node->dtype, unrolledSteps() * tiling_.lanes, ir::Space::Private, tiling_.lanes);
    }
  }
  /// Loads that a pass reads from memory: those that are not kept from an earlier one.
  std::set<const Expr*> readIn(int traversal) const {
    std::set<const Expr*> loads = kernel_.loadsOf(traversal);
    for (int earlier = 0; isResident() && earlier < traversal; ++earlier)
      for (const Expr* load : kernel_.loadsOf(earlier)) loads.erase(load);
    return loads;
  }
  ir::Lanes readVectors(const std::set<const Expr*>& loads) const {
    const LanePlace at = vectorPlace();
    const LoadMap memory = readLanes(kernel_.pool(), domain_, at);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const Access& access : domain_.loads()) {
      const auto local = held_.find(access.node);
      if (local == held_.end() || !loads.contains(access.node)) continue;
      lanes.stores.push_back({local->second, (unrolled_ * tiling_.lanes).expr(), memory.at(access.node), true, {}});
    }
    return lanes;
  }
  /// What loads and results of reductions are read as.
  LoadMap bindings(const LanePlace& at) const {
    LoadMap map;
    const Expr* slot = (unrolled_ * tiling_.lanes).expr();
    for (const auto& [load, local] : held_) map[load] = kernel_.pool().load(local, load->dtype, slot, ir::LoadMode::Contiguous);
    return withResults(readLanes(kernel_.pool(), domain_, at, std::move(map)), 0);
  }
  /// Results are those of the lanes in the accumulators, or, after an exchange, of one column in `totals`.
  LoadMap withResults(LoadMap map, int shift) const {
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const int local = shift == 0 ? kernel_.accumulator(i) : totals_[i];
      const Expr* result = nest_.reductions[i].result;
      map[result] = kernel_.pool().load(local, result->dtype, kernel_.number(0).expr(), ir::LoadMode::Contiguous);
    }
    return map;
  }

  ir::Block reducingPhase(int traversal) const {
    ir::Block block;
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), tiling_.lanes));
    const LanePlace at = vectorPlace();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.reductionStores(traversal, at, bindings(at), /*apart=*/true);
    append(block, traverse(traversal, std::move(lanes)));
    return block;
  }

  void addExchange() {
    for (const Reduction& reduction : nest_.reductions) {
      const int64_t elements = std::max<int64_t>(partials() * tiling_.tile(), tiling_.gridSplits > 1 ? tiling_.block() : 0);
      partials_.push_back(kernel_.addLocal("partial", reduction.body->dtype, elements, ir::Space::Shared));
      totals_.push_back(kernel_.addLocal("total", reduction.body->dtype, 1, ir::Space::Private));
    }
  }

  /// Combines what the threads over a column have: in warps by shuffles, across them in shared memory, where each thread of
  /// the first ones finishes one column, across CTAs by these threads.
  ir::Block exchange(int traversal) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    ir::Block block;
    if (tiling_.across < warp) {
      ir::Combine combine;
      combine.threads = warp / tiling_.across;
      combine.stride = tiling_.across;
      for (std::size_t i : reductions) combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
      ir::Block inWarps;
      inWarps.push_back({std::move(combine)});
      append(block, loop(LoopKind::Cluster, rank_, std::move(inWarps)));
    }
    append(block, onThreads(writePartials(reductions)));
    append(block, onThreads(combinePartials(reductions)));
    if (tiling_.ctas > 1) {
      ir::Combine combine;
      combine.ctas = tiling_.ctas;
      for (std::size_t i : reductions) combine.items.push_back({totals_[i], nest_.reductions[i].op});
      block.push_back({std::move(combine)});
    }
    if (traversal + 1 < nest_.traversals() || !nest_.elementStores.empty()) {
      append(block, onThreads(writeTotals(reductions)));
      append(block, onThreads(readTotals(reductions)));
    }
    return block;
  }

  ir::Lanes copies(const std::vector<std::size_t>& reductions, int lanes,
                   const std::function<ir::Store(std::size_t, ir::DType)>& copy) const {
    ir::Lanes all;
    all.axis = kernel_.pool().axis(lanes);
    for (std::size_t i : reductions) all.stores.push_back(copy(i, nest_.reductions[i].body->dtype));
    return all;
  }
  const Expr* read(int local, ir::DType dtype, Value offset) const {
    return kernel_.pool().load(local, dtype, offset.expr(), ir::LoadMode::Contiguous);
  }

  ir::Block writePartials(const std::vector<std::size_t>& reductions) const {
    const int width = std::max(warp, tiling_.across);
    const Value partial = floorDiv(thread_, width) * tiling_.tile() + across() * tiling_.lanes;
    ir::Block body;
    body.push_back({copies(reductions, tiling_.lanes, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], partial.expr(), read(kernel_.accumulator(i), dtype, kernel_.number(0)), true, {}};
    })});
    const Value inWarp = mod(thread_, warp);
    return when(tiling_.across < warp ? inWarp < tiling_.across : Condition(), std::move(body));
  }
  ir::Block combinePartials(const std::vector<std::size_t>& reductions) const {
    const Value partial = kernel_.axis(partials());
    ir::Block add, body;
    add.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      const Value from = partial * tiling_.tile() + thread_;
      return ir::Store{totals_[i], kernel_.number(0).expr(), read(partials_[i], dtype, from), true, nest_.reductions[i].op};
    })});
    body.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{totals_[i], kernel_.number(0).expr(), kernel_.pool().identity(nest_.reductions[i].op, dtype), true, {}};
    })});
    append(body, when(within(thread_, tiling_.block(), tiling_.tile()), loop(LoopKind::Unrolled, partial, std::move(add))));
    return body;
  }
  /// Totals go where the first partial results were, and from there to every thread over their columns.
  ir::Block writeTotals(const std::vector<std::size_t>& reductions) const {
    ir::Block body;
    body.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], thread_.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    return when(within(thread_, tiling_.block(), tiling_.tile()), std::move(body));
  }
  ir::Block readTotals(const std::vector<std::size_t>& reductions) const {
    ir::Block body;
    body.push_back({copies(reductions, tiling_.lanes, [&](std::size_t i, ir::DType dtype) {
      const Value from = across() * tiling_.lanes;
      return ir::Store{kernel_.accumulator(i), kernel_.number(0).expr(), read(partials_[i], dtype, from), true, {}};
    })});
    return body;
  }

  ir::Block elementStores() const {
    const LanePlace at = vectorPlace();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, bindings(at));
    return traverse(nest_.traversals(), std::move(lanes));
  }
  ir::Block directRowStores() const {
    if (nest_.rowStores.empty()) return {};
    const LanePlace at = vectorPlace(kernel_.number(0));
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, withResults(readLanes(kernel_.pool(), domain_, at), 0));
    ir::Block body;
    body.push_back({std::move(lanes)});
    return when(hasColumns(), std::move(body));
  }
  /// The results of one column, in `totals`.
  ir::Block rowStores(Value number, Value column) const {
    if (nest_.rowStores.empty()) return {};
    const LanePlace at = place(outer(number), tile(number) * tiling_.tile() + column, 1, kernel_.number(0));
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, withResults(readLanes(kernel_.pool(), domain_, at), 1));
    ir::Block body;
    body.push_back({std::move(lanes)});
    Condition mine = both(within(column, tiling_.block(), tiling_.tile()), inColumns(number, column));
    if (tiling_.ctas > 1) mine = both(rank_ == 0, mine);
    return when(mine, std::move(body));
  }

  /// Stores the totals of a split's columns: [tile, split, column of the tile].
  ir::Block storePartialResults() {
    ir::Block body;
    for (const Reduction& reduction : nest_.reductions) {
      const int64_t elements = clusters() * tiling_.tile();
      partialResults_.push_back(kernel_.addLocal("partial_result", reduction.result->dtype, elements, ir::Space::Global));
    }
    body.push_back({copies(kernel_.reductionsOf(0), 1, [&](std::size_t i, ir::DType dtype) {
      const Value to = cluster_ * tiling_.tile() + thread_;
      return ir::Store{partialResults_[i], to.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    return when(within(thread_, tiling_.block(), tiling_.tile()), std::move(body));
  }
  /// The last CTA's epilogue, tile by tile: the threads of a column combine a few partial results each, and then with each other.
  ir::Block combinePartialResults() const {
    const Value number = kernel_.axis(tiling_.outer * tiling_.tiles());
    const int64_t width = tiling_.tile(), depth = tiling_.block() / width;
    const Value column = mod(thread_, width), at = floorDiv(thread_, width);
    const int64_t count = ceilDiv(tiling_.gridSplits, depth);
    const Value step = kernel_.axis(count);
    const Value split = step * depth + at;
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(0);
    const auto total = [&](Value offset, const std::vector<int>& from) {
      return ir::Block{{copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
        return ir::Store{totals_[i], kernel_.number(0).expr(), read(from[i], dtype, offset), true, nest_.reductions[i].op};
      })}};
    };
    const ir::Statement clear{copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{totals_[i], kernel_.number(0).expr(), kernel_.pool().identity(nest_.reductions[i].op, dtype), true, {}};
    })};
    const Value from = (number * tiling_.gridSplits + split) * width + column;
    ir::Block first{clear}, second{clear};
    append(first,
           loop(LoopKind::Unrolled, step, when(within(split, count * depth, tiling_.gridSplits), total(from, partialResults_))));
    first.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], thread_.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    const Value each = kernel_.axis(depth);
    append(second, when(within(thread_, tiling_.block(), width),
                        loop(LoopKind::Unrolled, each, total(each * width + thread_, partials_))));
    append(second, rowStores(number, thread_));
    ir::Block body = onThreads(std::move(first));
    append(body, onThreads(std::move(second)));
    return loop(LoopKind::Serial, number, std::move(body));
  }

  const ColumnTiling tiling_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  Value cluster_, rank_, thread_, unrolled_, serial_;
  std::map<const Expr*, int> held_;
  std::vector<int> partials_, totals_, partialResults_;
};

}  // namespace

ir::Kernel scheduleColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                           const ir::Target& target, const ColumnTiling& tiling) {
  return ColumnKernel(loops, nest, domain, target, tiling).build();
}

}  // namespace lowering
