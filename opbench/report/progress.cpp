#include "opbench/report/progress.h"

#include <fmt/format.h>

#include <cmath>

#include "opbench/report/format.h"

namespace opbench::report {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress(int done, int samples, const std::string& what, double seconds, int width) {
  const std::string total = std::to_string(samples);
  const std::string head = fmt::format("[{:>{}}/{}] ", done + 1, total.size(), total);
  std::string tail;
  if (done >= 3) tail = fmt::format("  {} left", duration(seconds / done * (samples - done)));
  return head + cut(what, width - static_cast<int>(head.size() + tail.size())) + tail;
}

}  // namespace opbench::report
