#include <ATen/Context.h>
#include <c10/core/InferenceMode.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/ranges.h>

#include <optional>

#include "runtime/compare/tally.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/cuda/check.h"
#include "runtime/cuda/clock.h"
#include "runtime/cuda/clusters.h"
#include "runtime/cuda/cubin.h"
#include "runtime/cuda/memory_watch.h"
#include "runtime/cuda/nvml.h"
#include "runtime/cuda/trial.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/release.h"
#include "runtime/torch/translate.h"

/// Functions of cuda_profiler_api.h, a header that no package ./dev setup installs has.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

namespace runtime {
namespace {

constexpr int trialsBetweenCleanups = 64;

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

ir::Target targetOf(const cudaDeviceProp& properties, int index) {
  int hasClusters = 0;
  check(cudaDeviceGetAttribute(&hasClusters, cudaDevAttrClusterLaunch, index), "cudaDeviceGetAttribute");
  ir::Target target;
  target.backend = ir::Backend::Cuda;
  target.arch = fmt::format("sm_{}{}", properties.major, properties.minor);
  target.vectorBytes = ir::cudaAlignment;
  target.processors = properties.multiProcessorCount;
  target.cacheBytes = properties.l2CacheSize;
  target.clusterCtas = hasClusters != 0 ? ir::largestCluster(target.arch) : 1;
  target.processorThreads = properties.maxThreadsPerMultiProcessor;
  target.processorRegisters = properties.regsPerMultiprocessor;
  target.processorSharedBytes = static_cast<int64_t>(properties.sharedMemPerMultiprocessor);
  target.ctaSharedBytes = static_cast<int64_t>(properties.sharedMemPerBlockOptin);
  target.aten = atenRules();
  return target;
}

/// A GPU. The thread that opens it works on one stream of its own from then on, as graphs cannot be captured on the default
/// one; everything else on the device is to be called from that thread.
class CudaDevice : public Device, private KernelLoader {
 public:
  explicit CudaDevice(int index);
  ~CudaDevice() override { compareOn(nullptr); }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string torchName() const override { return fmt::format("cuda:{}", index_); }
  std::string name() const override { return properties_.name; }
  std::string hardware() const override { return fmt::format("GPU {:02x}", fmt::join(properties_.uuid.bytes, "")); }
  const ir::Target& target() const override { return target_; }

  ExecutablePtr compile(const ir::KernelSource& program, const Cache& cache) override {
    return std::make_shared<CubinExecutable>(program, nvrtc_.compile(program, cache));
  }
  KernelLoader* kernelLoader() override { return this; }
  DeviceCode codeOf(const ir::KernelSource& program, const Cache& cache) override {
    ir::KernelSource withHeaders = program;
    if (const std::string folder = nvrtc_.headers(); !folder.empty()) withHeaders.options.push_back("--include-path=" + folder);
    return nvrtc_.compile(withHeaders, cache);
  }
  KernelLibraryPtr load(const DeviceCode& code) override { return loadCubin(code.cubin); }
  std::pair<std::string, std::string> assembly(const ir::KernelSource& program) override { return {"ptx", nvrtc_.ptx(program)}; }

