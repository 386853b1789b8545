#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "opbench/measure/device/ceilings.h"

namespace opbench {

/// Ceilings as the cache keeps them. Times are in seconds since 1970.
struct CachedCeilings {
  Ceilings ceilings;
  int64_t measured = 0;  ///< when they were measured
  int64_t raised = 0;    ///< when a time last passed one of them and raised it; 0 where none has
  int disturbed = 0;     ///< measurements in a row, this one the last, that other programs interrupted
};

/// Whether a figure that was measured then still counts: for 30 days. One of the future is of a clock that went wrong.
bool isRecent(int64_t measured, int64_t now);

/// Whether what was last measured then is to be measured again, where other programs interrupted so many measurements in a row:
/// none is; the first few are repeated by the next run, later ones after a pause of ten minutes.
bool isDue(int64_t measured, int disturbed, int64_t now);

std::string toText(const CachedCeilings& cached);
/// Nothing for a text that is none, for values that no device has, and for what was measured more than 30 days before `now`.
std::optional<CachedCeilings> cachedCeilingsOf(std::string_view text, int64_t now);

/// How many measurements in a row were disturbed, by a kept object.
int disturbedIn(const nlohmann::json& object);

/// A rate as the cache keeps it, in operations a second, with when it was measured and how often in a row other programs
/// interrupted that.
struct CachedRate {
  double rate = 0;
  int64_t measured = 0;
  int disturbed = 0;
};
std::string toText(const CachedRate& cached);
/// Nothing for a text that is none, for a rate that no device has, and for what was measured more than 30 days before `now`.
std::optional<CachedRate> cachedRateOf(std::string_view text, int64_t now);

/// Which ceilings rose, from what to what, and when, in local time: `copy 10.4 to 19.3 GB/s at 2026-03-01 14:05`; empty where
/// none did.
std::string raisedText(const Ceilings& before, const Ceilings& after, int64_t when);

/// The least time that `measure` gives. It is called until two times in a row agree, and no more often than a few times: what
/// disturbed one measurement does not stand.
double settledSeconds(const std::function<double()>& measure);

}  // namespace opbench
