#include "runtime/profile/recorder.h"

#include <ATen/record_function.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <atomic>
#include <cstdlib>

#include "inputs/files.h"
#include "runtime/device.h"
#include "runtime/profile/kineto.h"

namespace torch::autograd::profiler {
/// A function of torch/csrc/profiler/kineto_shim.h, which includes a header that LibTorch leaves out.
void addMetadataJson(const std::string& key, const std::string& value);
}  // namespace torch::autograd::profiler

namespace runtime {
namespace {

using torch::profiler::impl::ActivityType;

std::atomic<bool> recording = false;

/// Whether a tool such as Nsight runs this process, which shows ranges of NVTX.
bool isWatched() {
  static const bool isSet = std::getenv("NVTX_INJECTION64_PATH") != nullptr;
  return isSet;
}

/// While it lives, record() is running.
class Recording {
 public:
  Recording() { recording = true; }
  ~Recording() { recording = false; }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

}  // namespace

void record(const std::function<void()>& work, Device& device, const std::string& path,
            const std::map<std::string, std::string>& facts) {
  inputs::checkWritable(path);
  std::set<ActivityType> activities{ActivityType::CPU};
  if (device.target().backend == ir::Backend::Cuda) activities.insert(ActivityType::CUDA);
  const auto recorded = [&] {
    const Recording guard;
    work();
    device.synchronize();
  };
  const auto addFacts = [&] {
    for (const auto& [name, json] : facts) torch::autograd::profiler::addMetadataJson(name, json);
  };
  const auto result = profiled(recorded, activities, addFacts);
  result->save(path);
}

struct Range::Guard {
  Guard(std::string_view named, Of of)
      : name(named), function(of == Of::Call ? at::RecordScope::FUNCTION : at::RecordScope::USER_SCOPE) {
    function.before(std::string_view(name));
  }
  std::string name;
  at::RecordFunction function;
};

Range::Range(std::string_view name, Of of) {
  if (recording.load(std::memory_order_relaxed)) guard_ = std::make_unique<Guard>(name, of);
  isPushed_ = isWatched() && torch::profiler::impl::cudaStubs()->enabled();
  if (isPushed_) torch::profiler::impl::cudaStubs()->rangePush(std::string(name).c_str());
}
Range::~Range() {
  if (isPushed_) torch::profiler::impl::cudaStubs()->rangePop();
}

}  // namespace runtime
