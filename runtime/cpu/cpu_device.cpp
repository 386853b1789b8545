#include "runtime/cpu/cpu_device.h"

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "inputs/operator_name.h"
#include "runtime/build/orc.h"
#include "runtime/compare/oracle.h"
#include "runtime/cpu/allocations.h"
#include "runtime/cpu/checked_clock.h"
#include "runtime/cpu/host.h"
#include "runtime/cpu/interruptions.h"
#include "runtime/torch/parallel.h"
#include "runtime/torch/release.h"
#include "runtime/torch/state.h"

namespace runtime {
namespace {

using Clock = std::chrono::steady_clock;

/// A kernel's memory for its Global locals, zero at first.
class Workspace {
 public:
  explicit Workspace(int64_t bytes) {
    if (bytes == 0) return;
    memory_.reset(std::aligned_alloc(alignment, bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_.get(), 0, bytes);
  }
  void* data() const { return memory_.get(); }

 private:
  static constexpr std::size_t alignment = 256;
  std::unique_ptr<void, decltype(&std::free)> memory_{nullptr, &std::free};
};

class HostExecutable : public Executable {
 public:
  HostExecutable(HostCode code, const ir::KernelSource& program)
      : code_(std::move(code)),
        launch_(program.launch),
        hasEpilogue_(program.hasEpilogue),
        workspace_(program.workspaceBytes),
        arguments_(workspace_.data() == nullptr ? 0 : program.params.size() + 1) {
    compileMs = code_.compileMs;
    cached = code_.cached;
  }

  /// Not from several threads at once where there is a workspace.
  void launch(void* const* pointers) const override {
    if (!arguments_.empty()) pointers = withWorkspace(pointers);
    parallelFor(launch_.tasks, launch_.grain, [&](int64_t begin, int64_t end) { code_.function(pointers, begin, end); });
    if (hasEpilogue_) code_.function(pointers, launch_.tasks, launch_.tasks + 1);
  }

 private:
  void* const* withWorkspace(void* const* pointers) const {
    std::copy_n(pointers, arguments_.size() - 1, arguments_.begin());
    arguments_.back() = workspace_.data();
    return arguments_.data();
  }

  HostCode code_;
  ir::Launch launch_;
  bool hasEpilogue_;
  Workspace workspace_;
  mutable std::vector<void*> arguments_;  ///< the parameters' pointers and the workspace, where there is one
};

class CpuTrial : public Trial {
 public:
  CpuTrial(Callable& callable, Workload& workload) : callable_(callable), workload_(workload) {
    if (!callable.phases.empty()) callable.onPhase([this] { marks_.push_back(Clock::now()); });
  }

  TensorList run() override {
    forget();
    workload_.restore();
    callable_.advance();
    callable_.guard(Guards::Written);
    {
      const Unbound unbound(callable_.isOwn);
      outputs_ = callable_();
    }
    callable_.guard(Guards::None);
    return outputs_;
  }

  void reseed() override { callable_.reseed(); }

  /// A run back to back makes as many calls as take a while, so that neither the clock nor what woke the workers counts; one
  /// where arguments have to be restored before each.
  bool prepareFor(Measure measure) override {
    constexpr double leastSeconds = 2.5e-4;
    constexpr int mostCalls = 1000;
    pinThreads();
    if (measure == Measure::Cold || calls_ > 0) return true;
    calls_ = 1;
    if (workload_.mutates() || callable_.isDirect) return true;
    const double each = std::max(std::min({backToBack(), backToBack(), backToBack()}), leastSeconds / mostCalls);
    calls_ = std::max(1, static_cast<int>(leastSeconds / each));
    return true;
  }

  TensorList outputs() const override { return outputs_; }

  TensorList audit(Measure measure, std::optional<int> /*capture*/) override {
    forget();
    callable_.guard(Guards::Written);
    measure == Measure::Cold ? cold() : backToBack();
    callable_.guard(Guards::None);
    // What others allocate is copied at once: work that goes on elsewhere comes too late.
    return callable_.kind == Kind::Generated || inputs::isNetwork(workload_.op()) ? outputs_ : clone(outputs_);
  }

  double disturbedSeconds(int number, bool isKnown) override {
    const std::function<void()> restore = disturb(workload_.readOnly(), number);
    if (isKnown) restore();
    forget();
    const double time = seconds();
    if (!isKnown) restore();
    return time;
  }

  std::string tampering() override { return clock_.fault(); }

  void replay() override {
    const c10::InferenceMode guard;
    outputs_ = {};
    callable_.advance();
    const Unbound unbound(callable_.isOwn);
    outputs_ = callable_();
  }

  void queue(Measure measure) override { times_.push_back(measure == Measure::Cold ? cold() : backToBack()); }

  void collect(std::vector<double>& seconds) override {
    seconds.insert(seconds.end(), times_.begin(), times_.end());
    times_.clear();
  }

  std::vector<PhaseTime> phases() const override {
    std::vector<PhaseTime> phases;
    for (std::size_t i = 0; i + 1 < marks_.size() && i < callable_.phases.size(); ++i)
      phases.push_back({callable_.phases[i], std::chrono::duration<double>(marks_[i + 1] - marks_[i]).count()});
    return phases;
  }

