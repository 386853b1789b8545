#include "runtime/cpu_device.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "runtime/call_state.h"
#include "runtime/orc.h"
#include "runtime/parallel.h"
#include "runtime/planned.h"

namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class HostExecutable : public Executable {
 public:
  HostExecutable(HostCode code, const ir::Launch& launch) : code_(std::move(code)), launch_(launch) {
    compileMs = code_.compileMs;
    cached = code_.cached;
  }

  void launch(void* const* pointers) const override {
    parallelFor(launch_.tasks, launch_.grain, [&](int64_t begin, int64_t end) { code_.function(pointers, begin, end); });
  }

 private:
  HostCode code_;
  ir::Launch launch_;
};

class CpuTrial : public Trial {
 public:
  CpuTrial(Callable& callable, Call& call)
      : callable_(callable), call_(call), planned_(dynamic_cast<PlannedCallable*>(&callable)) {}

  TensorList run() override {
    outputs_ = {};
    call_.restore();
    if (planned_ != nullptr) planned_->poison = true;
    outputs_ = callable_();
    if (planned_ != nullptr) planned_->poison = false;
    return outputs_;
  }

  double seconds() override {
    const c10::InferenceMode guard;
    // Freed before the clock starts: every contender then finds its memory as warm as the others do.
    outputs_ = {};
    call_.restore();
    const Clock::time_point start = Clock::now();
    outputs_ = callable_();
    return secondsSince(start);
  }

 private:
  Callable& callable_;
  Call& call_;
  PlannedCallable* planned_;
  TensorList outputs_;
};

/// The value of the first line `key : value` of /proc/cpuinfo, or nothing.
std::string cpuInfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

double measureCopyBandwidth() {
  constexpr int64_t bytes = int64_t{256} << 20;
  constexpr int64_t grain = int64_t{1} << 20;
  const at::DataPtr from = c10::GetCPUAllocator()->allocate(bytes);
  const at::DataPtr to = c10::GetCPUAllocator()->allocate(bytes);
  std::memset(from.get(), 1, bytes);
  std::memset(to.get(), 2, bytes);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    parallelFor(bytes, grain, [&](int64_t begin, int64_t end) {
      std::memcpy(static_cast<char*>(to.get()) + begin, static_cast<const char*>(from.get()) + begin, end - begin);
    });
    best = std::max(best, 2 * bytes / secondsSince(start));
  }
  return best;
}

class CpuDevice : public Device {
 public:
  explicit CpuDevice(int threads) : target_(Orc::host(threads)) {}

  std::string torchName() const override { return "cpu"; }
  std::string name() const override {
    const std::string model = cpuInfo("model name");
    return model.empty() ? "CPU" : model;
  }
  const ir::Target& target() const override { return target_; }

  ExecutablePtr compile(const codegen::Program& program, const Cache& cache) override {
    return std::make_shared<HostExecutable>(orc_.compile(program, cache), program.launch);
  }
  std::pair<std::string, std::string> assembly(const codegen::Program& program) override { return {"s", orc_.assembly(program)}; }

  std::unique_ptr<Trial> prepare(Callable& callable, Call& call) override { return std::make_unique<CpuTrial>(callable, call); }

  double copyBandwidth() override {
    if (copyBandwidth_ == 0) copyBandwidth_ = measureCopyBandwidth();
    return copyBandwidth_;
  }

  std::vector<std::pair<std::string, std::string>> facts() override {
    return {{"cpu", fmt::format("{}, {} threads, {}-byte vectors", name(), target_.processors, target_.vectorBytes)},
            {"torch", torchFact()},
            {"llvm", fmt::format("{}, compiles for {}", Orc::version(), target_.arch)}};
  }

 private:
  Orc orc_;
  ir::Target target_;
  double copyBandwidth_ = 0;
};

/// glibc maps every large block anew and gives it back when it is freed; the page faults cost more than most kernels.
void keepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 256 << 20);
}

}  // namespace

std::string torchFolder() {
  Dl_info info{};
  ir::require(dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &info) != 0,
              "libtorch_cpu.so was not found among the loaded libraries");
  return std::filesystem::path(info.dli_fname).parent_path().string();
}

std::string torchFact() { return fmt::format("{} in {}", TORCH_VERSION, torchFolder()); }

void setThreads(int threads) { at::set_num_threads(threads); }

std::unique_ptr<Device> openCpuDevice(int threads) {
  keepFreedMemory();
  if (threads > 0) setThreads(threads);
  return std::make_unique<CpuDevice>(at::get_num_threads());
}

}  // namespace runtime
