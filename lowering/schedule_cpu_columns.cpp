// Reductions across memory on a CPU: a task a tile of columns, or, where they are few, a share of their elements.
#include <algorithm>

#include "ir/error.h"
#include "lowering/ceil_div.h"
#include "lowering/cpu_tasks.h"
#include "lowering/cpu_vectors.h"
#include "lowering/nest_kernel.h"
#include "lowering/schedule.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

constexpr int64_t tileVectors = 8;         // of a tile: what a thread sums up in registers
constexpr int64_t wideVectors = 64;        // of a tile: what it sums up in its L1 cache
constexpr int64_t blockElements = 512;     // that one accumulator takes before it is added to the total: rounding stays small
constexpr int64_t shareElements = 64;      // of a column: the least that a thread takes
constexpr int64_t heldBytes = 128 * 1024;  // of a tile that are kept from one sweep to the next

class CpuColumnKernel {
 public:
  CpuColumnKernel(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target,
                  const TaskTiling& tiling)
      : kernel_(loops, nest, domain, ir::Backend::Cpu, 64),
        loops_(loops),
        nest_(nest),
        domain_(domain),
        lanes_(std::min(cpuLanes(loops, domain, domain.elementDims() - 1, target),
                        lanesOf(domain.dims()[domain.elementDims() - 1].extent))),
        outer_(domain.numel(0, domain.elementDims() - 1)),
        columns_(domain.dims()[domain.elementDims() - 1].extent),
        elements_(domain.numel(domain.elementDims(), domain.dims().size())) {
    const bool isShared = tiling.shares > 0;
    const int64_t vectors = ceilDiv(columns_, lanes_);
    const int64_t wanted = isShared || outer_ >= target.processors ? 1 : std::min<int64_t>(vectors, target.processors);
    const int64_t inRegisters = tileVectors / static_cast<int64_t>(std::min<std::size_t>(2, nest.reductions.size()));
    const int64_t most = !isShared && isLeftByCaches(inRegisters * lanes_, target) ? wideVectors : inRegisters;
    tile_ = ceilDiv(vectors, ceilDiv(ceilDiv(vectors, most), wanted) * wanted) * lanes_;
    tiles_ = ceilDiv(columns_, tile_);
    const bool canShare = nest.passes() == 1 && nest.elementStores.empty();
    if (isShared) {
      ir::require(canShare, "only sums of columns are divided into shares");
      shares_ = tiling.shares;
      tileAxis_ = kernel_.axis(outer_ * tiles_);
    } else if (canShare && outer_ * tiles_ < target.processors)
      shares_ = std::clamp<int64_t>(elements_ / shareElements, 1, target.processors);
  }

  ir::Kernel build(const ir::Target& target) {
    ir::Launch launch;
    launch.tasks = tileAxis_ ? shares_ : outer_ * tiles_ * shares_;
    task_ = kernel_.pool().axis(launch.tasks);
    // A result is read in the accumulator of its vector.
    kernel_.addAccumulators(tile_, lanes_);
    for (const Reduction& reduction : nest_.reductions)
      if (isBlocked()) blocks_.push_back(kernel_.addLocal("block", reduction.body->dtype, tile_, ir::Space::Register, lanes_));
    if (storesAlongElements())
      for (const Reduction& reduction : nest_.reductions)
        results_.push_back(kernel_.addLocal("result", reduction.body->dtype, tile_, ir::Space::Register, lanes_));
    addHeld();
    launch.grain = shares_ > 1 ? 1 : cpuGrain(loops_, domain_, tile_ * elements_);
    ir::Block body, task;
    if (shares_ > 1) {
      for (const Reduction& reduction : nest_.reductions)
        shared_.push_back(kernel_.addLocal("share", reduction.body->dtype, outer_ * tiles_ * shares_ * tile_, ir::Space::Global));
    }
    append(task, forTile([&](int64_t columns) { return tileBody(columns); }));
    if (tileAxis_) task = loop(LoopKind::Serial, *tileAxis_, std::move(task));
    body.push_back({ir::For{task_, LoopKind::Task, std::move(task)}});
    if (shares_ > 1) append(body, combineShares());
    ir::Kernel kernel = kernel_.finish(launch, std::move(body));
    kernel.streamStores = !nest_.elementStores.empty() && storesAligned() && exceedsCaches(loops_, target);
    return kernel;
  }

