#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/heuristics/rows.h"

namespace lowering {

/// Rows of many runs, such as an image's channels in batch norm, that are stored or read more than once, and what an element of
/// them takes.
struct RunRows {
  RowDraft draft;         ///< with lanes, rows, runs and the vectors of a run
  int64_t readBytes = 0;  ///< of an element, of all loads
  int64_t heldBytes = 0;  ///< of an element, of the loads that more than one traversal needs
  int64_t narrowest = 1;  ///< bytes of an element of one access
  bool isSmall = false;   ///< too few to fill the device: what counts is how soon they are done
  bool isStored = false;  ///< whether elements are stored

  int64_t runBytes() const;  ///< held of a run; read of it where nothing is held
  int64_t rowBytes() const { return runBytes() * draft.runs; }
};

/// The draft of such rows, as wished or by rules that were measured on sm_90 (docs/schedules.md); nothing where they are
/// best laid out like plain ones (`plain`), or the wish cannot be followed.
std::optional<RowDraft> draftSegments(const RunRows& rows, const RowDraft& plain, const ir::Target& target);
std::optional<RowDraft> wishedRuns(const RunRows& rows, const RowWish& wish, const ir::Target& target);

}  // namespace lowering
