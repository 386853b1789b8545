#pragma once

#include <vector>

#include "lowering/layout/schedule.h"
#include "lowering/schedule/cuda/staged_tile.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {

/// The tiles of a CTA in shared memory: tiles of loads are copied in before they are used, tiles of stores are copied out
/// afterwards, each as its tensor lies in global memory.
class StagedTiles {
 public:
  StagedTiles(NestKernel& kernel, const Placement& at, Staging staging, const ir::Target& target)
      : kernel_(kernel), at_(at), staging_(staging), vectorBytes_(target.vectorBytes) {}

  bool stages(const Access& access) const;
  /// Adds the tile of a load that is staged.
  void addLoad(const Access& access);
  /// Adds tiles of the element stores that are staged. Results go over what was read and lies alike.
  void addStores();
  /// Whether any of them are.
  bool hasStores() const { return !stores_.empty(); }

  /// Adds the staged loads to what loads are read as at a place.
  void addTo(LoadMap& bindings, const LanePlace& at) const;
  /// Makes of the nest's element stores at a place stores to tiles.
  void redirect(ir::Lanes& stores, const LanePlace& at) const;

  ir::Block copyIn() const;
  ir::Block copyOut();

 private:
  /// An access and its tile.
  struct Staged {
    const Access* access;
    StagedTile tile;
    ir::DType dtype;
    int local;
    std::size_t number = 0;  ///< of an element store
  };
  /// A thread's vectors of a tile, a few at once.
  struct Vectors {
    Value serial, unrolled;
    StagedTile::Copy at;
    Guard isThere = Guard::always();
  };

  int addShared(const Access& access, ir::DType dtype, const StagedTile& tile);
  int alike(const StagedTile& tile, ir::DType dtype) const;
  Position start() const;
  TilePosition inTile() const;
  Value offset(const StagedTile& tile, const LanePlace& at) const;
  int64_t block() const { return at_.layout().extent(Bind::Thread); }
  int64_t vectorsAtOnce(const StagedTile& tile) const;
  Vectors vectorsOf(const StagedTile& tile) const;
  ir::Block moved(const Staged& one, const Vectors& vectors, int to, Value there, const ir::Expr* value) const;
  const ir::Expr* inMemory(const Staged& one, const StagedTile::Copy& at) const;

  NestKernel& kernel_;
  const Placement& at_;
  const Staging staging_;
  const int vectorBytes_;
  std::vector<Staged> loads_, stores_;
};

}  // namespace lowering
