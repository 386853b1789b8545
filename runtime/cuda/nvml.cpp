#include "runtime/cuda/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

namespace runtime {
namespace {

/// The part of nvml.h that is used, by hand: no wheel that ./dev setup installs has this header. Results are 0 for success.
using Result = int;
using GpuHandle = struct nvmlDevice_st*;
enum Clock { SmClock = 1, MemoryClock = 2 };

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
  GpuHandle gpu = nullptr;
  using Find = Result(const char*, GpuHandle*);
  if (nvml.call<Find>("nvmlDeviceGetHandleByPciBusId_v2", pciBusId.c_str(), &gpu) == 0) {
    facts.emplace_back("clocks", fmt::format("SM {}, memory {}", nvml.clock(gpu, SmClock), nvml.clock(gpu, MemoryClock)));
  }
  return facts;
}

std::string nvmlDriver() { return Nvml().driver(); }

}  // namespace runtime
