#include "opbench/report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "opbench/report/format.h"

namespace opbench::report {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// `2:31 left`, or nothing.
std::string left(const Progress& p) {
  return p.raced < 3 ? "" : fmt::format("{} left", duration(p.seconds / p.raced * (p.samples - p.done)));
}

}  // namespace

std::string progress(const Progress& p, const std::string& what, int width) {
  const std::string total = std::to_string(p.samples);
  std::string head = fmt::format("[{:>{}}/{}] ", std::min(p.done + 1, p.samples), total.size(), total);
  if (p.failed > 0) head += fmt::format("{} failed  ", p.failed);
  const std::string time = left(p), tail = time.empty() ? "" : "  " + time;
  return head + cut(what, width - static_cast<int>(head.size() + tail.size())) + tail;
}

std::string progress(const Progress& p) {
  const std::string time = left(p);
  return fmt::format("{} of {} samples{}{}", p.done, p.samples, p.failed > 0 ? fmt::format(", {} failed", p.failed) : "",
                     time.empty() ? "" : ", " + time);
}

}  // namespace opbench::report
