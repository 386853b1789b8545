#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "opbench/results/row.h"
#include "opbench/results/statistics.h"

namespace opbench {

/// Samples by what became of them: each is counted once.
struct Counts {
  int samples = 0;
  int generated = 0, fallbacks = 0, views = 0;  ///< outcomes that are ok, by kind
  int wrong = 0, impossible = 0, suspect = 0, unsupported = 0, errors = 0, skipped = 0;
  int crashes = 0, asserts = 0, timeouts = 0, ooms = 0;
};

/// A geometric mean and the samples it is over; meaningless over none.
struct Mean {
  double ratio = 1;
  int samples = 0;
  std::optional<Interval> interval = std::nullopt;  ///< 95 %, as if other samples of the kind were drawn; nothing of a few
};

/// How a contender does against another one that is not the baseline, over the samples that both computed.
struct Lead {
  Contender over = Contender::Eager;
  Mean mean;       ///< of how many times as fast it is
  int slower = 0;  ///< samples more than 5 % slower than the other, beyond the intervals of both times
};

/// The figures of one contender over the rows of a group.
struct ContenderSummary {
  Contender contender = Contender::Eager;
  Counts counts;
  std::optional<Quantiles> speedups;       ///< over the baseline; nothing where none was timed
  std::optional<double> baselineSeconds;   ///< the baseline's median time over the samples that both ran
  std::optional<double> medianSeconds;     ///< its own over the same samples
  std::optional<double> bytesPerSecond;    ///< median over the samples that compute
  std::optional<double> ofRoofline;        ///< the same, the share of the roofline
  std::optional<double> coldMs, cachedMs;  ///< median time of compiling a sample's kernels, or of reading them back
  // Samples whose check a trivial solution passes are in none of the means but their own.
  Mean generated;                    ///< of the speedups where kernels were generated
  Mean computing;                    ///< of the speedups of all that is not a view
  Mean launchBound, notLaunchBound;  ///< of those, where the baseline takes about as long as an empty kernel, and elsewhere
  Mean secondary;                    ///< of the speedups by the secondary measure, of all that is not a view
  Mean checkedTooWeakly;             ///< of the speedups where a trivial solution passes the check
  std::vector<Lead> leads;           ///< over each other one but the baseline
  Mean overBest;                     ///< how many times as fast as the fastest of all others; where two or more others were timed
  std::optional<double> byCalls;     ///< the baseline's time of all recorded calls over this one's, back to back where that
                                     ///< was measured; samples that both ran
  std::optional<double> savedSeconds;  ///< the difference of the two
  int atLaunchOverhead = 0;            ///< timed samples that compute, where the baseline takes about as long as an empty kernel
  int slower = 0;                      ///< samples more than 5 % slower than the baseline
  int same = 0;                        ///< samples that show no measurable difference from the baseline
  int imprecise = 0;                   ///< timed samples whose timing ended before it was as precise as asked
  int throttledRuns = 0;               ///< runs that were dropped because the clock was throttled
  int disturbed = 0;                   ///< timed samples that other programs disturbed
  int shared = 0;                      ///< timed samples during whose race other processes used the GPU
  int capped = 0;                      ///< timed samples during whose race power or heat held the clock down
  int timed = 0;                       ///< samples with a speedup
  int recovered = 0;                   ///< samples that failed at first and passed when raced once more
  int trivialSolutions = 0;            ///< samples whose check a trivial solution passes
  int nondeterministic = 0;            ///< samples of which two runs of generated kernels, or of a kernel of the user's, differ
  int atenNondeterministic = 0;        ///< samples of which two runs of ATen's kernels, or of an operator of the user's, differ
};

/// Rows that are summed up together: of one operator, one family, one size class, or all.
struct Group {
  std::string name;                          ///< empty for all
  std::vector<ContenderSummary> contenders;  ///< by contender, the baseline first
  std::vector<int> samples = {};             ///< their numbers in the run, ascending
};

/// What an A/A run shows: quantiles of |ratio - 1| over rows whose contenders raced against themselves.
struct AADifferences {
  std::string what;  ///< `cold`, `cold, 100 us and more`
  double p50 = 0, p95 = 0, most = 0;
  int timings = 0;
};

/// The summary of a run.
struct Summary {
  std::vector<Group> operators;                ///< in the rows' order
  std::vector<Group> families;                 ///< by what their loops do
  std::vector<Group> sizes;                    ///< by the bytes they have to move
  Group total;                                 ///< of calls
  Group networks;                              ///< of these, which have tables of their own
  Recorded covered;                            ///< the part of Run::recorded that the rows are; skipped samples are not covered
  std::map<std::string, double> stageSeconds;  ///< of the rows, by stage
  std::vector<AADifferences> aaDifferences;    ///< of an A/A run: by the main measure, in all and by duration; by the secondary
  AANoise aaNoise;                             ///< of the classes of duration with enough timings of an A/A run
};

/// Samples that were wrong, impossible or failed; what the device has no memory for has not failed.
int failures(const Counts& counts);

Summary summarize(const std::vector<Row>& rows, const Run& run);

/// Samples on which a contender is surely more than 5 % slower than another one; 0 where these did not both race.
int slowerThan(const Summary& summary, const Contender& contender, const Contender& other);

/// Whether a contender was wrong, impossible or failed.
bool hasFailed(const Row& row);
/// Whether there are failures().
bool hasFailed(const Summary& summary);

}  // namespace opbench
