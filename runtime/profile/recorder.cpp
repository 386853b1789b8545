#include "runtime/profile/recorder.h"

#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <atomic>

#include "inputs/files.h"
#include "runtime/device.h"

namespace torch::autograd::profiler {
/// Of torch/csrc/profiler/kineto_shim.h, which includes a header that LibTorch leaves out.
void addMetadataJson(const std::string& key, const std::string& value);
}  // namespace torch::autograd::profiler

namespace runtime {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;

std::atomic<bool> recording = false;

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
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  std::set<ActivityType> activities{ActivityType::CPU};
  if (device.target().backend == ir::Backend::Cuda) activities.insert(ActivityType::CUDA);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  std::exception_ptr failure;
  {
    const Recording guard;
    try {
      work();
      device.synchronize();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  for (const auto& [name, json] : facts) profiler::addMetadataJson(name, json);
  const auto result = profiler::disableProfiler();
  if (failure) std::rethrow_exception(failure);
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
}
Range::~Range() = default;

}  // namespace runtime
