#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "opbench/check/tolerances.h"
#include "opbench/inductor/inductor.h"
#include "opbench/results/row.h"
#include "opbench/select/suite_config.h"
#include "opbench/settings/options.h"
#include "opbench/sweep/messages.h"
#include "opbench/timeline/timeline.h"
#include "runtime/build/cache.h"
#include "runtime/contenders/kernels/kernel_file.h"
#include "runtime/device.h"
#include "runtime/hardware_lock.h"
#include "runtime/tunings.h"

namespace opbench {

/// A device, opened and measured, on which samples are raced one after another.
class SampleRunner {
 public:
  /// Errors: NoDevice; Input, for a file of tolerances or of a suite.
  explicit SampleRunner(const Options& options);

  Ready ready() const;
  Finished race(const Job& job);

 private:
  const Options& options_;
  Tolerances tolerances_;
  const SuiteConfig config_;
  const Timeline timeline_;            ///< opened before the fence
  const bool hasFileFence_;            ///< where files of the user's are run in a worker
  const std::vector<int> processors_;  ///< that this process might use when it began
  std::unique_ptr<runtime::Device> device_;
  const runtime::HardwareLock lock_;
  const runtime::Cache cache_;
  std::optional<runtime::Tunings> tunings_;
  std::optional<Inductor> inductor_;
  std::vector<runtime::KernelFile> kernels_;
  Run run_;
  std::string notFenced_;  ///< Row::notFenced of a program of a file
};

/// The device that a run on one device means (settings/device_name.h) on this machine.
std::string wantedDevice(const Options& options);

/// The samples that a run with these options would race: its shard's, without what its configuration skips. Errors: Input, for a
/// configuration that cannot be read.
std::vector<inputs::Sample> racedOf(const std::vector<inputs::Sample>& samples, const Options& options);

}  // namespace opbench
