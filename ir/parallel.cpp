#include "ir/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace ir {
namespace {

/// Processors that no thread of inParallel works on.
std::atomic<int>& idleProcessors() {
  static std::atomic<int> idle = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())) - 1;
  return idle;
}

/// Takes some of the idle processors; how many.
int take(int most) {
  std::atomic<int>& idle = idleProcessors();
  int there = idle;
  while (there > 0 && most > 0)
    if (const int taken = std::min(there, most); idle.compare_exchange_weak(there, there - taken)) return taken;
  return 0;
}

}  // namespace

void inParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto some = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::exception_ptr failure;
  const auto guarded = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const int most = static_cast<int>(std::min<std::size_t>(count, 1U << 16)) - 1;
  std::vector<std::future<void>> others(static_cast<std::size_t>(take(most)));
  for (std::future<void>& other : others)
    other = std::async(std::launch::async, [&] {
      try {
        some();
      } catch (...) {
        ++idleProcessors();
        throw;
      }
      ++idleProcessors();
    });
  guarded(some);
  if (others.empty()) {
    if (failure) std::rethrow_exception(failure);
    return;
  }
  ++idleProcessors();  // while it waits
  for (std::future<void>& other : others) guarded([&] { other.get(); });
  --idleProcessors();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ir
