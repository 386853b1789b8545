#include "ir/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace ir {

void inParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto some = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<void>> others;
  for (std::size_t i = 1; i < threads; ++i) others.push_back(std::async(std::launch::async, some));
  std::exception_ptr failure;
  const auto guarded = [&](const auto& step) {
    try {
      step();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  guarded(some);
  for (std::future<void>& other : others) guarded([&] { other.get(); });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ir
