#include "opbench/timeline/stage.h"

#include <chrono>
#include <utility>

namespace opbench {
namespace {

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<Span>& spansOfThread() {
  thread_local std::vector<Span> spans;
  return spans;
}

}  // namespace

TimedStage::TimedStage(std::string_view name) : range_(name), place_(spansOfThread().size()) {
  spansOfThread().push_back({std::string(name), now(), 0});
}

TimedStage::~TimedStage() { spansOfThread()[place_].end = now(); }

std::vector<Span> takeSpans() { return std::exchange(spansOfThread(), {}); }

std::map<std::string, double> secondsOf(const std::vector<Span>& spans) {
  std::map<std::string, double> seconds;
  std::vector<const Span*> around;  // the spans that the next one may lie in, the innermost last
  for (const Span& span : spans) {
    const double own = static_cast<double>(span.end - span.start) * 1e-9;
    while (!around.empty() && around.back()->end <= span.start) around.pop_back();
    if (!around.empty()) seconds[around.back()->name] -= own;
    seconds[span.name] += own;
    around.push_back(&span);
  }
  return seconds;
}

}  // namespace opbench
