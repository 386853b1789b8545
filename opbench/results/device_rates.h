#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace opbench {

/// Times differ by other shares the shorter they are: below 10 us, to 100 us, and longer.
inline constexpr size_t durationClasses = 3;
size_t durationClassOf(double seconds);
/// `below 10 us`, `10 to 100 us`, `100 us and more`.
std::string_view durationName(size_t durationClass);

/// The A/A noise of a device: the share by which two measurements of the same code differ at most, in 95 % of cases, by the class
/// of duration; nothing where it is not known.
struct AANoise {
  /// Timings of a run with `--aa` that tell the noise of a class.
  static constexpr int leastTimings = 30;
  std::array<std::optional<double>, durationClasses> shares;

  std::optional<double> of(double seconds) const { return shares[durationClassOf(seconds)]; }
  bool operator==(const AANoise&) const = default;
};

/// The highest rates that a device was measured to reach, and its launch overhead; 0 where not known.
struct Ceilings {
  double copy = 0;            ///< bytes a second, read plus written, where a large array is negated
  double read = 0;            ///< bytes a second of a large sum that finds nothing in the caches
  double flops = 0;           ///< f32 operations a second of a matrix product, without tensor cores
  double launchOverhead = 0;  ///< seconds of a kernel that stores one number, timed like any other
  bool operator==(const Ceilings&) const = default;
};

/// The higher rate and the lower overhead of each pair: measurements on a busy device do not stand.
Ceilings highest(const Ceilings& a, const Ceilings& b);

/// The time of a call on the roofline: its bytes at the copy's bandwidth or its arithmetic at the peak, whichever takes longer.
/// The launch overhead is not part of it.
double rooflineSeconds(const Ceilings& ceilings, int64_t bytes, double flops);

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

}  // namespace opbench
