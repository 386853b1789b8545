#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// What a device was measured to do at best; 0 where that is not known.
struct Ceilings {
  double copy = 0;   ///< bytes a second, read plus written, where a large array is negated
  double read = 0;   ///< bytes a second of a large sum
  double flops = 0;  ///< f32 operations a second of a matrix product, without tensor cores
  double floor = 0;  ///< seconds of a kernel that stores one number, timed like any other
};

/// The better of each, as what was measured while the device was busy does not stand.
Ceilings best(const Ceilings& a, const Ceilings& b);

/// The time that a call takes at the speed of light: its bytes at the copy's bandwidth or its arithmetic at the peak, whichever
/// is longer; the launch overhead is not part of it.
double lightSeconds(const Ceilings& ceilings, int64_t bytes, double flops);

/// What the cache keeps something by that was measured on a device, which its name and how many processors work identify.
std::string measuredKey(std::string_view what, std::string_view device, int processors);

/// What the cache keeps a device's ceilings by: its name, its software, and how its trials flush its caches.
std::string ceilingsKey(runtime::Device& device, runtime::Flush flush);

/// The ceilings of a device whose trials flush its caches so. They are measured by racing calls made for the purpose, and then
/// found in the cache for 30 days.
Ceilings ceilingsOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);
/// `known` and what is measured now, whichever is better. The cache has these from then on, for as long as it would have had
/// `known`: what was measured while the device was busy does not stand.
Ceilings raised(const Ceilings& known, runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);

}  // namespace opbench