 private:
  double cold() {
    const c10::InferenceMode guard;
    workload_.restore();
    for (const at::Tensor& tensor : operands_.state().tensors) evict(tensor);
    if (outputs_)
      for (const at::Tensor& tensor : outputs_.state().tensors) evict(tensor);
    outputs_ = {};
    callable_.advance();
    onEachThread([](int) {});  // threads that went to sleep meanwhile take long to wake
    const Unbound unbound(callable_.isOwn);
    clock_.start();
    outputs_ = callable_();
    return clock_.stop();
  }

  double backToBack() {
    const c10::InferenceMode guard;
    // Freed before the clock starts: every contender then finds its memory as warm as the others do.
    outputs_ = {};
    if (workload_.mutates()) workload_.restore();
    callable_.advance();
    marks_.clear();
    const Unbound unbound(callable_.isOwn);
    clock_.start();
    for (int i = 0; i < calls_; ++i) {
      outputs_ = {};
      outputs_ = callable_();
    }
    return clock_.stop() / calls_;
  }

  /// Leaves nothing of the latest run that could be taken for what the next one computes; and of the user's code nothing that
  /// somebody else computed, nor anything that tells a run that is checked from one that is not.
  void forget() {
    const TensorList latest = std::exchange(outputs_, {});
    if (!latest || inputs::isNetwork(workload_.op())) return;
    if (!callable_.isOwn) return poisonOwned(latest, operands_);
    disguiseOwned(latest, operands_);
  }

  static void evict(const at::Tensor& tensor) {
    if (tensor.has_storage()) evictLines(tensor.storage().data(), tensor.storage().nbytes());
  }

  Callable& callable_;
  Workload& workload_;
  const TensorList operands_ = workload_.operands();
  TensorList outputs_;
  int calls_ = 0;  ///< of a run back to back; 0 until it is known
  std::vector<double> times_;
  CheckedClock clock_;
  std::vector<Clock::time_point> marks_;  ///< where the phases of the latest run began, and the last ended
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

class CpuDevice : public Device {
 public:
  explicit CpuDevice(int threads) : target_(Orc::host(threads)) { target_.aten = atenRules(); }

  std::string torchName() const override { return "cpu"; }
  std::string name() const override { return cpuName(); }
  const ir::Target& target() const override { return target_; }
  void setStreamedBytes(int64_t bytes) override { target_.streamedBytes = bytes; }

  ExecutablePtr compile(const ir::KernelSource& program, const Cache& cache) override {
    return std::make_shared<HostExecutable>(orc_.compile(program, cache), program);
  }
  std::pair<std::string, std::string> assembly(const ir::KernelSource& program) override { return {"s", orc_.assembly(program)}; }

  std::unique_ptr<Trial> prepare(Callable& callable, Workload& workload) override {
    return std::make_unique<CpuTrial>(callable, workload);
  }

  std::optional<double> clock() override { return coreClock(); }
  int64_t interruptions() override { return interruptions_.count(); }
  std::optional<double> stolenSeconds() override { return runtime::stolenSeconds(); }

  int64_t lastCacheBytes() override { return lastLevelCacheBytes(target_.processors); }
  std::optional<Memory> memory() override { return hostMemory(); }
  std::unique_ptr<MemoryWatch> watchMemory() override { return watchHostMemory(); }
  Environment environment() override {
    Environment environment = hostEnvironment();
    environment.llvm = Orc::version();
    return environment;
  }
  std::vector<std::pair<std::string, std::string>> facts() override {
    return {{"cpu", fmt::format("{}, {} threads, {}-byte vectors", name(), target_.processors, target_.vectorBytes)},
            {"torch", torchFact()},
            {"llvm", fmt::format("{}, compiles for {}", Orc::version(), target_.arch)}};
  }

 private:
  Orc orc_;
  ir::Target target_;
  Interruptions interruptions_;
};

/// glibc maps every large block anew and gives it back when it is freed; the page faults cost more than most kernels.
void keepFreedMemory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, 256 << 20);
}

}  // namespace

std::string cpuName() {
  const std::string model = cpuInfo("model name");
  return (model.empty() ? "CPU" : model) + (Orc::isHeldToAvx2() ? " held to AVX2" : "");
}

Environment hostEnvironment() {
  Environment environment;
  environment.torch = torchVersion(torchFolder());
  environment.cpu = cpuName();
  utsname system{};
  if (::uname(&system) == 0) {
    environment.host = std::begin(system.nodename);
    environment.kernel = std::begin(system.release);
  }
  return environment;
}

std::string torchFolder() {
  Dl_info info{};
  ir::require(dladdr(reinterpret_cast<const void*>(&at::set_num_threads), &info) != 0,
              "libtorch_cpu.so was not found among the loaded libraries");
  return std::filesystem::path(info.dli_fname).parent_path().string();
}

std::string torchFact() { return fmt::format("{} in {}", torchVersion(torchFolder()), torchFolder()); }

void setThreads(int threads) { at::set_num_threads(threads); }

std::unique_ptr<Device> openCpuDevice(int threads) {
  keepFreedMemory();
  CheckedClock::calibrate();
  if (threads > 0) setThreads(threads);
  pinThreads();
  return std::make_unique<CpuDevice>(at::get_num_threads());
}

}  // namespace runtime
