#include "runtime/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

namespace runtime {
namespace {

/// The part of nvml.h that is used, by hand: no wheel that ./dev setup installs has this header. Results are 0 for success.
using Result = int;
using GpuHandle = struct nvmlDevice_st*;
enum Clock { SmClock = 1, MemoryClock = 2 };
struct MemoryInfo {
  unsigned long long total, free, used;  // NOLINT(google-runtime-int): the library's types
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long bytes;  // NOLINT(google-runtime-int): all ones where not known
  unsigned gpuInstance, computeInstance;
};

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    works_ = library_ != nullptr && call<Result()>("nvmlInit_v2") == 0;
  }
  ~Nvml() {
    if (works_) call<Result()>("nvmlShutdown");
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool works() const { return works_; }

  /// The result of the named function, or 1 where the library has none of that name.
  template <typename F, typename... Args>
  Result call(const char* name, Args... args) const {
    void* found = dlsym(library_, name);
    return found == nullptr ? 1 : reinterpret_cast<F*>(found)(args...);
  }

  /// Empty where the library does not tell.
  std::string driver() const {
    using Text = Result(char*, unsigned);
    std::array<char, 96> text{};
    const bool isKnown = works_ && call<Text>("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size())) == 0;
    return isKnown ? text.data() : "";
  }

  /// Null where there is no such GPU.
  GpuHandle find(const std::string& pciBusId) const {
    using Find = Result(const char*, GpuHandle*);
    GpuHandle gpu = nullptr;
    const bool isFound = works_ && call<Find>("nvmlDeviceGetHandleByPciBusId_v2", pciBusId.c_str(), &gpu) == 0;
    return isFound ? gpu : nullptr;
  }

  /// What this process has of the GPU's memory; in a container its number may be another one to the driver.
  std::optional<int64_t> processBytes(GpuHandle gpu) const {
    using Read = Result(GpuHandle, unsigned*, ProcessInfo*);
    std::array<ProcessInfo, 64> processes{};
    auto number = static_cast<unsigned>(processes.size());
    if (call<Read>("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &number, processes.data()) != 0) return std::nullopt;
    for (const ProcessInfo& process : std::span(processes).first(std::min<size_t>(number, processes.size()))) {
      const bool isKnown = process.bytes != ~0ULL;
      if (isKnown && process.pid == static_cast<unsigned>(getpid())) return static_cast<int64_t>(process.bytes);
    }
    return std::nullopt;
  }

  std::string clock(GpuHandle gpu, Clock clock) const {
    using Read = Result(GpuHandle, int, unsigned*);
    unsigned now = 0;
    unsigned most = 0;
    if (call<Read>("nvmlDeviceGetClockInfo", gpu, static_cast<int>(clock), &now) != 0) return "unknown";
    if (call<Read>("nvmlDeviceGetMaxClockInfo", gpu, static_cast<int>(clock), &most) != 0) return fmt::format("{} MHz", now);
    return fmt::format("{} MHz of {}", now, most);
  }

 private:
  void* library_;
  bool works_ = false;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> nvmlFacts(const std::string& pciBusId) {
  const Nvml nvml;
  std::vector<std::pair<std::string, std::string>> facts;
  if (!nvml.works()) return facts;
  if (std::string driver = nvml.driver(); !driver.empty()) facts.emplace_back("driver", std::move(driver));
  if (GpuHandle gpu = nvml.find(pciBusId); gpu != nullptr) {
    facts.emplace_back("clocks", fmt::format("SM {}, memory {}", nvml.clock(gpu, SmClock), nvml.clock(gpu, MemoryClock)));
  }
  return facts;
}

namespace {

/// Opened once: what is asked for again and again must not cost milliseconds.
const Nvml& openNvml() {
  static const Nvml nvml;
  return nvml;
}

}  // namespace

NvmlMemory nvmlMemory(const std::string& pciBusId) {
  using Read = Result(GpuHandle, MemoryInfo*);
  GpuHandle gpu = openNvml().find(pciBusId);
  if (gpu == nullptr) return {};
  NvmlMemory memory;
  MemoryInfo info{};
  if (openNvml().call<Read>("nvmlDeviceGetMemoryInfo", gpu, &info) == 0) memory.device = static_cast<int64_t>(info.used);
  memory.process = openNvml().processBytes(gpu);
  return memory;
}

std::optional<double> nvmlEnergy(const std::string& pciBusId) {
  using Read = Result(GpuHandle, unsigned long long*);  // NOLINT(google-runtime-int): the library's type, millijoules
  GpuHandle gpu = openNvml().find(pciBusId);
  unsigned long long millijoules = 0;  // NOLINT(google-runtime-int)
  if (gpu == nullptr || openNvml().call<Read>("nvmlDeviceGetTotalEnergyConsumption", gpu, &millijoules) != 0) return std::nullopt;
  return 1e-3 * static_cast<double>(millijoules);
}

std::string nvmlDriver() { return Nvml().driver(); }

}  // namespace runtime
