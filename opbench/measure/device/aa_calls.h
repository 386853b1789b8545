#pragma once

#include <string>
#include <string_view>

#include "opbench/measure/device/aa_noise.h"
#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// The cache's key of a device's A/A noise: its name and software, and how its times are measured. `software` is
/// runtime::Device::software().
std::string aaNoiseKey(std::string_view device, int processors, std::string_view software, runtime::Measure measure,
                       runtime::Flush flush);

/// The A/A noise by a measure of a device whose trials flush its caches so. The first processes that use the device race a few
/// fixed calls, each made anew several times, and what differs from process to process is part of the noise; one that other
/// programs interrupt leaves it to the next. The cache keeps what they found; without one nothing is known, and nothing measured.
AANoise aaNoiseOf(runtime::Device& device, runtime::Flush flush, runtime::Measure measure, const runtime::Cache& cache);

/// Keeps the shares that a run with `--aa` found, class by class, in place of an earlier run's shares.
void keepAANoise(const AANoise& byRun, const std::string& key, const runtime::Cache& cache);

}  // namespace opbench
