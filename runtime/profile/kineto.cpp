#include "runtime/profile/kineto.h"

#include <exception>

namespace runtime {

namespace profiler = torch::autograd::profiler;

std::unique_ptr<profiler::ProfilerResult> profiled(const std::function<void()>& work,
                                                   const std::set<torch::profiler::impl::ActivityType>& activities,
                                                   const std::function<void()>& beforeEnd) {
  const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  beforeEnd();
  auto result = profiler::disableProfiler();
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace runtime
