#include "runtime/cpu/interruptions.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/cpu/processors.h"

namespace {

using Clock = std::chrono::steady_clock;

void workFor(std::chrono::milliseconds time) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) continue;
}

}  // namespace

TEST_CASE("a run beside another thread that has as much to do on its processor is interrupted") {
  std::atomic<bool> isOver = false;
  bool isCounted = false;
  std::thread([&] {
    runtime::confineTo({runtime::allowedProcessors().front()});  // the thread that it starts as well
    std::thread other([&] {
      while (!isOver) continue;
    });
    runtime::Interruptions interruptions;
    for (int run = 0; run < 20 && !isCounted; ++run) {
      const int64_t before = interruptions.count();
      workFor(std::chrono::milliseconds(50));
      isCounted = interruptions.count() > before;
    }
    isOver = true;
    other.join();
  }).join();
  CHECK(isCounted);
}
