#include "runtime/contenders/library/settings.h"

#include <ATen/Context.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

namespace runtime::library {
namespace {

/// Does something when it ends.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> action) : action_(std::move(action)) {}
  ~AtEnd() { action_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  std::function<void()> action_;
};

bool allowsHalves(at::CuBLASReductionOption option) {
  return option == at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK;
}
bool allowsSplits(at::CuBLASReductionOption option) {
  return option != at::CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK;
}

/// Makes a setting, and gives what puts back what was before.
std::function<void()> make(Setting setting) {
  at::Context& context = at::globalContext();
  switch (setting) {
    case Setting::CublasLt: {
      const at::BlasBackend before = context.blasPreferredBackend();
      context.setBlasPreferredBackend(at::BlasBackend::Cublaslt);
      return [&context, before] { context.setBlasPreferredBackend(before); };
    }
    case Setting::WholeSums: {
      const auto f16 = context.allowFP16ReductionCuBLAS(), bf16 = context.allowBF16ReductionCuBLAS();
      context.setAllowFP16ReductionCuBLAS(false, allowsSplits(f16));
      context.setAllowBF16ReductionCuBLAS(false, allowsSplits(bf16));
      return [&context, f16, bf16] {
        context.setAllowFP16ReductionCuBLAS(allowsHalves(f16), allowsSplits(f16));
        context.setAllowBF16ReductionCuBLAS(allowsHalves(bf16), allowsSplits(bf16));
      };
    }
    case Setting::WithoutCudnn: {
      const bool before = context.userEnabledCuDNN();
      context.setUserEnabledCuDNN(false);
      return [&context, before] { context.setUserEnabledCuDNN(before); };
    }
    case Setting::WithoutOneDnn: {
      const bool before = context.userEnabledMkldnn();
      context.setUserEnabledMkldnn(false);
      return [&context, before] { context.setUserEnabledMkldnn(before); };
    }
    case Setting::BenchmarkedCudnn: {
      const bool before = context.benchmarkCuDNN();
      context.setBenchmarkCuDNN(true);
      return [&context, before] { context.setBenchmarkCuDNN(before); };
    }
  }
  return [] {};
}

/// A thread that carries out what it is given, one after another.
class Worker {
 public:
  Worker() {
    std::thread([this] { work(); }).detach();
  }

  Results run(std::function<Results()> action) {
    std::packaged_task<Results()> task(std::move(action));
    std::future<Results> results = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return results.get();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<Results()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<Results()>> tasks_;
};

}  // namespace

Results under(Setting setting, const std::function<Results()>& compute) {
  const AtEnd back(make(setting));
  return compute();
}

Results apart(at::Device device, const std::function<Results()>& compute) {
  // Never ended: a thread that ends while the program does would free cuDNN's plans after cuDNN is gone.
  static Worker& worker = *new Worker;
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  return worker.run([&] {
    const c10::InferenceMode inference;
    const c10::StreamGuard guard(stream);
    return compute();
  });
}

}  // namespace runtime::library
