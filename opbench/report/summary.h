#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/measure/statistics.h"
#include "opbench/run/row.h"

namespace opbench {

/// Samples by what became of them: each is counted once.
struct Counts {
  int samples = 0;
  int generated = 0, externs = 0, views = 0;  ///< those that are ok, by kind
  int wrong = 0, impossible = 0, unsupported = 0, errors = 0, skipped = 0;
  int crashes = 0, asserts = 0, timeouts = 0, ooms = 0;
};

/// A geometric mean and the samples it is over; meaningless over none.
struct Mean {
  double ratio = 1;
  int samples = 0;
};

/// What the rows of a group say about one contender.
struct Standing {
  Contender contender = Contender::Eager;
  Counts counts;
  std::optional<Quantiles> speedups;       ///< over the baseline; nothing where none was timed
  std::optional<double> baselineSeconds;   ///< the baseline's median time over the samples that both ran
  std::optional<double> medianSeconds;     ///< its own over the same samples
  std::optional<double> bytesPerSecond;    ///< median over the samples that compute
  std::optional<double> ofLight;           ///< the same, of the speed of light
  std::optional<double> coldMs, cachedMs;  ///< median time of compiling a sample's kernels, or of reading them back
  Mean generated;                          ///< of the speedups where kernels were generated
  Mean computing;                          ///< of the speedups of all that is not a view
  Mean floorBound, aboveFloor;             ///< of those, where the baseline takes about as long as nothing does, and elsewhere
  Mean beside;                             ///< of the speedups by the other measure, of all that is not a view
  std::optional<double> byCalls;           ///< the baseline's time of all recorded calls over this one's; samples that both ran
  std::optional<double> savedSeconds;      ///< the difference of the two
  int slower = 0;                          ///< samples more than 5 % slower than the baseline
  int same = 0;                            ///< samples that show no measurable difference from the baseline
  int imprecise = 0;                       ///< timed samples whose timing ended before it was as precise as asked
  int throttledRuns = 0;                   ///< runs that were dropped because the clock was throttled
  int timed = 0;                           ///< samples with a speedup
  int recovered = 0;                       ///< samples that failed when they were raced first, and not once more
  int vacuous = 0;                         ///< samples whose check lets results pass that take no work
  int nondeterministic = 0;                ///< samples of which two runs of generated kernels differ
  int atenNondeterministic = 0;            ///< samples of which two runs of ATen's kernels differ
};

/// Rows that are summed up together: of one operator, one family, one size class, or all.
struct Group {
  std::string name;                 ///< empty for all
  std::vector<Standing> standings;  ///< by contender, the baseline first
};

/// How far two runs of one contender differ: quantiles of |ratio - 1| over rows whose contenders raced against themselves.
struct Spread {
  std::string what;  ///< `cold`, `cold, 10 us and more`
  double p50 = 0, p95 = 0, most = 0;
  int timings = 0;
};

/// What a run found out.
struct Summary {
  std::vector<Group> operators;  ///< in the rows' order
  std::vector<Group> families;   ///< by what their loops do
  std::vector<Group> sizes;      ///< by the bytes they have to move
  Group total;
  Recorded covered;             ///< what the rows are of Run::recorded; what was skipped is not covered
  std::vector<Spread> spreads;  ///< of a self-test: all by the main measure first, then its short and long times, then the other
};

/// Samples that were wrong, impossible or failed; what the device has no memory for has not failed.
int failures(const Counts& counts);

Summary summarize(const std::vector<Row>& rows, const Run& run);

/// Whether a contender was wrong, impossible or failed.
bool hasFailed(const Row& row);
/// Whether there are failures().
bool hasFailed(const Summary& summary);

}  // namespace opbench
