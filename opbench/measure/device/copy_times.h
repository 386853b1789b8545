#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opbench/results/device_rates.h"
#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// The copy times of a device whose trials flush its caches so, by its main measure. They are measured when they are first asked
/// for, and then found in the cache as long as ceilings are; where other programs interrupted that, they are measured again as
/// ceilings are, and the shorter times stand.
CopyTimes copyTimesOf(runtime::Device& device, runtime::Flush flush, const runtime::Cache& cache);

/// The cache's key of them.
std::string copyTimesKey(runtime::Device& device, runtime::Flush flush);

/// Copy times as the cache keeps them, with when they were measured, in seconds since 1970, and how often in a row other programs
/// interrupted that.
struct CachedCopyTimes {
  CopyTimes times;
  int64_t measured = 0;
  int disturbed = 0;
};
std::string toText(const CachedCopyTimes& cached);
/// Nothing for a text that is none, for times that no device has, and for what was measured more than 30 days before `now`.
std::optional<CachedCopyTimes> cachedCopyTimesOf(std::string_view text, int64_t now);

}  // namespace opbench
