#include "lowering/schedule/cuda/staged_tiles.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/row_accesses.h"
#include "lowering/analysis/transposition.h"
#include "lowering/heuristics/limits.h"

namespace lowering {

using ir::LoopKind;

bool StagedTiles::stages(const Access& access) const {
  return staging_ == Staging::All ? isStaged(kernel_.domain(), access) : crosses(kernel_.domain(), access);
}

void StagedTiles::addLoad(const Access& access) {
  StagedTile tile(kernel_.domain(), at_.layout(), access, vectorBytes_);
  const int local = addShared(access, access.node->dtype, tile);
  loads_.push_back({&access, std::move(tile), access.node->dtype, local});
}

void StagedTiles::addStores() {
  const ReductionNest& nest = kernel_.nest();
  for (std::size_t i = 0; i < nest.elementStores.size(); ++i) {
    const Access& access = kernel_.domain().stores()[nest.rowStores.size() + i];
    if (staging_ == Staging::Crossing && !stages(access)) continue;
    const ir::DType dtype = nest.elementStores[i].value->dtype;
    StagedTile tile(kernel_.domain(), at_.layout(), access, vectorBytes_);
    const int same = alike(tile, dtype);
    const int local = same >= 0 ? same : addShared(access, dtype, tile);
    stores_.push_back({&access, std::move(tile), dtype, local, i});
  }
}

int StagedTiles::addShared(const Access& access, ir::DType dtype, const StagedTile& tile) {
  return kernel_.addLocal(kernel_.bufferName(access.buffer) + "_tile", dtype, tile.elements(), ir::Space::Shared);
}

/// The shared memory of a tile that was read and lies alike. -1: none that is not taken.
int StagedTiles::alike(const StagedTile& tile, ir::DType dtype) const {
  for (const Staged& load : loads_) {
    const auto takes = [&](const Staged& store) { return store.local == load.local; };
    const bool isFree = std::none_of(stores_.begin(), stores_.end(), takes);
    if (isFree && load.dtype == dtype && load.tile == tile) return load.local;
  }
  return -1;
}

/// The first element of the CTA's tile.
Position StagedTiles::start() const {
  Position position;
  for (std::size_t d = 0; d < at_.layout().dims.size(); ++d) position.push_back(at_.blockStart(d).expr());
  position.resize(kernel_.domain().dims().size(), kernel_.number(0).expr());
  return position;
}

/// A thread's rows, from the tile's first one on, at an element of theirs.
TilePosition StagedTiles::inTile() const {
  const IterationDomain& domain = kernel_.domain();
  TilePosition at{{}, kernel_.number(0)};
  for (std::size_t d = 0; d < domain.elementDims(); ++d) {
    at.dims.push_back(at_.inBlock(d) * at_.layout().dims[d].lanes);
    if (d == at_.layout().laneDim) at.laneBlock = at_.inBlock(d);
  }
  const ir::Expr* element = at_.inBlock(domain.elementDims()).expr();
  for (const ir::Expr* e : domain.unflatten(element, domain.elementDims(), domain.dims().size()))
    at.dims.emplace_back(kernel_.pool(), e);
  return at;
}

/// Where an access is in its tile at a place: of lane 0 where lanes are neighbours there, else of the lane at hand.
Value StagedTiles::offset(const StagedTile& tile, const LanePlace& at) const {
  TilePosition position = inTile();
  if (!tile.isContiguous()) position.dims[at.dim] = position.dims[at.dim] + Value{kernel_.pool(), at.lane};
  return tile.offset(position);
}

void StagedTiles::addTo(LoadMap& bindings, const LanePlace& at) const {
  for (const Staged& one : loads_) {
    const auto mode = one.tile.isContiguous() ? ir::LoadMode::Contiguous : ir::LoadMode::PerLane;
    if (bindings.contains(one.access->node)) continue;
    const ir::Expr* copy = kernel_.pool().load(one.local, one.dtype, offset(one.tile, at).expr(), mode);
    bindings[one.access->node] = kernel_.domain().copied(*one.access, copy, at.each, bindings);
  }
}

void StagedTiles::redirect(ir::Lanes& stores, const LanePlace& at) const {
  for (const Staged& one : stores_) {
    ir::Store& store = stores.stores[one.number];
    store.param = one.local;
    store.offset = offset(one.tile, at).expr();
    store.contiguous = one.tile.isContiguous();
  }
}

int64_t StagedTiles::vectorsAtOnce(const StagedTile& tile) const {
  const int64_t steps = ceilDiv(tile.vectors(), block());
  return ceilDiv(steps, ceilDiv(steps, limits::staged::vectorsInFlight));
}

StagedTiles::Vectors StagedTiles::vectorsOf(const StagedTile& tile) const {
  const int64_t atOnce = vectorsAtOnce(tile), serialSteps = ceilDiv(ceilDiv(tile.vectors(), block()), atOnce);
  const Value serial = kernel_.axis(serialSteps), unrolled = kernel_.axis(atOnce);
  const Value vector = (serial * atOnce + unrolled) * block() + at_.thread();
  const StagedTile::Copy at = tile.copy(vector, start());
  const Guard isThere = within(vector, serialSteps * atOnce * block(), tile.vectors()) & at.isInside;
  return {serial, unrolled, at, isThere};
}

/// `to[there] = value` for each of them.
ir::Block StagedTiles::moved(const Staged& one, const Vectors& vectors, int to, Value there, const ir::Expr* value) const {
  ir::Lanes lanes;
  lanes.axis = kernel_.pool().axis(one.tile.lanes());
  lanes.stores.push_back({to, there.expr(), value, true, {}});
  return loop(LoopKind::Unrolled, vectors.unrolled, when(vectors.isThere, {{std::move(lanes)}}));
}

/// A vector of the tensor, zeros where its mask does not hold.
const ir::Expr* StagedTiles::inMemory(const Staged& one, const StagedTile::Copy& at) const {
  const ir::Expr* vector = kernel_.vector(one.access->buffer, one.dtype, at.global.expr());
  if (!one.access->isMasked()) return vector;
  const ir::Expr* mask = kernel_.domain().at(one.access->node->src[1], at.position, {});
  return kernel_.pool().load(one.access->buffer, at.global.expr(), mask, kernel_.pool().integer(one.dtype, 0),
                             ir::LoadMode::Contiguous);
}

ir::Block StagedTiles::copyIn() const {
  ir::Block block;
  for (const Staged& one : loads_) {
    const Vectors all = vectorsOf(one.tile);
    append(block, loop(LoopKind::Serial, all.serial, moved(one, all, one.local, all.at.shared, inMemory(one, all.at))));
  }
  return block;
}

ir::Block StagedTiles::copyOut() {
  ir::Block block;
  for (const Staged& one : stores_) {
    const Vectors all = vectorsOf(one.tile);
    const int lanes = one.tile.lanes();
    const int copied = kernel_.addLocal("copied", one.dtype, vectorsAtOnce(one.tile) * lanes, ir::Space::Private, lanes);
    const Value slot = all.unrolled * lanes;
    ir::Block body = moved(one, all, copied, slot, kernel_.vector(one.local, one.dtype, all.at.shared.expr()));
    append(body, moved(one, all, one.access->buffer, all.at.global, kernel_.vector(copied, one.dtype, slot.expr())));
    append(block, loop(LoopKind::Serial, all.serial, std::move(body)));
  }
  return block;
}

}  // namespace lowering
