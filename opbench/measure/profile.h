#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/settings/profile_settings.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace opbench {

/// A contender that is to be profiled.
struct ProfiledTrial {
  std::string_view name;
  runtime::Trial* trial = nullptr;
};

/// What the trace says about the sample, beside what happened.
struct ProfiledSample {
  std::string op, sample;
  int64_t bytes = 0;                             ///< that a run has to move; 0 where not known
  double bytesPerSecond = 0;                     ///< of the device's copies; 0 where not known
  std::map<std::string, std::string> kernels{};  ///< names of kernels by their symbols, where they have others
};

/// Runs each contender as often as MeasureSettings::profile says, one after another, and writes the trace to `path`; without a
/// trace where another tool watches. Each contender is a range `contender NAME`, each of its runs a range `run`.
void recordProfile(const std::vector<ProfiledTrial>& trials, const ProfiledSample& sample, const std::string& path,
                   runtime::Workload& workload, runtime::Device& device, const ProfileSettings& settings);

}  // namespace opbench
