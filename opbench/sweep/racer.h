#pragma once

#include <memory>
#include <optional>
#include <string>

#include "inputs/sample.h"
#include "opbench/options.h"
#include "opbench/row.h"
#include "opbench/tolerances.h"
#include "runtime/cache.h"
#include "runtime/device.h"
#include "runtime/tunings.h"

namespace opbench {

/// A sample of a sweep and its number there, from 1.
struct Job {
  int index = 0;
  inputs::Sample sample;
};

/// A device, opened and measured, on which samples are raced one after another.
class Racer {
 public:
  /// For a sweep of so many samples. Errors: NoDevice; Input, for a file of tolerances.
  Racer(const Options& options, int samples);

  const Run& run() const { return run_; }
  /// What is not as it should be, though samples can be raced: one line, or nothing.
  std::string complaint() const { return tunings_ ? tunings_->complaint() : ""; }
  /// The sample's lines of results (report::jsonLines).
  std::string race(const Job& job);

 private:
  const Options& options_;
  const Tolerances tolerances_;
  std::unique_ptr<runtime::Device> device_;
  const runtime::Cache cache_;
  std::optional<runtime::Tunings> tunings_;
  Run run_;
};

/// What two runs of one contender differ by on the device of a run; kept in the cache.
std::optional<double> knownSpread(const Run& run, const runtime::Cache& cache);
void keepSpread(double spread, const Run& run, const runtime::Cache& cache);

}  // namespace opbench
