#pragma once

#include "ir/index/ceil_div.h"
#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// How the rows of a nest are laid over threads where memory runs along their numbers, as in the sums of a matrix's columns:
/// a CTA has a tile of `across * lanes` columns, next to each other in memory, and `down` threads over each of them.
struct ColumnDraft {
  int lanes = 1;         ///< columns of a thread
  int64_t outer = 1;     ///< tiles' own rows: points of the kept dims but the last
  int64_t columns = 1;   ///< extent of the last kept dim
  int64_t elements = 1;  ///< to combine in each column
  int across = 1;        ///< neighbouring threads, of neighbouring vectors
  int down = 1;          ///< threads over one column, each with every `down`th element
  int ctas = 1;          ///< CTAs of the cluster that splits the elements of a tile
  int gridSplits = 1;    ///< CTAs of the grid that split the elements of a tile; the last to end combines their partial results

  int block() const { return across * down; }
  int64_t tile() const { return int64_t{across} * lanes; }
  int64_t tiles() const { return ceilDiv(columns, tile()); }
  /// Whether one thread combines all of a column; tiles then run over the columns of all outer points.
  bool isDirect() const { return down == 1 && ctas == 1 && gridSplits == 1; }
  /// Vectors of columns, of all outer points.
  int64_t vectors() const { return outer * (columns / lanes); }
  /// Shared memory of a CTA in which it exchanges partial results: for each byte of a column's accumulators.
  int64_t partials() const;
  /// CTAs that work on one tile.
  int splits() const { return ctas * gridSplits; }
  bool operator==(const ColumnDraft&) const = default;
};

/// The draft of a nest for a GPU, by rules that were measured on sm_90 (docs/schedules.md).
ColumnDraft draftColumns(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target);
/// The same columns under so many threads of a CTA, where that is possible.
ColumnDraft withBlock(ColumnDraft draft, int block);

/// The draft as a schedule: a tile's columns lie over neighbouring threads, their elements over the others, its CTAs and a
/// thread's steps.
LayoutSchedule scheduleOf(const ColumnDraft& draft, const ReductionNest& nest, const IterationDomain& domain);

}  // namespace lowering
