// Reductions of tensors that lie in different orders: tiles of whole rows in shared memory.
#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cuda/function_registers.h"
#include "lowering/schedule/cuda/staged_tile.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

/// An access and its tile.
struct Staged {
  const Access* access;
  StagedTile tile;
  ir::DType dtype;
  int local;
};

class StagedKernel {
 public:
  StagedKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
               const StagedSchedule& schedule)
      : schedule_(schedule),
        vectorBytes_(target.vectorBytes),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        elements_(domain.numel(domain.elementDims(), domain.dims().size())),
        steps_(ceilDiv(elements_, schedule.group)),
        unrolledSteps_(schedule.isHeld ? steps_ : std::min(steps_, limits::staged::elementsAtOnce)),
        cluster_(kernel_.axis(tiles())),
        thread_(kernel_.axis(schedule.block)),
        serial_(kernel_.axis(ceilDiv(steps_, unrolledSteps_))),
        unrolled_(kernel_.axis(unrolledSteps_)),
        inGroup_(schedule.group == 1 ? kernel_.number(0) : mod(thread_, schedule.group)),
        rowVector_(schedule.group == 1 ? thread_ : floorDiv(thread_, schedule.group)) {}

  ir::Kernel build() {
    kernel_.addAccumulators(schedule_.lanes, schedule_.lanes);
    addTiles();
    if (schedule_.isHeld) functions_.add(unrolledSteps_, schedule_.lanes);
    ir::Block copies;
    for (const Staged& one : loads_) append(copies, copyIn(one));
    ir::Block grid = onThreads(std::move(copies));
    for (int traversal = 0; traversal < nest_.traversals(); ++traversal) {
      append(grid, onThreads(reducingPhase(traversal)));
      if (schedule_.group > 1) grid.push_back({combine(traversal)});
    }
    append(grid, onThreads(storingPhase()));
    copies.clear();
    for (const Staged& one : stores_) append(copies, copyOut(one));
    append(grid, onThreads(std::move(copies)));
    ir::Launch launch;
    launch.grid = tiles();
    launch.block = schedule_.block;
    return kernel_.assemble(launch, kernel_.gridLoop(cluster_, std::move(grid)));
  }

 private:
  std::size_t laneDim() const { return domain_.elementDims() - 1; }
  int64_t tiles() const {
    int64_t count = 1;
    for (std::size_t d = 0; d < domain_.elementDims(); ++d) count *= schedule_.tiles(domain_, d);
    return count;
  }
  ir::Block onThreads(ir::Block body) const {
    if (body.empty()) return body;
    return loop(LoopKind::Thread, thread_, std::move(body));
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Places.

  /// The first element of the CTA's tile.
  Position start() const {
    Position position(domain_.dims().size(), kernel_.number(0).expr());
    Value rest = cluster_;
    for (std::size_t d = domain_.elementDims(); d-- > 0;) {
      const int64_t count = schedule_.tiles(domain_, d);
      position[d] = ((d == 0 ? rest : mod(rest, count)) * schedule_.tile[d]).expr();
      if (d > 0) rest = floorDiv(rest, count);
    }
    return position;
  }
  Value element() const {
    const Value step = serial_ * unrolledSteps_ + unrolled_;
    return step * schedule_.group + inGroup_;
  }
  /// A thread's rows, from their first one on, at an element of theirs.
  TilePosition inTile(Value element) const {
    TilePosition at{{}, kernel_.number(0)};
    Value rest = rowVector_;
    for (std::size_t d = domain_.elementDims(); d-- > 0;) {
      const int64_t count = d == laneDim() ? schedule_.tile[d] / schedule_.lanes : schedule_.tile[d];
      const Value number = d == 0 ? rest : mod(rest, count);
      if (d > 0) rest = floorDiv(rest, count);
      if (d == laneDim()) at.laneBlock = number;
      at.dims.insert(at.dims.begin(), d == laneDim() ? number * schedule_.lanes : number);
    }
    for (const Expr* e : domain_.unflatten(element.expr(), domain_.elementDims(), domain_.dims().size()))
      at.dims.emplace_back(kernel_.pool(), e);
    return at;
  }
  LanePlace place(const TilePosition& at) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(schedule_.lanes)};
    place.lane = lane.expr();
    place.dim = laneDim();
    place.alignment = schedule_.lanes;
    const Position tile = start();
    for (std::size_t d = 0; d < tile.size(); ++d) place.base.push_back((Value{kernel_.pool(), tile[d]} + at.dims[d]).expr());
    place.each = place.base;
    place.each[laneDim()] = (Value{kernel_.pool(), place.base[laneDim()]} + lane).expr();
    return place;
  }
  LanePlace place() const { return place(inTile(element())); }

  /// Whether a thread has rows: tiles at the end have fewer, and CTAs more threads.
  Condition hasRows() const {
    const int64_t covered = schedule_.block / schedule_.group;
    Condition condition = within(rowVector_, covered, schedule_.rowVectors());
    if (const std::optional<std::size_t> uneven = schedule_.unevenDim(domain_)) {
      const Value row{kernel_.pool(), place(inTile(kernel_.number(0))).base[*uneven]};
      condition = both(condition, row < domain_.dims()[*uneven].extent);
    }
    return condition;
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Tiles.

  void addTiles() {
    for (const Access& access : domain_.loads()) {
      if (!isStaged(domain_, access)) continue;
      StagedTile tile(domain_, schedule_, access, vectorBytes_);
      const int local = addShared(access, access.node->dtype, tile);
      loads_.push_back({&access, std::move(tile), access.node->dtype, local});
      held_[access.node] = kernel_.addLocal(kernel_.bufferName(access.buffer) + "_held", access.node->dtype,
                                            unrolledSteps_ * schedule_.lanes, ir::Space::Private, schedule_.lanes);
    }
    for (std::size_t i = 0; i < nest_.elementStores.size(); ++i) {
      const Access& access = domain_.stores()[nest_.rowStores.size() + i];
      const ir::DType dtype = nest_.elementStores[i].value->dtype;
      StagedTile tile(domain_, schedule_, access, vectorBytes_);
      const int same = alike(tile, dtype);
      const int local = same >= 0 ? same : addShared(access, dtype, tile);
      stores_.push_back({&access, std::move(tile), dtype, local});
    }
  }
  int addShared(const Access& access, ir::DType dtype, const StagedTile& tile) {
    return kernel_.addLocal(kernel_.bufferName(access.buffer) + "_tile", dtype, tile.elements(), ir::Space::Shared);
  }
  /// The shared memory of what was read and lies alike: results go over it. -1: none that is not taken.
  int alike(const StagedTile& tile, ir::DType dtype) const {
    for (const Staged& load : loads_) {
      const auto takes = [&](const Staged& store) { return store.local == load.local; };
      const bool isFree = std::none_of(stores_.begin(), stores_.end(), takes);
      if (isFree && load.dtype == dtype && load.tile == tile) return load.local;
    }
    return -1;
  }

  /// A thread's vectors of a tile, a few at once.
  struct Vectors {
    Value serial, unrolled;
    StagedTile::Copy at;
    Condition isThere;
  };
  Vectors vectorsOf(const StagedTile& tile) const {
    const int64_t steps = ceilDiv(tile.vectors(), schedule_.block), atOnce = vectorsAtOnce(tile),
                  serialSteps = ceilDiv(steps, atOnce);
    const Value serial = kernel_.axis(serialSteps), unrolled = kernel_.axis(atOnce);
    const Value vector = (serial * atOnce + unrolled) * schedule_.block + thread_;
    const StagedTile::Copy at = tile.copy(vector, start());
    const Condition isThere = both(within(vector, serialSteps * atOnce * schedule_.block, tile.vectors()), at.isInside);
    return {serial, unrolled, at, isThere};
  }
  int64_t vectorsAtOnce(const StagedTile& tile) const {
    const int64_t steps = ceilDiv(tile.vectors(), schedule_.block);
    return ceilDiv(steps, ceilDiv(steps, limits::staged::vectorsInFlight));
  }
  /// `to[there] = from[here]` for each of them.
  ir::Block moved(const Staged& one, const Vectors& vectors, int to, Value there, int from, Value here) const {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(one.tile.lanes());
    lanes.stores.push_back({to, there.expr(), vectorAt(from, one.dtype, here.expr()), true, {}});
    ir::Block body;
    body.push_back({std::move(lanes)});
    return loop(LoopKind::Unrolled, vectors.unrolled, when(vectors.isThere, std::move(body)));
  }
  ir::Block copyIn(const Staged& one) const {
    const Vectors all = vectorsOf(one.tile);
    return loop(LoopKind::Serial, all.serial, moved(one, all, one.local, all.at.shared, one.access->buffer, all.at.global));
  }
  ir::Block copyOut(const Staged& one) {
    const Vectors all = vectorsOf(one.tile);
    const int lanes = one.tile.lanes();
    const int copied = kernel_.addLocal("copied", one.dtype, vectorsAtOnce(one.tile) * lanes, ir::Space::Private, lanes);
    const Value slot = all.unrolled * lanes;
    ir::Block body = moved(one, all, copied, slot, one.local, all.at.shared);
    append(body, moved(one, all, one.access->buffer, all.at.global, copied, slot));
    return loop(LoopKind::Serial, all.serial, std::move(body));
  }
  const Expr* vectorAt(int buffer, ir::DType dtype, const Expr* offset) const {
    return kernel_.pool().load(buffer, dtype, offset, ir::LoadMode::Contiguous);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Rows.

  /// Where an access is in its tile at a place: of lane 0 where lanes are neighbours there, else of the lane at hand.
  Value offset(const StagedTile& tile, const LanePlace& at) const {
    TilePosition position = inTile(element());
    if (!tile.isContiguous()) position.dims[laneDim()] = position.dims[laneDim()] + Value{kernel_.pool(), at.lane};
    return tile.offset(position);
  }
  const Expr* slot() const { return (unrolled_ * schedule_.lanes).expr(); }

  /// Loads that a traversal reads from shared memory: all that it needs and threads do not hold.
  std::set<const Expr*> readIn(int traversal) const {
    std::set<const Expr*> loads = kernel_.loadsOf(traversal);
    for (int before = 0; schedule_.isHeld && before < traversal; ++before)
      for (const Expr* load : kernel_.loadsOf(before)) loads.erase(load);
    return loads;
  }
  /// Reads them into registers.
  ir::Lanes readTiles(int traversal) const {
    const std::set<const Expr*> needed = readIn(traversal);
    const LanePlace at = place();
    ir::Lanes lanes = kernel_.lanes(at);
    for (const Staged& one : loads_) {
      const Expr* load = one.access->node;
      if (!needed.contains(load)) continue;
      const auto mode = one.tile.isContiguous() ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
      const Expr* value = kernel_.pool().load(one.local, load->dtype, offset(one.tile, at).expr(), mode);
      lanes.stores.push_back({held_.at(load), slot(), value, true, {}});
    }
    return lanes;
  }
  LoadMap results(LoadMap map) const {
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      map[result] = vectorAt(kernel_.accumulator(i), result->dtype, kernel_.number(0).expr());
    }
    return map;
  }
  LoadMap bindings(const LanePlace& at, int traversal) const {
    LoadMap map;
    functions_.addTo(map, traversal, slot());
    for (const auto& [load, local] : held_) map[load] = vectorAt(local, load->dtype, slot());
    return results(readLanes(kernel_.pool(), domain_, at, std::move(map)));
  }

  ir::Block chunk(ir::Lanes lanes) const {
    ir::Block body;
    if (lanes.stores.empty()) return body;
    body.push_back({std::move(lanes)});
    const int64_t covered = ceilDiv(steps_, unrolledSteps_) * unrolledSteps_ * schedule_.group;
    return loop(LoopKind::Unrolled, unrolled_, when(within(element(), covered, elements_), std::move(body)));
  }
  ir::Block sweep(int traversal, ir::Lanes use) const {
    ir::Block body = chunk(readTiles(traversal));
    append(body, chunk(std::move(use)));
    return when(hasRows(), loop(LoopKind::Serial, serial_, std::move(body)));
  }

  ir::Block reducingPhase(int traversal) const {
    ir::Block block;
    block.push_back(kernel_.reset(kernel_.reductionsOf(traversal), schedule_.lanes));
    const LanePlace at = place();
    ir::Lanes lanes = kernel_.lanes(at);
    const LoadMap loads = bindings(at, traversal);
    lanes.stores = functions_.stores(traversal, at, slot(), loads);
    const std::vector<ir::Store> sums = kernel_.reductionStores(traversal, at, loads, /*apart=*/true);
    lanes.stores.insert(lanes.stores.end(), sums.begin(), sums.end());
    append(block, sweep(traversal, std::move(lanes)));
    return block;
  }
  ir::Combine combine(int traversal) const {
    ir::Combine combine;
    combine.threads = schedule_.group;
    for (std::size_t i : kernel_.reductionsOf(traversal))
      combine.items.push_back({kernel_.accumulator(i), nest_.reductions[i].op});
    return combine;
  }

  /// Results of elements go to their tiles, those of rows to memory.
  ir::Block storingPhase() const {
    ir::Block block;
    if (!stores_.empty()) {
      const LanePlace at = place();
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.elementStores(at, bindings(at, nest_.traversals()));
      for (std::size_t i = 0; i < stores_.size(); ++i) {
        lanes.stores[i].param = stores_[i].local;
        lanes.stores[i].offset = offset(stores_[i].tile, at).expr();
        lanes.stores[i].contiguous = stores_[i].tile.isContiguous();
      }
      append(block, sweep(nest_.traversals(), std::move(lanes)));
    }
    if (!nest_.rowStores.empty()) {
      const LanePlace at = place(inTile(kernel_.number(0)));
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.rowStores(at, results(readLanes(kernel_.pool(), domain_, at)));
      ir::Block body;
      body.push_back({std::move(lanes)});
      const Condition isFirst = schedule_.group == 1 ? Condition() : inGroup_ == 0;
      append(block, when(both(hasRows(), isFirst), std::move(body)));
    }
    return block;
  }

  const StagedSchedule schedule_;
  const int vectorBytes_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const int64_t elements_, steps_, unrolledSteps_;
  Value cluster_, thread_, serial_, unrolled_, inGroup_, rowVector_;
  std::vector<Staged> loads_, stores_;
  std::map<const Expr*, int> held_;
  FunctionRegisters functions_{kernel_};
};

}  // namespace

ir::Kernel applyStaged(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                       const StagedSchedule& schedule) {
  return StagedKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
