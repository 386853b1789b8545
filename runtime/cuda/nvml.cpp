#include "runtime/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace runtime {
namespace {

/// The part of nvml.h that is used, by hand: no wheel that ./dev setup installs has this header. Results are 0 for success.
using Result = int;
using GpuHandle = struct nvmlDevice_st*;
enum Clock { SmClock = 1, MemoryClock = 2 };
enum Policy { PowerPolicy = 0, ThermalPolicy = 1 };
enum Sensor { GpuSensor = 0 };
struct MemoryInfo {
  unsigned long long total, free, used;  // NOLINT(google-runtime-int): the library's types
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long bytes;  // NOLINT(google-runtime-int): all ones where not known
  unsigned gpuInstance, computeInstance;
};

/// What a policy has cost: times in nanoseconds since the driver started.
struct Violation {
  unsigned long long reference, held;  // NOLINT(google-runtime-int)
};

/// A reason why a clock is low, by its bit; an idle GPU is none.
struct ClockEvent {
  unsigned long long bit;  // NOLINT(google-runtime-int)
  const char* name;
};
constexpr ClockEvent clockEvents[] = {{0x2, "applications_clocks_setting"},
                                      {0x4, "sw_power_cap"},
                                      {0x8, "hw_slowdown"},
                                      {0x10, "sync_boost"},
                                      {0x20, "sw_thermal_slowdown"},
                                      {0x40, "hw_thermal_slowdown"},
                                      {0x80, "hw_power_brake_slowdown"},
                                      {0x100, "display_clock_setting"}};

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

