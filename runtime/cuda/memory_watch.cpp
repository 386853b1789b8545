#include "runtime/cuda/memory_watch.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

#include "runtime/cpu/host.h"
#include "runtime/cuda/check.h"
#include "runtime/cuda/nvml.h"

namespace runtime {
namespace {

class GpuMemoryWatch : public MemoryWatch {
 public:
  GpuMemoryWatch(int index, std::string pciBusId) : index_(static_cast<c10::DeviceIndex>(index)), pciBusId_(std::move(pciBusId)) {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    c10::cuda::CUDACachingAllocator::emptyCache();
    c10::cuda::CUDACachingAllocator::resetPeakStats(index_);
    resetMostResident();
    before_ = current();
  }

  MemoryPeaks peaks() const override {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_);
    const NvmlMemory driver = nvmlMemory(pciBusId_);
    return {std::max(most_.allocated, stats.allocated_bytes[all].peak) - before_.allocated,
            std::max(most_.reserved, stats.reserved_bytes[all].peak) - before_.reserved, driver.process, driver.device,
            mostResident()};
  }

  HeldMemory held() override {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_);
    most_ = {std::max(most_.allocated, stats.allocated_bytes[all].peak),
             std::max(most_.reserved, stats.reserved_bytes[all].peak)};
    c10::cuda::CUDACachingAllocator::resetPeakStats(index_);
    return {stats.allocated_bytes[all].current - before_.allocated, stats.allocated_bytes[all].peak - before_.allocated};
  }

 private:
  struct Bytes {
    int64_t allocated, reserved;
  };
  static constexpr auto all = static_cast<size_t>(c10::CachingDeviceAllocator::StatType::AGGREGATE);

  Bytes current() const {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(index_);
    return {stats.allocated_bytes[all].current, stats.reserved_bytes[all].current};
  }

  c10::DeviceIndex index_;
  std::string pciBusId_;
  Bytes before_{}, most_{};  ///< when it began; the most up to the last held()
};

}  // namespace

std::unique_ptr<MemoryWatch> watchGpuMemory(int index, const std::string& pciBusId) {
  return std::make_unique<GpuMemoryWatch>(index, pciBusId);
}

}  // namespace runtime
