#pragma once

#include <optional>
#include <string>
#include <vector>

#include "opbench/row.h"
#include "opbench/statistics.h"

namespace opbench {

/// Samples by what became of them: each is counted once.
struct Counts {
  int samples = 0;
  int generated = 0, externs = 0, views = 0;  ///< those that are ok, by kind
  int wrong = 0, unsupported = 0, errors = 0, skipped = 0;
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
  std::optional<double> ofCopy;            ///< the same
  std::optional<double> coldMs, cachedMs;  ///< median time of compiling a sample's kernels, or of reading them back
  Mean generated;                          ///< of the speedups where kernels were generated
  Mean computing;                          ///< of the speedups of all that is not a view
  std::optional<double> byCalls;           ///< the baseline's time of all recorded calls over this one's; samples that both ran
  int slower = 0;                          ///< samples more than 5 % slower than the baseline
  int timed = 0;                           ///< samples with a speedup
};

/// The rows of one operator, or of all.
struct Group {
  std::string op;                   ///< empty for all
  std::vector<Standing> standings;  ///< by contender, the baseline first
};

/// What a run found out.
struct Summary {
  std::vector<Group> operators;  ///< in the rows' order
  Group total;
};

Summary summarize(const std::vector<Row>& rows, const std::vector<Contender>& contenders);

/// Whether anything was wrong or failed.
bool hasFailed(const Summary& summary);

}  // namespace opbench
