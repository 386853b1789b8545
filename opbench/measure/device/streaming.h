#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/build/cache.h"
#include "runtime/device.h"

namespace opbench {

/// How much faster stores that bypass a CPU's caches are where all tensors of a call take so many bytes: the time of usual stores
/// over theirs, on warm caches.
struct StreamingGain {
  int64_t bytes = 0;
  double gain = 1;
};

/// The bytes beyond which stores should bypass the caches, given gains by growing size: the bytes of the least size at which, and
/// at all larger ones, such stores gain. They are more than any tensors take where such stores gain nothing at the largest size.
/// Between two sizes usual stores are the safe choice: where results still fit the caches, stores that bypass them take several
/// times as long.
int64_t streamedBytesOf(const std::vector<StreamingGain>& gains);

/// The bytes beyond which stores of this CPU should bypass the caches, raced on calls made for the purpose and then found in the
/// cache for 30 days; nothing for a GPU.
std::optional<int64_t> streamedBytesOf(runtime::Device& device, const runtime::Cache& cache);

/// The cache's key of that figure.
std::string streamedKey(runtime::Device& device);

/// The figure as the cache keeps it, with the time when it was measured in seconds since 1970; nothing for a text that is none,
/// and for what was measured more than 30 days before `now`.
std::string streamedText(int64_t bytes, int64_t measured);
std::optional<int64_t> streamedBytesIn(std::string_view text, int64_t now);

}  // namespace opbench
