#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// How the rows of a nest are laid over threads, where memory runs along their elements. A row is `runs` times `runVectors`
/// vectors of `lanes` elements: a run is one line along the innermost dim (an image's channel in batch norm), a plain row
/// one run. Of a group of `columns * runsAtOnce` threads each takes one vector column of every `runsAtOnce`th run.
struct RowDraft {
  int lanes = 1;
  bool hasCover =
      false;  ///< runs start anywhere: their vectors are the aligned ones that cover them, with lanes left out at the ends
  int64_t rows = 1, runs = 1, runVectors = 1;
  int columns = 1;            ///< neighbouring threads along a run
  int runsAtOnce = 1;         ///< runs that a group works on at the same time
  int64_t runSteps = 1;       ///< runs a thread takes, one after another
  int64_t vectorSteps = 1;    ///< vectors a thread takes of each
  int group = 1;              ///< threads of a CTA that work on one row, some of which may be idle
  int block = 32;             ///< threads of a CTA; several rows of it if the groups are smaller
  int ctas = 1;               ///< CTAs of the cluster that splits a row
  bool isPersistent = false;  ///< Launch::isPersistent
  int alongRun = 1;           ///< so many of a row's CTAs split each run; the others split the runs
  int gridSplits = 1;         ///< CTAs of the grid that split a row; the last to end combines their partial results
  int resident = 0;           ///< Launch::resident
  Hold hold = Hold::Nowhere;
  bool keepsFunctions =
      false;  ///< functions of elements, such as exponentials, are held in registers for the traversals that need them again

  int rowsPerCta() const { return block / group; }
  /// CTAs that work on one row.
  int splits() const { return ctas * gridSplits; }
  bool hasRuns() const { return runs > 1; }
  /// CTAs among which a row's runs are split.
  int runSplits() const { return splits() / alongRun; }
  bool operator==(const RowDraft&) const = default;
};

/// Choices of a draft that replace the rules' choices, where they are possible.
struct RowWish {
  std::optional<int> lanes{};      ///< elements of a vector, at most
  std::optional<int64_t> steps{};  ///< vectors a thread takes
  std::optional<int> splits{};
  std::optional<int> rowsPerCta{};
  std::optional<Hold> hold{};
  std::optional<int64_t> slice{};  ///< bytes of a row of many runs that each CTA of a cluster has in shared memory
  bool isPersistent = false;       ///< of a persistent cluster instead
  std::optional<bool> hasCover{};
  std::optional<bool> keepsFunctions{};
  bool isResident = true;  ///< whether RowDraft::resident is set
};

/// The draft of a nest for a GPU, by rules that were measured on sm_90 (docs/schedules.md).
RowDraft draftRows(const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target, const RowWish& wish = {});

/// The draft as a schedule: runs of a row follow one another in a CTA's split, so that few addresses reach a thread's; vectors
/// take turns.
LayoutSchedule scheduleOf(const RowDraft& draft, const IterationDomain& domain);

}  // namespace lowering
