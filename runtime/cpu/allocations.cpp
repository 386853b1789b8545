#include "runtime/cpu/allocations.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <atomic>

#include "runtime/cpu/host.h"

namespace runtime {
namespace {

/// Sums what ATen's CPU allocator says it gives and takes back. Backward passes run on threads of their own, which inherit it.
class Allocations : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*memory*/, int64_t bytes, size_t /*allocated*/, size_t /*reserved*/,
                         c10::Device device) override {
    if (!device.is_cpu()) return;
    const int64_t now = current_.fetch_add(bytes) + bytes;
    raise(most_, now);
    raise(recent_, now);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t most() const { return most_.load(); }
  HeldMemory held() {
    const int64_t now = current_.load();
    return {now, recent_.exchange(now)};
  }

 private:
  static void raise(std::atomic<int64_t>& most, int64_t now) {
    int64_t before = most.load();
    while (now > before && !most.compare_exchange_weak(before, now)) {
    }
  }

  std::atomic<int64_t> current_ = 0, most_ = 0, recent_ = 0;  ///< the most of all, and since held()
};

class HostMemoryWatch : public MemoryWatch {
 public:
  HostMemoryWatch() { resetMostResident(); }
  MemoryPeaks peaks() const override { return {allocations_->most(), std::nullopt, std::nullopt, std::nullopt, mostResident()}; }
  HeldMemory held() override { return allocations_->held(); }

 private:
  std::shared_ptr<Allocations> allocations_ = std::make_shared<Allocations>();
  c10::DebugInfoGuard guard_{c10::DebugInfoKind::PROFILER_STATE, allocations_};
};

}  // namespace

std::unique_ptr<MemoryWatch> watchHostMemory() { return std::make_unique<HostMemoryWatch>(); }

}  // namespace runtime
