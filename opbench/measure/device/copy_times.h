#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// Times of generated copies of several sizes, as they were measured on a device: what moving so many bytes really takes, launch
/// included, where the roofline says what it would take without.
struct CopyTimes {
  struct Point {
    int64_t bytes = 0;   ///< read plus written
    double seconds = 0;  ///< by the main measure
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> points;  ///< the fewest bytes first; none where nothing was measured

  /// The time of a copy of so many bytes: between two points on the line through them on logarithmic scales; the first one's
  /// where there are fewer bytes, at the last one's bandwidth where there are more. 0 where nothing was measured.
  double seconds(int64_t bytes) const;
};

/// Those of a device whose trials flush its caches so, by the measure that is its main one. They are measured when they are first
/// asked for, and then found in the cache as long as ceilings are; where other programs interrupted that, they are measured again
/// as ceilings are, and the shorter times stand.
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
