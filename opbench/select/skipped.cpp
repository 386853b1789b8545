#include "opbench/select/skipped.h"

#include <fmt/format.h>

#include "opbench/select/select.h"

namespace opbench {

std::string whySkipped(const inputs::Sample& sample, const SampleSettings& options, const SuiteConfig& config,
                       std::string_view device) {
  if (std::string why = config.whySkipped(sample.op, device, options.slow); !why.empty()) return why;
  const int64_t bytes = inputs::argumentBytes(sample);
  if (options.maxBytes > 0 && bytes > options.maxBytes)
    return fmt::format("arguments take {} bytes, more than --max-bytes {}", bytes, options.maxBytes);
  const auto cap = config.maxBytes(sample.op);
  if (!cap || bytes <= cap->most) return "";
  return fmt::format("arguments take {} bytes, more than max_bytes {} of {}", bytes, cap->most, cap->place);
}

}  // namespace opbench
