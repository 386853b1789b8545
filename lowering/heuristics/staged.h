#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// How the rows of a nest are laid over threads where one tensor runs along rows and another one along their elements: a CTA
/// has a tile of whole rows in shared memory, copied there and back as each tensor lies in memory.
struct StagedDraft {
  std::vector<int64_t> tile;  ///< extents along the kept dims: all of some dims, a part of one at most, 1 of the others
  int lanes = 1;              ///< rows next to each other along the last kept dim that a thread works on at once
  int group = 1;              ///< threads that share the elements of these rows
  int block = 32;             ///< threads of a CTA, the last of which may be idle
  bool isHeld = false;        ///< threads hold the elements that several traversals need, and functions of them, in registers

  /// Vectors of `lanes` rows of a tile.
  int64_t rowVectors() const;
  /// Tiles along a kept dim.
  int64_t tiles(const IterationDomain& domain, std::size_t dim) const;
  /// The kept dim along which the last tile is a smaller one.
  std::optional<std::size_t> unevenDim(const IterationDomain& domain) const;
  bool operator==(const StagedDraft&) const = default;
};

/// Whether one tensor runs along rows and another one along their elements.
bool runsBothWays(const IterationDomain& domain);

/// What of a draft is to be otherwise than by the rules.
struct StagedWish {
  std::optional<int> group{};
  std::optional<int64_t> rows{};  ///< of a tile, at most
  std::optional<bool> isHeld{};
};

/// The draft of a nest for a GPU, by rules that were measured on sm_90 (docs/schedules.md); nothing where too few rows fit in
/// shared memory.
std::optional<StagedDraft> stagedDraft(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                                       const StagedWish& wish = {});
/// The same where it beats other schedules: where tensors run different ways, for results of rows that are short and no multiples
/// of vectors, and for sums of columns in short contiguous segments.
std::optional<StagedDraft> draftTiles(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target);

/// The draft as a schedule: a tile's rows lie over groups of threads, which share their elements.
LayoutSchedule scheduleOf(const StagedDraft& draft, const IterationDomain& domain);

}  // namespace lowering
