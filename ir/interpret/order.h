#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ir {

/// Who is at work: a thread of a CTA of a cluster, in an iteration of a Grid or Task loop (-1 outside of one).
struct Position {
  int rank = 0;
  int thread = 0;
  int64_t iteration = -1;
};

/// How far two threads are apart, and so which barriers order what they do.
enum class Distance : uint8_t { SameThread, SameCta, SameCluster, SameLaunch };

/// Counts the barriers that threads pass.
class Clock {
 public:
  explicit Clock(int ctas) : metInCta_(static_cast<std::size_t>(ctas)) {}

  void meetInCta(int rank) { metInCta_[static_cast<std::size_t>(rank)] = ++now_; }
  void meetInCluster();
  void meetInLaunch();
  int64_t now() const { return now_; }
  /// When a thread last met the threads that are so far from it.
  int64_t lastMet(const Position& thread, Distance distance) const;

 private:
  int64_t now_ = 1;
  std::vector<int64_t> metInCta_;  ///< by rank
  int64_t metInCluster_ = 0, metInLaunch_ = 0;
};

/// The last accesses of one kind to an element: the last of all, and the last by another thread, another CTA and another cluster
/// than that one's. No earlier access has to be known: a barrier that orders one of these orders those before it.
class Recent {
 public:
  void add(const Position& by, const Clock& clock);
  /// One of them that a barrier does not order before what `by` does now; nullptr where there is none.
  const Position* unordered(const Position& by, const Clock& clock) const;

 private:
  struct Access {
    Position by;
    int64_t time = 0;  ///< of the clock; 0: there is none
  };
  std::array<Access, 4> last_;  ///< by distance from the first
};

}  // namespace ir
