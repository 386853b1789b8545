#include "ir/interpret/order.h"

#include <algorithm>

namespace ir {
namespace {

Distance between(const Position& a, const Position& b) {
  if (a.iteration != b.iteration) return Distance::SameLaunch;
  if (a.rank != b.rank) return Distance::SameCluster;
  return a.thread == b.thread ? Distance::SameThread : Distance::SameCta;
}

}  // namespace

void Clock::meetInCluster() {
  metInCluster_ = ++now_;
  std::fill(metInCta_.begin(), metInCta_.end(), now_);
}

void Clock::meetInLaunch() {
  meetInCluster();
  metInLaunch_ = now_;
}

int64_t Clock::lastMet(const Position& thread, Distance distance) const {
  switch (distance) {
    case Distance::SameThread: return now_ + 1;  // its own deeds are in order
    case Distance::SameCta: return metInCta_[static_cast<std::size_t>(thread.rank)];
    case Distance::SameCluster: return metInCluster_;
    case Distance::SameLaunch: return metInLaunch_;
  }
  return 0;
}

void Recent::add(const Position& by, const Clock& clock) {
  const auto distance = static_cast<std::size_t>(last_[0].time == 0 ? Distance::SameThread : between(by, last_[0].by));
  std::fill_n(last_.begin() + 1, distance, last_[0]);
  last_[0] = {by, clock.now()};
}

const Position* Recent::unordered(const Position& by, const Clock& clock) const {
  const auto isUnordered = [&](const Access& access) {
    return access.time != 0 && clock.lastMet(by, between(by, access.by)) <= access.time;
  };
  const auto* found = std::find_if(last_.begin(), last_.end(), isUnordered);
  return found == last_.end() ? nullptr : &found->by;
}

}  // namespace ir
