// Reductions across memory: tiles of columns, whose elements the threads of a CTA or a cluster share.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/columns.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

constexpr int warp = ir::Target::warp;

class ColumnKernel {
 public:
  ColumnKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
               const ColumnSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        cluster_(kernel_.axis(clusters())),
        rank_(kernel_.axis(schedule.ctas)),
        thread_(kernel_.axis(schedule.block())),
        unrolled_(kernel_.axis(unrolledSteps())),
        serial_(kernel_.axis(ceilDiv(steps(), unrolledSteps()))) {}

  ir::Kernel build() {
    kernel_.addAccumulators(schedule_.lanes, schedule_.lanes);
    addHeld();
    if (!schedule_.isDirect()) addExchange();
    ir::Block grid;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, onThreads(reducingPhase(traversal)));
      if (!schedule_.isDirect()) append(grid, exchange(traversal));
    }
    if (!nest_.elementStores.empty()) append(grid, onThreads(elementStores()));
    append(grid, onThreads(schedule_.isDirect()       ? directRowStores()
                           : schedule_.gridSplits > 1 ? storePartialResults()
                                                      : rowStores(tileAndOuter(), thread_)));
    ir::Launch launch;
    launch.grid = clusters();
    launch.cluster = schedule_.ctas;
    launch.block = schedule_.block();
    ir::Block body = kernel_.gridLoop(cluster_, std::move(grid));
    if (schedule_.gridSplits > 1) append(body, combinePartialResults());
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  int64_t clusters() const {
    if (schedule_.isDirect()) return ceilDiv(schedule_.vectors(), schedule_.block());
    return schedule_.outer * schedule_.tiles() * schedule_.gridSplits;
  }
  int64_t atOnce() const { return int64_t{schedule_.down} * schedule_.splits(); }
  int64_t steps() const { return ceilDiv(schedule_.elements, atOnce()); }
  /// Warps, or rows of threads where a row is wider than a warp: each leaves one partial result a column.
  int partials() const { return schedule_.across < warp ? schedule_.block() / warp : schedule_.down; }

  ir::Block onThreads(ir::Block body) const {
    if (body.empty()) return body;
    return loop(LoopKind::Cluster, rank_, loop(LoopKind::Thread, thread_, std::move(body)));
  }

  Value across() const { return schedule_.down == 1 ? thread_ : mod(thread_, schedule_.across); }
  /// The number of the CTA's tile, and which of those that share it the CTA is.
  Value tileAndOuter() const {
    if (schedule_.outer * schedule_.tiles() == 1) return kernel_.number(0);
    return schedule_.gridSplits == 1 ? cluster_ : floorDiv(cluster_, schedule_.gridSplits);
  }
  Value split() const {
    if (schedule_.gridSplits == 1) return rank_;
    return schedule_.outer * schedule_.tiles() == 1 ? cluster_ : mod(cluster_, schedule_.gridSplits);
  }
  Value tile(Value number) const { return schedule_.outer == 1 ? number : mod(number, schedule_.tiles()); }
  Value outer(Value number) const { return schedule_.outer == 1 ? kernel_.number(0) : floorDiv(number, schedule_.tiles()); }
  Value element() const {
    const Value step = serial_ * unrolledSteps() + unrolled_;
    const Value at = step * schedule_.splits() + split();
    return schedule_.down == 1 ? at : at * schedule_.down + floorDiv(thread_, schedule_.across);
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
    const int64_t lanes = schedule_.lanes, inRow = schedule_.columns / schedule_.lanes;
    if (!schedule_.isDirect()) {
      const Value number = tileAndOuter();
      return place(outer(number), tile(number) * schedule_.tile() + across() * lanes, schedule_.lanes, element);
    }
    if (schedule_.outer == 1) return place(kernel_.number(0), directVector() * lanes, schedule_.lanes, element);
    return place(floorDiv(directVector(), inRow), mod(directVector(), inRow) * lanes, schedule_.lanes, element);
  }
  LanePlace vectorPlace() const { return vectorPlace(element()); }
  Value directVector() const { return cluster_ * schedule_.block() + thread_; }
  Condition inColumns(Value number, Value column) const {
    return within(tile(number) * schedule_.tile() + column, schedule_.tiles() * schedule_.tile(), schedule_.columns);
  }
  Condition hasColumns() const {
    if (schedule_.isDirect()) return within(directVector(), clusters() * schedule_.block(), schedule_.vectors());
    return inColumns(tileAndOuter(), across() * schedule_.lanes);
  }

  ir::Block chunk(ir::Lanes lanes) const {
    ir::Block body;
    if (lanes.stores.empty()) return body;
    body.push_back({std::move(lanes)});
    return loop(LoopKind::Unrolled, unrolled_, when(within(element(), coveredElements(), schedule_.elements), std::move(body)));
  }
  /// All elements of a thread's columns, in a traversal; the one after the last stores.
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
          kernel_.addLocal(name, access.node->dtype, unrolledSteps() * schedule_.lanes, ir::Space::Private, schedule_.lanes);
    }
  }
  /// Loads that a traversal reads from memory: those that are not kept from an earlier one.
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
      lanes.stores.push_back({local->second, (unrolled_ * schedule_.lanes).expr(), memory.at(access.node), true, {}});
    }
    return lanes;
  }
  /// What loads and results of reductions are read as.
  LoadMap bindings(const LanePlace& at) const {
    LoadMap map;
    const Expr* slot = (unrolled_ * schedule_.lanes).expr();
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
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), schedule_.lanes));
    const LanePlace at = vectorPlace();
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.reductionStores(traversal, at, bindings(at), /*apart=*/true);
    append(block, traverse(traversal, std::move(lanes)));
    return block;
  }

  void addExchange() {
    for (const Reduction& reduction : nest_.reductions) {
      const int64_t elements = std::max<int64_t>(partials() * schedule_.tile(), schedule_.gridSplits > 1 ? schedule_.block() : 0);
      partials_.push_back(kernel_.addLocal("partial", reduction.body->dtype, elements, ir::Space::Shared));
      totals_.push_back(kernel_.addLocal("total", reduction.body->dtype, 1, ir::Space::Private));
    }
  }

  /// Combines what the threads over a column have: in warps by shuffles, across them in shared memory, where each thread of
  /// the first ones finishes one column, across CTAs by these threads.
  ir::Block exchange(int traversal) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    ir::Block block;
    if (schedule_.across < warp) {
      ir::Combine combine;
      combine.threads = warp / schedule_.across;
      combine.stride = schedule_.across;
      for (std::size_t i : reductions) combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
      ir::Block inWarps;
      inWarps.push_back({std::move(combine)});
      append(block, loop(LoopKind::Cluster, rank_, std::move(inWarps)));
    }
    append(block, onThreads(writePartials(reductions)));
    append(block, onThreads(combinePartials(reductions)));
    if (schedule_.ctas > 1) {
      ir::Combine combine;
      combine.ctas = schedule_.ctas;
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
    const int width = std::max(warp, schedule_.across);
    const Value partial = floorDiv(thread_, width) * schedule_.tile() + across() * schedule_.lanes;
    ir::Block body;
    body.push_back({copies(reductions, schedule_.lanes, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], partial.expr(), read(kernel_.accumulator(i), dtype, kernel_.number(0)), true, {}};
    })});
    const Value inWarp = mod(thread_, warp);
    return when(schedule_.across < warp ? inWarp < schedule_.across : Condition(), std::move(body));
  }
  ir::Block combinePartials(const std::vector<std::size_t>& reductions) const {
    const Value partial = kernel_.axis(partials());
    ir::Block add, body;
    add.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      const Value from = partial * schedule_.tile() + thread_;
      return ir::Store{totals_[i], kernel_.number(0).expr(), read(partials_[i], dtype, from), true, nest_.reductions[i].op};
    })});
    body.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{totals_[i], kernel_.number(0).expr(), kernel_.pool().identity(nest_.reductions[i].op, dtype), true, {}};
    })});
    append(body, when(within(thread_, schedule_.block(), schedule_.tile()), loop(LoopKind::Unrolled, partial, std::move(add))));
    return body;
  }
  /// Totals go where the first partial results were, and from there to every thread over their columns.
  ir::Block writeTotals(const std::vector<std::size_t>& reductions) const {
    ir::Block body;
    body.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], thread_.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    return when(within(thread_, schedule_.block(), schedule_.tile()), std::move(body));
  }
  ir::Block readTotals(const std::vector<std::size_t>& reductions) const {
    ir::Block body;
    body.push_back({copies(reductions, schedule_.lanes, [&](std::size_t i, ir::DType dtype) {
      const Value from = across() * schedule_.lanes;
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
    const LanePlace at = place(outer(number), tile(number) * schedule_.tile() + column, 1, kernel_.number(0));
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, withResults(readLanes(kernel_.pool(), domain_, at), 1));
    ir::Block body;
    body.push_back({std::move(lanes)});
    Condition mine = both(within(column, schedule_.block(), schedule_.tile()), inColumns(number, column));
    if (schedule_.ctas > 1) mine = both(rank_ == 0, mine);
    return when(mine, std::move(body));
  }

  /// Stores the totals of a split's columns: [tile, split, column of the tile].
  ir::Block storePartialResults() {
    ir::Block body;
    for (const Reduction& reduction : nest_.reductions) {
      const int64_t elements = clusters() * schedule_.tile();
      partialResults_.push_back(kernel_.addLocal("partial_result", reduction.result->dtype, elements, ir::Space::Global));
    }
    body.push_back({copies(kernel_.reductionsOf(0), 1, [&](std::size_t i, ir::DType dtype) {
      const Value to = cluster_ * schedule_.tile() + thread_;
      return ir::Store{partialResults_[i], to.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    return when(within(thread_, schedule_.block(), schedule_.tile()), std::move(body));
  }
  /// The last CTA's epilogue, tile by tile: the threads of a column combine a few partial results each, and then with each other.
  ir::Block combinePartialResults() const {
    const Value number = kernel_.axis(schedule_.outer * schedule_.tiles());
    const int64_t width = schedule_.tile(), depth = schedule_.block() / width;
    const Value column = mod(thread_, width), at = floorDiv(thread_, width);
    const int64_t count = ceilDiv(schedule_.gridSplits, depth);
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
    const Value from = (number * schedule_.gridSplits + split) * width + column;
    ir::Block first{clear}, second{clear};
    append(first, loop(LoopKind::Unrolled, step,
                       when(within(split, count * depth, schedule_.gridSplits), total(from, partialResults_))));
    first.push_back({copies(reductions, 1, [&](std::size_t i, ir::DType dtype) {
      return ir::Store{partials_[i], thread_.expr(), read(totals_[i], dtype, kernel_.number(0)), true, {}};
    })});
    const Value each = kernel_.axis(depth);
    append(second, when(within(thread_, schedule_.block(), width),
                        loop(LoopKind::Unrolled, each, total(each * width + thread_, partials_))));
    append(second, rowStores(number, thread_));
    ir::Block body = onThreads(std::move(first));
    append(body, onThreads(std::move(second)));
    return loop(LoopKind::Serial, number, std::move(body));
  }

  const ColumnSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  Value cluster_, rank_, thread_, unrolled_, serial_;
  std::map<const Expr*, int> held_;
  std::vector<int> partials_, totals_, partialResults_;
};

}  // namespace

ir::Kernel applyColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target, const ColumnSchedule& schedule) {
  return ColumnKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
