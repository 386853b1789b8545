#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/profile/recorder.h"

namespace opbench {

/// The stages of a sample.
namespace stages {
inline constexpr std::string_view data = "data";              ///< operands are made and drawn
inline constexpr std::string_view references = "references";  ///< eager, and eager in float64
inline constexpr std::string_view preparing = "preparing";    ///< kernels are compiled or read, graphs are captured
inline constexpr std::string_view checking = "checking";
inline constexpr std::string_view racing = "racing";
inline constexpr std::string_view memory = "memory";  ///< of networks
inline constexpr std::string_view profiling = "profiling";
}  // namespace stages

/// A span of one thread's time, by the clock that all processes of a host share, in nanoseconds.
struct Span {
  std::string name;
  int64_t start = 0, end = 0;
};

/// Spans a stage of a sample, `racing` or `checking`, as long as it lives. Traces and tools that run this process show it as a
/// range.
class TimedStage {
 public:
  explicit TimedStage(std::string_view name);
  ~TimedStage();
  TimedStage(const TimedStage&) = delete;
  TimedStage& operator=(const TimedStage&) = delete;

 private:
  const runtime::Range range_;
  const size_t place_;
};

/// The spans that this thread's stages have left since they were taken last, by their starts. Each lies within another one, or
/// outside of it. No stage may be at work.
std::vector<Span> takeSpans();

/// The seconds that each stage takes by itself, without the stages within it.
std::map<std::string, double> secondsOf(const std::vector<Span>& spans);

}  // namespace opbench
