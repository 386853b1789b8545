#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "opbench/results/device_rates.h"
#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// A time that was measured until two measurements agreed, and whether other programs interrupted all of them.
struct Settled {
  double seconds = 0;
  bool isDisturbed = true;
};
/// The time of a call on data drawn for it, by a measure: by generated kernels where it is lowered, else by ATen. `arguments` are
/// written as in a sample: `(T([8], f32),)`.
Settled settledOf(const std::string& op, const std::string& arguments, runtime::Measure measure, runtime::Device& device,
                  const runtime::Cache& cache);

/// The cache's key of a figure that was measured on a device. The device's name and its number of working processors identify it.
std::string measuredKey(std::string_view what, std::string_view device, int processors);

/// The cache's key of a device's ceilings: its name, its software, and how its trials flush its caches.
std::string ceilingsKey(runtime::Device& device, runtime::Flush flush);

/// The ceilings of a device whose trials flush its caches so. They are measured by racing calls made for the purpose, and then
/// found in the cache for 30 days; where other programs interrupted that, until they are measured again (isDue).
Ceilings ceilingsOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);
/// The ceilings as they are measured now, whatever the cache holds.
Ceilings freshCeilings(runtime::Device& device, const runtime::Cache& cache);
/// The highest rate of a product of large square matrices on a device, in floating-point operations a second, by ATen's own call
/// in a precision (runtime::CallFlops): `float16`, `bfloat16`, `tf32`, `float32`, `float64`. It is measured when it is first
/// asked for, and then found in the cache as long as ceilings are; where other programs interrupted that, it is measured again as
/// they are, and the higher one stands. Errors: the call's, where the device has no such product.
double productRate(const std::string& precision, runtime::Device& device, const runtime::Cache& cache);
/// The cache's key of that rate.
std::string productRateKey(const std::string& precision, runtime::Device& device);

/// Keeps ceilings that were raised at `now`, in seconds since 1970, for as long as the ceilings in the cache would have been
/// there.
void keepRaised(const Ceilings& raised, int64_t now, runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);

}  // namespace opbench
