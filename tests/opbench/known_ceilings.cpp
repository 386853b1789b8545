#include "tests/opbench/known_ceilings.h"

#include <ctime>

#include "ir/error.h"
#include "opbench/measure/device/aa_calls.h"
#include "opbench/measure/device/cached_ceilings.h"
#include "opbench/measure/device/copy_times.h"
#include "opbench/measure/device/streaming.h"
#include "runtime/devices/open.h"

namespace tests {

void putCeilings(const runtime::CacheSettings& settings) {
  static const auto device = runtime::openDevice("cpu", 1);
  static const std::string key = opbench::ceilingsKey(*device, runtime::Flush::Write);
  const opbench::Ceilings ceilings{.copy = 1e12, .read = 1e12, .flops = 1e13, .launchOverhead = 1e-7};
  const runtime::Cache cache(settings);
  ir::require(cache.isOpen(), "{}", cache.complaint());
  cache.put(key, toText(opbench::CachedCeilings{ceilings, std::time(nullptr)}));
  cache.put(opbench::streamedKey(*device), opbench::streamedText(int64_t{1} << 24, std::time(nullptr)));
  const opbench::CopyTimes copies{{{int64_t{1} << 14, 1e-6}, {int64_t{1} << 26, 1e-3}}};
  cache.put(opbench::copyTimesKey(*device, runtime::Flush::Write), toText(opbench::CachedCopyTimes{copies, std::time(nullptr)}));
  opbench::CachedAANoise noise;
  noise.processes.resize(opbench::CachedAANoise::enough, {std::time(nullptr), {}});
  for (const auto measure : {runtime::Measure::Cold, runtime::Measure::BackToBack})
    cache.put(
        opbench::aaNoiseKey(device->name(), device->target().processors, device->software(), measure, runtime::Flush::Write),
        toText(noise));
}

}  // namespace tests
