// Reductions across memory on a CPU: a task a tile of columns, or, where they are few, a share of their elements.
#include <algorithm>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/analysis/reuse.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/column_tiles.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/cpu/vectors.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class CpuColumnKernel {
 public:
  CpuColumnKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                  const TaskSchedule& schedule)
      : kernel_(loops, nest, domain, target),
        loops_(loops),
        nest_(nest),
        domain_(domain),
        elements_(domain.numel(domain.elementDims(), domain.dims().size())),
        lanes_(std::min(cpuLanes(loops, domain, domain.elementDims() - 1, target),
                        lanesOf(domain.dims()[domain.elementDims() - 1].extent))),
        columns_(kernel_, chooseTasks(target, schedule)),
        tile_(columns_.how.tile),
        splits_(columns_.how.splits) {}

  ir::Kernel build(const ir::Target& target) {
    ir::Launch launch;
    launch.tasks = columns_.tasks();
    // A result is read in the accumulator of its vector.
    kernel_.addAccumulators(tile_, lanes_);
    for (const Reduction& reduction : nest_.reductions)
      if (isBlocked()) blocks_.push_back(addVectors("block", reduction.body->dtype, tile_));
    if (storesAlongElements())
      for (const Reduction& reduction : nest_.reductions) results_.push_back(addVectors("result", reduction.body->dtype, tile_));
    addHeld();
    addHoisted();
    launch.grain = splits_ > 1 ? 1 : cpuGrain(loops_, domain_, tile_ * elements_);
    ir::Block body;
    if (splits_ > 1) {
      const int64_t count = columns_.outer() * columns_.tiles() * splits_ * tile_;
      for (const Reduction& reduction : nest_.reductions)
        partials_.push_back(kernel_.addLocal("partial_result", reduction.body->dtype, count, ir::Space::Global));
    }
    ir::Block task = columns_.forTile(columns_.tile(), [&](int64_t columns) { return tileBody(columns); });
    body.push_back({ir::For{columns_.task().expr(), LoopKind::Task, columns_.forTiles(std::move(task))}});
    if (splits_ > 1) append(body, combinePartialResults());
    ir::Kernel kernel = kernel_.assemble(launch, std::move(body));
    kernel.streamStores = !nest_.elementStores.empty() && !storesAlongElements() &&
                          areAligned(domain_, domain_.stores(), domain_.elementDims() - 1, lanes_, target) &&
                          exceedsCaches(loops_, target);
    return kernel;
  }

 private:
  /// Tiles whose sums stay in registers, or wide ones; splits of all tiles where that gives every thread enough to do, splits of
  /// one where tiles are fewer than threads.
  ColumnTasks chooseTasks(const ir::Target& target, const TaskSchedule& schedule) const {
    const std::size_t dim = domain_.elementDims() - 1;
    const int64_t columns = domain_.dims()[dim].extent, outer = domain_.numel(0, dim);
    ColumnTasks how;
    how.lanes = lanes_;
    const bool canSplit = nest_.traversals() == 1 && nest_.elementStores.empty();
    ir::require(schedule.splits == 0 || canSplit, "only sums of columns are split");
    const int64_t most = std::min<int64_t>(target.processors, elements_ / limits::cpu::columnSplitElements);
    const bool splitsAll =
        canSplit && outer < target.processors && most == target.processors && cpuPieces(loops_, domain_) >= target.processors;
    how.takesAll = schedule.splits > 0 || splitsAll;
    const int64_t vectors = ceilDiv(columns, lanes_);
    const int64_t wanted = how.takesAll || outer >= target.processors ? 1 : std::min<int64_t>(vectors, target.processors);
    const int64_t inRegisters =
        limits::cpu::tileVectors / static_cast<int64_t>(std::min<std::size_t>(2, nest_.reductions.size()));
    const bool isWide = schedule.splits == 0 && isLeftByCaches(inRegisters * lanes_, target);
    how.tile = ceilDiv(vectors, ceilDiv(ceilDiv(vectors, isWide ? limits::cpu::wideTileVectors : inRegisters), wanted) * wanted) *
               lanes_;
    if (how.takesAll)
      how.splits = schedule.splits > 0 ? schedule.splits : target.processors;
    else if (canSplit && outer * ceilDiv(columns, how.tile) < target.processors)
      how.splits = std::max<int64_t>(1, most);
    return how;
  }

  int addVectors(const std::string& stem, ir::DType dtype, int64_t elements) {
    return kernel_.addLocal(stem, dtype, elements, ir::Space::Private, lanes_);
  }

  /// Whether a tile of so many columns is read from beyond the caches by every traversal: one in registers is then no gain, and
  /// wider ones read longer segments of memory.
  bool isLeftByCaches(int64_t tile, const ir::Target& target) const {
    int64_t bytes = 0, ofTile = 0;
    for (const ir::Buffer& buffer : loops_.buffers) bytes += buffer.type.bytesTouched();
    for (const Access& load : domain_.loads()) {
      if (runsAcross(load)) return false;
      ofTile += load.elementBytes * tile * elements_;
    }
    const bool isReadAgain = nest_.traversals() > 1 || !nest_.elementStores.empty();
    return bytes > target.cacheBytes && !storesAlongElements() && (!isReadAgain || ofTile > target.cacheBytes);
  }

  bool isBlocked() const { return columns_.splitElements() > 2 * limits::cpu::columnBlock; }

  /// Every element of the columns, or of the task's share of them.
  ir::Block sweep(int64_t columns, int atOnce, const CpuColumns::Use& use) const {
    return columns_.elements(columns, kernel_.number(0), columns_.splitElements(), atOnce, use);
  }

  ir::Block tileBody(int64_t columns) const {
    ir::Block block;
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(block, computeHoisted(traversal, columns));
      append(block, reduce(traversal, columns));
    }
    if (splits_ > 1) {
      append(block, storePartialResults(columns));
      return block;
    }
    append(block, computeHoisted(nest_.traversals(), columns));
    append(block, storesAlongElements() ? storesAcross(columns) : elementStores(columns));
    append(block, rowStores(columns_.tile(), columns));
    return block;
  }

  ir::Block elementStores(int64_t columns) const {
    if (nest_.elementStores.empty()) return {};
    return sweep(columns, 1, [&](Value column, Value element, int) {
      const LanePlace at = columns_.place(columns_.tile(), column, element);
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, bindings(column, element)));
      return lanes;
    });
  }

  /// Whether results run through memory along a column's elements, unlike most of what is read.
  bool storesAlongElements() const {
    const std::size_t first = nest_.rowStores.size(), count = nest_.elementStores.size();
    const auto isAlong = [&](const Access& store) { return runsAcross(store) && domain_.inner().extent >= lanes_ / 2; };
    return count > 0 &&
           std::all_of(domain_.stores().begin() + static_cast<std::ptrdiff_t>(first), domain_.stores().end(), isAlong);
  }
  /// Whether neighbours in memory are elements of one column.
  bool runsAcross(const Access& access) const {
    return domain_.isContiguous(access, domain_.innermost()) && !domain_.isContiguous(access, domain_.elementDims() - 1);
  }

  /// The element stores along the elements: a vector of each column in turn, as one reads the cache lines of the one before.
  ir::Block storesAcross(int64_t columns) const {
    ir::Block block = columns_.vectors(columns, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i = 0; i < nest_.reductions.size(); ++i)
        lanes.stores.push_back({results_[i], column.expr(), results(column).at(nest_.reductions[i].result), true, {}});
      return lanes;
    });
    const int64_t extent = domain_.inner().extent, whole = extent / lanes_;
    const Value run = kernel_.axis(elements_ / extent), vector = kernel_.axis(whole);
    ir::Block body;
    if (whole > 0) append(body, loop(LoopKind::Serial, vector, storeAcross(columns, run, vector * lanes_, lanes_)));
    if (extent % lanes_ != 0) append(body, storeAcross(columns, run, kernel_.number(whole * lanes_), extent % lanes_));
    append(block, loop(LoopKind::Serial, run, std::move(body)));
    return block;
  }
  ir::Block storeAcross(int64_t columns, Value run, Value start, int64_t active) const {
    const Value column = kernel_.axis(columns), lane{kernel_.pool(), kernel_.pool().axis(lanes_)};
    LanePlace at = columns_.place(columns_.tile(), column, run * domain_.inner().extent);
    at.lane = lane.expr();
    at.dim = domain_.innermost();
    at.each = at.base;
    at.base.back() = start.expr();
    at.each.back() = (start + lane).expr();
    LoadMap results;
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      results[result] = kernel_.pool().load(results_[i], result->dtype, column.expr());
    }
    for (const auto& [one, local] : hoisted_) results[one.value] = kernel_.pool().load(local, one.value->dtype, column.expr());
    ir::Lanes lanes = kernel_.lanes(at);
    if (active < lanes_) lanes.active = kernel_.number(active).expr();
    lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, std::move(results)));
    return loop(LoopKind::Serial, column, ir::Block{{std::move(lanes)}});
  }

  /// Elements that several traversals read across memory are held as the first one has gathered them, if they fit a cache.
  void addHeld() {
    const int64_t count = tile_ * elements_;
    if (splits_ > 1 || nest_.traversals() + static_cast<int>(!nest_.elementStores.empty()) < 2) return;
    for (const Access& load : domain_.loads())
      if (runsAcross(load) && domain_.moves(load, domain_.elementDims() - 1, domain_.elementDims()) &&
          kernel_.loadsOf(0).contains(load.node) && count * load.elementBytes <= limits::cpu::heldTileBytes)
        held_.emplace_back(load.node, addVectors("held", load.node->dtype, count));
  }
  Value heldAt(Value column, Value element) const { return element * tile_ + column; }

  /// The values that all elements of a column share are computed before the first traversal that needs them.
  void addHoisted() {
    for (const TraversalValue& one : rowValues(nest_)) hoisted_.emplace_back(one, addVectors("hoisted", one.value->dtype, tile_));
  }
  ir::Block computeHoisted(int traversal, int64_t columns) const {
    if (std::none_of(hoisted_.begin(), hoisted_.end(), [&](const auto& one) { return one.first.traversal == traversal; }))
      return {};
    return columns_.vectors(columns, [&](Value column) {
      const LanePlace at = columns_.place(columns_.tile(), column, kernel_.number(0));
      const LoadMap loads = readLanes(kernel_.pool(), domain_, at, results(column));
      ir::Lanes lanes = kernel_.lanes(at);
      for (const auto& [one, local] : hoisted_)
        if (one.traversal == traversal)
          lanes.stores.push_back({local, column.expr(), domain_.at(one.value, at.each, loads), true, {}});
      return lanes;
    });
  }

  /// The results, what columns have once and, if `isHeld`, what is held, for a vector of columns at an element of theirs.
  LoadMap bindings(Value column, Value element, bool isHeld = true) const {
    LoadMap map = results(column);
    for (const auto& [one, local] : hoisted_) map[one.value] = read(local, one.value->dtype, column);
    if (isHeld)
      for (const auto& [load, local] : held_) map[load] = read(local, load->dtype, heldAt(column, element));
    return map;
  }

  /// The accumulators of the vector at a column of the tile.
  LoadMap results(Value column) const {
    LoadMap map;
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      map[result] = kernel_.pool().load(kernel_.accumulator(i), result->dtype, column.expr(), ir::LoadMode::Contiguous);
    }
    return map;
  }

  ir::Block reset(const std::vector<std::size_t>& reductions) const {
    return reset(reductions, [&](std::size_t i) { return kernel_.accumulator(i); });
  }
  ir::Block reset(const std::vector<std::size_t>& reductions, const std::function<int(std::size_t)>& local) const {
    return columns_.vectors(tile_, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i : reductions) {
        const Reduction& reduction = nest_.reductions[i];
        lanes.stores.push_back({local(i), column.expr(), kernel_.pool().identity(reduction.op, reduction.body->dtype), true, {}});
      }
      return lanes;
    });
  }

  ir::Block reduce(int traversal, int64_t columns) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(traversal);
    // A wide tile's sums are in memory: several elements are combined before they go there.
    const int atOnce =
        tile_ > limits::cpu::tileVectors * lanes_ && (traversal > 0 || held_.empty()) ? int{limits::cpu::wideTileElements} : 1;
    ir::Block block = reset(reductions);
    if (!isBlocked()) {
      append(block, sweep(columns, atOnce, combining(reductions, [&](std::size_t i) { return kernel_.accumulator(i); })));
      return block;
    }
    const auto ofBlock = [&](std::size_t i) { return blocks_[i]; };
    const Value number = kernel_.axis(ceilDiv(columns_.splitElements(), limits::cpu::columnBlock));
    const Value first = number * limits::cpu::columnBlock;
    ir::Block body = reset(reductions, ofBlock);
    append(body, columns_.elements(columns, first, limits::cpu::columnBlock, atOnce, combining(reductions, ofBlock)));
    append(body, columns_.vectors(columns, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i : reductions) {
        const Reduction& reduction = nest_.reductions[i];
        const Expr* partial = read(blocks_[i], reduction.body->dtype, column);
        lanes.stores.push_back({kernel_.accumulator(i), column.expr(), partial, true, reduction.op});
      }
      return lanes;
    }));
    append(block, loop(LoopKind::Serial, number, std::move(body)));
    return block;
  }
  /// Adds elements to the accumulators of their columns.
  CpuColumns::Use combining(const std::vector<std::size_t>& reductions, const std::function<int(std::size_t)>& local) const {
    const bool isFirst = nest_.reductions[reductions.front()].traversal == 0;
    return [this, reductions, local, isFirst](Value column, Value element, int count) {
      const LanePlace at = columns_.place(columns_.tile(), column, element);
      ir::Lanes lanes = kernel_.lanes(at);
      std::vector<std::vector<const Expr*>> values(reductions.size());
      for (int e = 0; e < count; ++e) {
        const Value one = element + e;
        const LanePlace here = columns_.place(columns_.tile(), column, one, {kernel_.pool(), at.lane});
        const LoadMap loads = readLanes(kernel_.pool(), domain_, here, bindings(column, one, !isFirst));
        if (isFirst)
          for (const auto& [load, kept] : held_)
            lanes.stores.push_back({kept, heldAt(column, one).expr(), loads.at(load), true, {}});
        for (std::size_t i = 0; i < reductions.size(); ++i)
          values[i].push_back(domain_.at(nest_.reductions[reductions[i]].body, here.each, loads));
      }
      for (std::size_t i = 0; i < reductions.size(); ++i) {
        const ir::Op op = nest_.reductions[reductions[i]].op;
        lanes.stores.push_back({local(reductions[i]), column.expr(), combined(op, std::move(values[i])), true, op});
      }
      return lanes;
    };
  }
  /// Values combined pairwise.
  const Expr* combined(ir::Op op, std::vector<const Expr*> values) const {
    for (; values.size() > 1; values.resize(ceilDiv(values.size(), 2)))
      for (std::size_t i = 0; 2 * i < values.size(); ++i)
        values[i] = 2 * i + 1 < values.size() ? kernel_.pool().make(op, {values[2 * i], values[2 * i + 1]}) : values[2 * i];
    return values.front();
  }

  ir::Block rowStores(Value number, int64_t columns) const {
    if (nest_.rowStores.empty()) return {};
    return columns_.vectors(columns, [&](Value column) {
      const LanePlace at = columns_.place(number, column, kernel_.number(0));
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.rowStores(
          at, readLanes(kernel_.pool(), domain_, at, splits_ > 1 ? results(column) : bindings(column, kernel_.number(0), false)));
      return lanes;
    });
  }

  const Expr* read(int local, ir::DType dtype, Value offset) const {
    return kernel_.pool().load(local, dtype, offset.expr(), ir::LoadMode::Contiguous);
  }

  ir::Block storePartialResults(int64_t columns) const {
    return columns_.vectors(columns, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
        const ir::DType dtype = nest_.reductions[i].body->dtype;
        lanes.stores.push_back({partials_[i],
                                ((columns_.tile() * splits_ + columns_.split()) * tile_ + column).expr(),
                                read(kernel_.accumulator(i), dtype, column),
                                true,
                                {}});
      }
      return lanes;
    });
  }

  ir::Block combinePartialResults() const {
    const Value number = kernel_.axis(columns_.outer() * columns_.tiles()), split = kernel_.axis(splits_);
    return loop(LoopKind::Serial, number, columns_.forTile(number, [&](int64_t columns) {
      ir::Block block = reset(kernel_.reductionsOf(0));
      append(block, loop(LoopKind::Serial, split, columns_.vectors(columns, [&](Value column) {
               ir::Lanes lanes;
               lanes.axis = kernel_.pool().axis(lanes_);
               for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
                 const Reduction& reduction = nest_.reductions[i];
                 const Value from = (number * splits_ + split) * tile_ + column;
                 lanes.stores.push_back({kernel_.accumulator(i), column.expr(), read(partials_[i], reduction.body->dtype, from),
                                         true, reduction.op});
               }
               return lanes;
             })));
      append(block, rowStores(number, columns));
      return block;
    }));
  }

  NestKernel kernel_;
  const ir::Loops& loops_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  int64_t elements_;  // of a column
  int lanes_;
  CpuColumns columns_;
  int64_t tile_, splits_;
  std::vector<int> blocks_, partials_, results_;
  std::vector<std::pair<const Expr*, int>> held_;        // the loads of which elements are kept, and where
  std::vector<std::pair<TraversalValue, int>> hoisted_;  // what columns have once, and where
};

}  // namespace

ir::Kernel applyCpuColumns(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                           const ir::Target& target, const TaskSchedule& schedule) {
  return CpuColumnKernel(loops, nest, domain, target, schedule).build(target);
}

}  // namespace lowering
