#pragma once

#include <optional>

#include "ir/target.h"
#include "lowering/analysis/iteration_domain.h"

namespace lowering {

/// How a nest of scans is laid over threads. Where memory runs along the elements a line is a row, and its vectors have `lanes`
/// elements of it; of outer scans, contiguous along the kept axes, a line is a vector of `lanes` columns, and has one such vector
/// an element. A group of threads takes the vectors of a line in steps, each with what all before it came to.
struct ScanSchedule {
  bool columns = false;
  int lanes = 1;
  int64_t lines = 1;
  int64_t vectors = 1;  ///< of a line; the last one of a row may have fewer elements
  int across = 1;       ///< columns: neighbouring lines whose threads take turns in a CTA
  int group = 1;        ///< threads of a CTA that work on one line
  int64_t steps = 1;    ///< vectors that a thread takes at once
  int block = 32;       ///< threads of a CTA
  int ctas = 1;         ///< a cluster of so many CTAs works on one line
  int gridSplits = 1;   ///< rows: or so many CTAs of the grid, which wait for each other's totals
  int resident = 0;     ///< Launch::resident: CTAs of a multiprocessor, if they wait for each other

  int linesPerCta() const { return block / group; }
  /// CTAs that work on one line.
  int splits() const { return ctas * gridSplits; }
  /// Vectors of a line that all its threads together take at once.
  int64_t chunk() const { return int64_t{ctas} * group * steps; }
  /// Chunks that a CTA takes, one after another.
  int64_t chunks() const;
  bool operator==(const ScanSchedule&) const = default;
};

/// What of a schedule is to be otherwise than by the rules; followed where it is possible.
struct ScanWish {
  std::optional<int64_t> steps{};
  std::optional<int> splits{};
};

/// The schedule of a nest of scans for a GPU, by rules that were measured on sm_90 (docs/schedules.md).
ScanSchedule chooseScanSchedule(const IterationDomain& domain, const ir::Target& target, const ScanWish& wish = {});

}  // namespace lowering