  std::unique_ptr<Trial> prepare(Callable& callable, Workload& workload) override {
    const c10::InferenceMode guard;
    // Each graph has a memory pool of its own, which the allocator keeps after the graph is gone. Compilers need memory as well.
    constexpr size_t much = 8;
    const bool isMuch = kept() > static_cast<int64_t>(properties_.totalGlobalMem / much);
    if (++prepared_ % trialsBetweenCleanups == 0 || isMuch) c10::cuda::CUDACachingAllocator::emptyCache();
    return std::make_unique<CudaTrial>(callable, workload, tools());
  }
  void setFlush(Flush kind) override { tools().flush.setKind(kind); }
  void synchronize() override { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  Environment environment() override;
  std::optional<GpuState> state() override { return nvmlState(pciBusId()); }
  std::vector<std::pair<std::string, std::string>> facts() override;

  std::optional<Memory> memory() override {
    size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return Memory{static_cast<int64_t>(free) + kept(), static_cast<int64_t>(total)};  // the allocator gives back before it fails
  }

  void releaseMemory() override {
    synchronize();
    c10::cuda::CUDACachingAllocator::emptyCache();
  }
  std::unique_ptr<MemoryWatch> watchMemory() override { return watchGpuMemory(index_, pciBusId()); }
  std::optional<double> energy() override { return nvmlEnergy(pciBusId()); }

  void profiled(const std::function<void()>& work) override {
    check(cudaProfilerStart(), "cudaProfilerStart");
    work();
    check(cudaProfilerStop(), "cudaProfilerStop");
  }
  int64_t interruptions() override { return tools_ ? tools_->lateRuns : 0; }
  int64_t lastCacheBytes() override { return target_.cacheBytes; }
  void queueClock() override { clockReader().queue(); }
  std::optional<double> clock() override {
    clockReader().queue();
    return clockReader().collect(c10::cuda::getCurrentCUDAStream().stream());
  }
  void watchClock() override {
    const c10::InferenceMode guard;
    if (!tools().timer)
      tools().timer = std::make_unique<DeviceTimer>(*this, tools().flush, c10::cuda::getCurrentCUDAStream().stream());
  }
  double ratedClock() const override { return ratedClock_; }
  double tick() override {
    if (!tick_) tick_ = eventTick(c10::cuda::getCurrentCUDAStream().stream());
    return *tick_;
  }

 private:
  TrialTools& tools() {
    const c10::InferenceMode guard;
    if (!tools_)
      tools_.emplace(TrialTools{CacheFlush(at::Device(torchName()), target_.cacheBytes), Barrier(*this), target_.cacheBytes});
    return *tools_;
  }
  /// Bytes that the allocator keeps for later.
  int64_t kept() const {
    const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(index_));
    const auto all = static_cast<size_t>(c10::CachingDeviceAllocator::StatType::AGGREGATE);
    return stats.reserved_bytes[all].current - stats.allocated_bytes[all].current;
  }
  std::string pciBusId() const {
    return fmt::format("{:08x}:{:02x}:{:02x}.0", properties_.pciDomainID, properties_.pciBusID, properties_.pciDeviceID);
  }
  ClockReader& clockReader() {
    const c10::InferenceMode guard;
    if (!clockReader_) clockReader_.emplace(*this);
    return *clockReader_;
  }

  int index_;
  std::optional<Environment> environment_;  ///< nothing until it is asked for
  cudaDeviceProp properties_{};
  ir::Target target_;
  Nvrtc nvrtc_;
  double ratedClock_ = 0;
  std::optional<double> tick_;
  std::optional<TrialTools> tools_;
  std::optional<ClockReader> clockReader_;
  int prepared_ = 0;
};

CudaDevice::CudaDevice(int index) : index_(index) {
  const auto devices = c10::cuda::device_count();
  if (index >= devices) throw NoDevice(fmt::format("no CUDA device {}; torch sees {}", index, devices));
  at::globalContext().lazyInitDevice(at::kCUDA);
  const auto device = static_cast<c10::DeviceIndex>(index);
  c10::cuda::set_device(device);
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, device));
  check(cudaGetDeviceProperties(&properties_, index), "cudaGetDeviceProperties");
  target_ = targetOf(properties_, index);
  target_.clusterCtas = largestActiveCluster(target_, nvrtc_);
  int kilohertz = 0;
  check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, index), "cudaDeviceGetAttribute");
  ratedClock_ = 1e3 * kilohertz;
  compareOn(this);
}

std::string cudaVersion() {
  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return versionText(runtime);
}

/// The newest CUDA that the driver works with.
std::string driverCuda() {
  int driver = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return versionText(driver);
}

Environment CudaDevice::environment() {
  if (environment_) return *environment_;
  Environment environment = hostEnvironment();
  environment.cuda = cudaVersion();
  environment.nvrtc = nvrtc_.version();
  addNvml(pciBusId(), environment);
  return environment_.emplace(std::move(environment));
}

std::vector<std::pair<std::string, std::string>> CudaDevice::facts() {
  const double memory = static_cast<double>(properties_.totalGlobalMem) / (1 << 30);
  std::vector<std::pair<std::string, std::string>> facts{
      {"gpu", fmt::format("{}, {}, {} SMs, clusters of up to {} CTAs, {:.0f} GiB, {} MiB of L2", name(), target_.arch,
                          target_.processors, target_.clusterCtas, memory, target_.cacheBytes >> 20)},
      {"torch", torchFact()},
      {"CUDA", fmt::format("runtime {}, driver for {}", cudaVersion(), driverCuda())},
      {"NVRTC", fmt::format("{} ({})", nvrtc_.version(), nvrtc_.path())},
      {"timer", fmt::format("events are stamped every {:.0f} ns", 1e9 * tick())}};
  for (auto& fact : nvmlFacts(pciBusId())) facts.push_back(std::move(fact));
  return facts;
}

}  // namespace
}  // namespace runtime

/// What Device::open calls in this module. The caller owns the device.
extern "C" runtime::Device* openCudaDevice(int index) {
  return runtime::translateErrors("the CUDA device", [&]() -> runtime::Device* { return new runtime::CudaDevice(index); });
}
