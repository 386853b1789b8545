#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/cache.h"
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
/// is longer, and the floor.
double lightSeconds(const Ceilings& ceilings, int64_t bytes, double flops);

/// What the cache keeps something by that was measured on a device, which its name and how many processors work identify.
std::string measuredKey(std::string_view what, std::string_view device, int processors);

/// Those of a device whose trials flush its caches so; measured once, by racing calls made for the purpose, and then found in the
/// cache by its name and the kind of flush.
Ceilings ceilingsOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);
/// `known` and what is measured now, whichever is better, which the cache has from then on: what was measured while the device
/// was busy does not stand.
Ceilings raised(const Ceilings& known, runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);

}  // namespace opbench
