#pragma once

#include <vector>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/schedule/placement.h"

namespace lowering {

/// Where a thread is in a tile: coordinates from its first element on, one for each dim of the domain.
struct TilePosition {
  std::vector<Value> dims;
  Value laneBlock;  ///< the coordinate along the last kept dim, divided by the layout's lanes
};

/// The elements of a tile that an access has, in shared memory: in the order in which they lie in global memory, so that they
/// are copied as vectors, with gaps that let threads along rows and threads along elements read different banks.
class StagedTile {
 public:
  /// A CTA's tile has a block of each dim, or all of it where the layout has no blocks. Its copies are vectors of up to
  /// `vectorBytes`.
  StagedTile(const IterationDomain& domain, const Layout& layout, const Access& access, int vectorBytes);

  /// Elements of shared memory.
  int64_t elements() const;
  /// Whether the layout's lanes are neighbours there, from multiples of their number on.
  bool isContiguous() const;
  Value offset(const TilePosition& at) const;

  /// Elements of the vectors that are copied, and how many there are of them.
  int lanes() const { return lanes_; }
  int64_t vectors() const;
  /// One such vector: where it starts in global memory and in shared memory, and whether it belongs to the tensor.
  struct Copy {
    Value global, shared;
    Guard isInside = Guard::always();
    Position position;  ///< of its first element in the domain
  };
  /// The vector of this number of the tile that starts at a position.
  Copy copy(Value vector, const Position& start) const;

  /// Whether another access of the same width lies there in the same way.
  bool operator==(const StagedTile& other) const;

 private:
  /// Dims that are run through as one.
  struct Run {
    std::vector<std::size_t> dims;  ///< outermost first
    int64_t extent = 1;
    int64_t step = 1;    ///< elements from one to the next in global memory
    int64_t shared = 1;  ///< in shared memory
    int64_t gap = 0;     ///< between blocks of the layout's lanes, in shared memory
    bool operator==(const Run&) const = default;
  };
  int64_t extent(std::size_t dim) const { return tile_[dim]; }
  /// Whether the last tile along a dim is a smaller one.
  bool isUneven(std::size_t dim) const { return domain_.dims()[dim].extent % tile_[dim] != 0; }
  void addRuns();
  void spread();
  bool canCopy(int lanes) const;
  int64_t inside(const Run& run, std::size_t dim) const;

  const IterationDomain& domain_;
  const Access& access_;
  const int rows_;                   ///< the layout's lanes
  const std::vector<int64_t> tile_;  ///< extents, by dim of the domain
  const int unit_;                   ///< elements of the widest vector
  std::vector<Run> runs_;            ///< outermost first
  int lanes_ = 1;
};

}  // namespace lowering