  /// The processes that compute on the GPU; nothing where the library does not tell.
  std::optional<std::vector<ProcessInfo>> processes(GpuHandle gpu) const {
    using Read = Result(GpuHandle, unsigned*, ProcessInfo*);
    std::vector<ProcessInfo> processes(64);
    auto number = static_cast<unsigned>(processes.size());
    if (call<Read>("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &number, processes.data()) != 0) return std::nullopt;
    processes.resize(std::min<size_t>(number, processes.size()));
    return processes;
  }

  /// A number that a function with these arguments behind the GPU gives; nothing where it fails.
  template <typename... Args>
  std::optional<double> number(const char* name, GpuHandle gpu, Args... args) const {
    using Read = Result(GpuHandle, Args..., unsigned*);
    unsigned value = 0;
    return call<Read>(name, gpu, args..., &value) == 0 ? std::optional<double>(value) : std::nullopt;
  }

  std::string clock(GpuHandle gpu, Clock clock) const {
    const auto now = number("nvmlDeviceGetClockInfo", gpu, static_cast<int>(clock));
    const auto most = number("nvmlDeviceGetMaxClockInfo", gpu, static_cast<int>(clock));
    if (!now) return "unknown";
    return most ? fmt::format("{} MHz of {}", *now, *most) : fmt::format("{} MHz", *now);
  }

  std::string uuid(GpuHandle gpu) const {
    using Text = Result(GpuHandle, char*, unsigned);
    std::array<char, 96> text{};
    return call<Text>("nvmlDeviceGetUUID", gpu, text.data(), static_cast<unsigned>(text.size())) == 0 ? text.data() : "";
  }

  /// Whether a mode is on that a function tells.
  std::optional<bool> mode(const char* name, GpuHandle gpu) const {
    using Read = Result(GpuHandle, unsigned*, unsigned*);
    unsigned now = 0;
    unsigned pending = 0;
    return call<Read>(name, gpu, &now, &pending) == 0 ? std::optional(now != 0) : std::nullopt;
  }

  /// How long a policy has held the clock down, in seconds since the driver started.
  std::optional<double> heldSeconds(GpuHandle gpu, Policy policy) const {
    using Read = Result(GpuHandle, int, Violation*);
    Violation violation{};
    const bool isKnown = call<Read>("nvmlDeviceGetViolationStatus", gpu, static_cast<int>(policy), &violation) == 0;
    return isKnown ? std::optional(1e-9 * static_cast<double>(violation.held)) : std::nullopt;
  }

  std::vector<std::string> events(GpuHandle gpu) const {
    using Read = Result(GpuHandle, unsigned long long*);  // NOLINT(google-runtime-int)
    unsigned long long bits = 0;                          // NOLINT(google-runtime-int)
    std::vector<std::string> names;
    if (call<Read>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &bits) != 0) return names;
    for (const ClockEvent& event : clockEvents)
      if ((bits & event.bit) != 0) names.emplace_back(event.name);
    return names;
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

std::optional<double> scaled(std::optional<double> value, double scale) {
  return value ? std::optional(*value * scale) : std::nullopt;
}

bool isOurs(const ProcessInfo& process) { return process.pid == static_cast<unsigned>(getpid()); }

/// The number of processes that compute on a GPU, without this one. The driver may know this process by another number, as in a
/// container; it is one of them all the same. Nothing where there are no processes at all: then the driver shows none.
std::optional<int> othersOf(const std::optional<std::vector<ProcessInfo>>& processes) {
  if (!processes || processes->empty()) return std::nullopt;
  return static_cast<int>(processes->size()) - 1;
}

}  // namespace

NvmlMemory nvmlMemory(const std::string& pciBusId) {
  using Read = Result(GpuHandle, MemoryInfo*);
  GpuHandle gpu = openNvml().find(pciBusId);
  if (gpu == nullptr) return {};
  NvmlMemory memory;
  MemoryInfo info{};
  if (openNvml().call<Read>("nvmlDeviceGetMemoryInfo", gpu, &info) == 0) memory.device = static_cast<int64_t>(info.used);
  for (const ProcessInfo& process : openNvml().processes(gpu).value_or(std::vector<ProcessInfo>())) {
    const bool isKnown = process.bytes != ~0ULL;  // in a container our number may be another one to the driver
    if (isKnown && isOurs(process)) memory.process = static_cast<int64_t>(process.bytes);
  }
  return memory;
}

std::optional<double> nvmlEnergy(const std::string& pciBusId) {
  using Read = Result(GpuHandle, unsigned long long*);  // NOLINT(google-runtime-int): the library's type, millijoules
  GpuHandle gpu = openNvml().find(pciBusId);
  unsigned long long millijoules = 0;  // NOLINT(google-runtime-int)
  if (gpu == nullptr || openNvml().call<Read>("nvmlDeviceGetTotalEnergyConsumption", gpu, &millijoules) != 0) return std::nullopt;
  return 1e-3 * static_cast<double>(millijoules);
}

void addNvml(const std::string& pciBusId, Environment& environment) {
  const Nvml& nvml = openNvml();
  environment.driver = nvml.driver();
  GpuHandle gpu = nvml.find(pciBusId);
  if (gpu == nullptr) return;
  environment.gpu = nvml.uuid(gpu);
  environment.ecc = nvml.mode("nvmlDeviceGetEccMode", gpu);
  environment.mig = nvml.mode("nvmlDeviceGetMigMode", gpu);
  environment.powerLimit = scaled(nvml.number("nvmlDeviceGetEnforcedPowerLimit", gpu), 1e-3);
  environment.mostClock = scaled(nvml.number("nvmlDeviceGetMaxClockInfo", gpu, static_cast<int>(SmClock)), 1e6);
}

std::optional<GpuState> nvmlState(const std::string& pciBusId) {
  const Nvml& nvml = openNvml();
  GpuHandle gpu = nvml.find(pciBusId);
  if (gpu == nullptr) return std::nullopt;
  GpuState state;
  state.temperature = nvml.number("nvmlDeviceGetTemperature", gpu, static_cast<int>(GpuSensor));
  state.power = scaled(nvml.number("nvmlDeviceGetPowerUsage", gpu), 1e-3);
  state.memoryClock = scaled(nvml.number("nvmlDeviceGetClockInfo", gpu, static_cast<int>(MemoryClock)), 1e6);
  state.clockEvents = nvml.events(gpu);
  state.powerCapSeconds = nvml.heldSeconds(gpu, PowerPolicy);
  state.heatCapSeconds = nvml.heldSeconds(gpu, ThermalPolicy);
  state.otherProcesses = othersOf(nvml.processes(gpu));
  return state;
}

}  // namespace runtime
