#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/run/expected_kind.h"
#include "opbench/settings/options.h"

namespace opbench {

/// Samples, and the recorded calls that they stand for.
struct Amount {
  int64_t samples = 0, calls = 0;
};

/// How many samples there are of each kind, and why some are not generated.
struct KindCounts {
  Amount all, generated, libraryCalls, views, unknown;
  std::set<std::string> reasons;

  void add(const inputs::Sample& sample, const ExpectedKind& kind);
};

/// The operators of samples.
struct Listing {
  std::map<std::string, KindCounts> operators;
  KindCounts total;
  std::string setting;  ///< the dtype and the target that the kinds are of: `float16 on sm_90`
};

/// Lists samples as recorded. They are converted to the dtype of the options; their kinds are those on a GPU of sm_90, or on a
/// CPU with AVX-512 where the options name a CPU.
Listing listingOf(const std::vector<inputs::Sample>& recorded, const Options& options);

/// A line for each operator: its samples, calls and kinds; the totals below.
std::string toText(const Listing& listing);
/// The page docs/coverage.md: the totals, and a table of the operators.
std::string toMarkdown(const Listing& listing);

}  // namespace opbench
