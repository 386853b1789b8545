#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/analysis/transposition.h"
#include "lowering/layout/schedule.h"

namespace lowering {

/// How loops some of whose tensors run across the first element store are laid over threads of a GPU: a CTA has a tile of both
/// axes. What runs across goes through shared memory, all else is read and written in vectors along the store's axis. A tile has
/// all elements of its reductions.
struct TransposedDraft {
  int lanes = 1;       ///< elements of a vector along the store's axis
  int64_t along = 1;   ///< extent of the tile along the store's axis: a power of two, or all of it
  int64_t across = 1;  ///< along the other one: a multiple of the threads there
  int block = 256;     ///< threads of a CTA
  int64_t rows = 1;    ///< of the tile along the dim before the store's axis, whose rows follow one another in the store

  int threadsAlong() const { return static_cast<int>(along / lanes); }
  int threadsAcross() const { return static_cast<int>(block / (threadsAlong() * rows)); }
  int64_t steps() const { return across / threadsAcross(); }
  bool operator==(const TransposedDraft&) const = default;
};

/// The draft of a transposition for a GPU, by rules that were measured on sm_90 (docs/schedules.md); nothing where its tensors
/// are so small that caches do as well.
std::optional<TransposedDraft> draftTransposition(const Transposition& transposition, const ir::Target& target);

/// The draft as a schedule: neighbouring threads take neighbouring vectors along the store's axis.
LayoutSchedule scheduleOf(const TransposedDraft& draft, const IterationDomain& domain);

}  // namespace lowering