 private:
  Value task() const { return {kernel_.pool(), task_}; }
  Value share() const { return shares_ == 1 ? kernel_.number(0) : tileAxis_ ? task() : mod(task(), double(shares_)); }
  Value tileNumber() const { return tileAxis_ ? *tileAxis_ : shares_ == 1 ? task() : floorDiv(task(), double(shares_)); }
  Value tileAt(Value number) const {
    return tiles_ == 1 ? kernel_.number(0) : outer_ == 1 ? number : mod(number, double(tiles_));
  }
  Value outerAt(Value number) const {
    return tiles_ == 1 ? number : outer_ == 1 ? kernel_.number(0) : floorDiv(number, double(tiles_));
  }

  /// Whether a tile of so many columns is read from beyond the caches by every sweep: one in registers is then no gain, and wider
  /// ones read longer stretches of memory.
  bool isLeftByCaches(int64_t tile, const ir::Target& target) const {
    int64_t bytes = 0, ofTile = 0;
    for (const ir::Buffer& buffer : loops_.buffers) bytes += buffer.type.bytesTouched();
    for (const Access& load : domain_.loads()) {
      if (runsAcross(load)) return false;
      ofTile += load.elementBytes * tile * elements_;
    }
    const bool isReadAgain = nest_.passes() > 1 || !nest_.elementStores.empty();
    return bytes > target.cacheBytes && !storesAlongElements() && (!isReadAgain || ofTile > target.cacheBytes);
  }

  /// Whether every vector is stored at a multiple of its lanes.
  bool storesAligned() const {
    const std::size_t dim = domain_.elementDims() - 1;
    return !storesAlongElements() && std::all_of(domain_.stores().begin(), domain_.stores().end(), [&](const Access& store) {
      return domain_.isContiguous(store, dim) && domain_.isAligned(store, lanes_, dim);
    });
  }

  /// The body of a tile of `tile_` columns, or of what is left for the last one.
  ir::Block forTile(const std::function<ir::Block(int64_t)>& body) const { return forTile(tileNumber(), body); }
  ir::Block forTile(Value number, const std::function<ir::Block(int64_t)>& body) const {
    const int64_t last = columns_ - (tiles_ - 1) * tile_;
    if (last == tile_) return body(tile_);
    if (tiles_ == 1) return body(last);
    ir::Block block;
    block.push_back({ir::If{(tileAt(number) < double(tiles_ - 1)).expr(), body(tile_), body(last)}});
    return block;
  }

