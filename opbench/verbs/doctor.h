#pragma once

#include <string>
#include <utility>
#include <vector>

#include "opbench/settings/options.h"

namespace opbench {

/// One thing that was looked for.
struct Finding {
  std::string what;
  std::string found;  ///< the finding, or the remedy where it is missing
  bool missing = false;
};

/// The findings about this machine: versions, devices, cache, suites.
struct Diagnosis {
  std::vector<Finding> findings;
  bool works = false;  ///< at least the CPU can be used
};

Diagnosis diagnose(const Options& options);
/// `  ok  torch    2.11.0+cu130`, a line a finding, and the verdict.
std::string toText(const Diagnosis& diagnosis);

}  // namespace opbench