  LanePlace place(Value number, Value column, Value element) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes_)};
    place.lane = lane.expr();
    place.dim = domain_.elementDims() - 1;
    if (place.dim > 0) place.base = domain_.unflatten(outerAt(number).expr(), 0, place.dim);
    place.each = place.base;
    const Value start = tileAt(number) * double(tile_) + column;
    place.base.push_back(start.expr());
    place.each.push_back((start + lane).expr());
    const Position elements = domain_.unflatten(element.expr(), domain_.elementDims(), domain_.dims().size());
    for (Position* position : {&place.base, &place.each}) position->insert(position->end(), elements.begin(), elements.end());
    return place;
  }

  /// `use` for every vector of `columns` columns, at their place in the tile.
  ir::Block vectors(int64_t columns, const std::function<ir::Lanes(Value column)>& use) const {
    ir::Block block;
    const int64_t whole = columns / lanes_;
    if (whole > 0) {
      const Value vector = kernel_.axis(whole);
      const LoopKind kind = whole > tileVectors ? LoopKind::Serial : LoopKind::Unrolled;
      append(block, loop(kind, vector, ir::Block{{use(vector * double(lanes_))}}));
    }
    if (columns % lanes_ != 0) {
      ir::Lanes rest = use(kernel_.number(whole * lanes_));
      rest.active = kernel_.number(columns % lanes_).expr();
      block.push_back({std::move(rest)});
    }
    return block;
  }

  /// Elements of a column that a task takes.
  int64_t eachShare() const { return ceilDiv(elements_, shares_); }
  bool isBlocked() const { return eachShare() > 2 * blockElements; }

  /// What is done with a vector of columns at an element of theirs.
  using Use = std::function<ir::Lanes(const LanePlace&, Value column, Value element)>;

  /// The elements of the columns from `first` on, `count` of them, that are among the task's.
  ir::Block elements(int64_t columns, Value first, int64_t count, const Use& use) const {
    const Value step = kernel_.axis(count);
    const Value inShare = first + step, element = share() * double(eachShare()) + inShare;
    ir::Block body = vectors(columns, [&](Value column) { return use(place(tileNumber(), column, element), column, element); });
    const bool isWhole = count == eachShare() || eachShare() % count == 0;
    const Condition inside = isWhole ? Condition() : inShare < double(eachShare());
    body = when(both(inside, within(element, eachShare() * shares_, elements_)), std::move(body));
    return loop(LoopKind::Serial, step, std::move(body));
  }
  /// Every element of the columns, or of the task's share of them.
  ir::Block sweep(int64_t columns, const Use& use) const { return elements(columns, kernel_.number(0), eachShare(), use); }

  ir::Block tileBody(int64_t columns) const {
    ir::Block block;
    for (int pass = 0; pass < nest_.passes(); ++pass) append(block, reduce(pass, columns));
    if (shares_ > 1) {
      append(block, leaveShare(columns));
      return block;
    }
    append(block, storesAlongElements() ? storesAcross(columns) : elementStores(columns));
    append(block, rowStores(tileNumber(), columns));
    return block;
  }

  ir::Block elementStores(int64_t columns) const {
    if (nest_.elementStores.empty()) return {};
    return sweep(columns, [&](const LanePlace& at, Value column, Value element) {
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, known(column, element)));
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
    ir::Block block = vectors(columns, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i = 0; i < nest_.reductions.size(); ++i)
        lanes.stores.push_back({results_[i], column.expr(), results(column).at(nest_.reductions[i].result), true, {}});
      return lanes;
    });
    const int64_t extent = domain_.inner().extent, whole = extent / lanes_;
    const Value run = kernel_.axis(elements_ / extent), vector = kernel_.axis(whole);
    ir::Block body;
    if (whole > 0) append(body, loop(LoopKind::Serial, vector, storeAcross(columns, run, vector * double(lanes_), lanes_)));
    if (extent % lanes_ != 0) append(body, storeAcross(columns, run, kernel_.number(whole * lanes_), extent % lanes_));
    append(block, loop(LoopKind::Serial, run, std::move(body)));
    return block;
  }
  ir::Block storeAcross(int64_t columns, Value run, Value start, int64_t active) const {
    const Value column = kernel_.axis(columns), lane{kernel_.pool(), kernel_.pool().axis(lanes_)};
    LanePlace at = place(tileNumber(), column, run * double(domain_.inner().extent));
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
    ir::Lanes lanes = kernel_.lanes(at);
    if (active < lanes_) lanes.active = kernel_.number(active).expr();
    lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at, std::move(results)));
    return loop(LoopKind::Serial, column, ir::Block{{std::move(lanes)}});
  }

  /// What is read by several sweeps and lies across them is kept as the first one has put it together, if it fits a cache.
  void addHeld() {
    const int64_t count = tile_ * elements_;
    if (shares_ > 1 || nest_.passes() + static_cast<int>(!nest_.elementStores.empty()) < 2) return;
    for (const Access& load : domain_.loads())
      if (runsAcross(load) && domain_.moves(load, domain_.elementDims() - 1, domain_.elementDims()) &&
          kernel_.loadsOf(0).contains(load.node) && count * load.elementBytes <= heldBytes)
        held_.emplace_back(load.node, kernel_.addLocal("held", load.node->dtype, count, ir::Space::Register, lanes_));
  }
  Value heldAt(Value column, Value element) const { return element * double(tile_) + column; }

  /// The results, and what is held, for a vector of columns at an element of theirs.
  LoadMap known(Value column, Value element) const {
    LoadMap map = results(column);
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
    return vectors(tile_, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i : reductions) {
        const Reduction& reduction = nest_.reductions[i];
        lanes.stores.push_back({local(i), column.expr(), kernel_.pool().neutral(reduction.op, reduction.body->dtype), true, {}});
      }
      return lanes;
    });
  }

  ir::Block reduce(int pass, int64_t columns) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(pass);
    ir::Block block = reset(reductions);
    if (!isBlocked()) {
      append(block, sweep(columns, combining(reductions, [&](std::size_t i) { return kernel_.accumulator(i); })));
      return block;
    }
    const auto ofBlock = [&](std::size_t i) { return blocks_[i]; };
    const Value number = kernel_.axis(ceilDiv(eachShare(), blockElements));
    ir::Block body = reset(reductions, ofBlock);
    append(body, elements(columns, number * double(blockElements), blockElements, combining(reductions, ofBlock)));
    append(body, vectors(columns, [&](Value column) {
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
  Use combining(const std::vector<std::size_t>& reductions, const std::function<int(std::size_t)>& local) const {
    const bool isFirst = nest_.reductions[reductions.front()].pass == 0;
    return [this, reductions, local, isFirst](const LanePlace& at, Value column, Value element) {
      const LoadMap loads = readLanes(kernel_.pool(), domain_, at, isFirst ? results(column) : known(column, element));
      ir::Lanes lanes = kernel_.lanes(at);
      if (isFirst)
        for (const auto& [load, kept] : held_)
          lanes.stores.push_back({kept, heldAt(column, element).expr(), loads.at(load), true, {}});
      for (std::size_t i : reductions) {
        const Reduction& reduction = nest_.reductions[i];
        const Expr* value = domain_.at(reduction.body, at.each, loads);
        lanes.stores.push_back({local(i), column.expr(), value, true, reduction.op});
      }
      return lanes;
    };
  }

  ir::Block rowStores(Value number, int64_t columns) const {
    if (nest_.rowStores.empty()) return {};
    return vectors(columns, [&](Value column) {
      const LanePlace at = place(number, column, kernel_.number(0));
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.rowStores(at, readLanes(kernel_.pool(), domain_, at, results(column)));
      return lanes;
    });
  }

  const Expr* read(int local, ir::DType dtype, Value offset) const {
    return kernel_.pool().load(local, dtype, offset.expr(), ir::LoadMode::Contiguous);
  }

  ir::Block leaveShare(int64_t columns) const {
    return vectors(columns, [&](Value column) {
      ir::Lanes lanes;
      lanes.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
        const ir::DType dtype = nest_.reductions[i].body->dtype;
        lanes.stores.push_back({shared_[i],
                                ((tileNumber() * double(shares_) + share()) * double(tile_) + column).expr(),
                                read(kernel_.accumulator(i), dtype, column),
                                true,
                                {}});
      }
      return lanes;
    });
  }

  ir::Block combineShares() const {
    const Value number = kernel_.axis(outer_ * tiles_), share = kernel_.axis(shares_);
    return loop(LoopKind::Serial, number, forTile(number, [&](int64_t columns) {
                  ir::Block block = reset(kernel_.reductionsOf(0));
                  append(block,
                         loop(LoopKind::Serial, share, vectors(columns, [&](Value column) {
                                ir::Lanes lanes;
                                lanes.axis = kernel_.pool().axis(lanes_);
                                for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
                                  const Reduction& reduction = nest_.reductions[i];
                                  const Value from = (number * double(shares_) + share) * double(tile_) + column;
                                  lanes.stores.push_back({kernel_.accumulator(i), column.expr(),
                                                          read(shared_[i], reduction.body->dtype, from), true, reduction.op});
                                }
                                return lanes;
                              })));
                  append(block, rowStores(number, columns));
                  return block;
                }));
  }

  NestKernel kernel_;
  const ir::Loops& loops_;
  const Nest& nest_;
  const Domain& domain_;
  int lanes_;
  int64_t outer_, columns_, elements_;
  int64_t tile_ = 1, tiles_ = 1, shares_ = 1;
  const Expr* task_ = nullptr;
  std::optional<Value> tileAxis_;  // where a task is a share of all tiles, the number of the tile at hand
  std::vector<int> blocks_, shared_, results_;
  std::vector<std::pair<const Expr*, int>> held_;  // the loads of which elements are kept, and where
};

}  // namespace

ir::Kernel scheduleCpuColumns(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target,
                              const TaskTiling& tiling) {
  return CpuColumnKernel(loops, nest, domain, target, tiling).build(target);
}

}  // namespace lowering
