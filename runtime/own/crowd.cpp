#include "runtime/own/crowd.h"

#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include "runtime/cpu/host.h"
#include "runtime/cpu/processors.h"

namespace runtime {
namespace {

void spin(const std::atomic<bool>& isOver) {
  while (!isOver.load(std::memory_order_relaxed)) {
  }
}

/// Launches many short kernels, whose CTAs take turns with CTAs of other kernels.
void launch(const std::atomic<bool>& isOver, const at::Device& device) {
  constexpr int together = 32;
  const c10::InferenceMode guard;
  const at::Tensor numbers = at::ones({1 << 18}, at::TensorOptions(device));
  while (!isOver.load(std::memory_order_relaxed)) {
    for (int i = 0; i < together; ++i) numbers.mul_(1);
    numbers[0].item();  // which waits for them
  }
}

}  // namespace

Crowd::Crowd(const std::string& device) {
  const at::Device torch(device);
  const Unbound unbound;  // so that threads that are started here are
  if (torch.is_cuda()) {
    threads_.emplace_back([this, torch] { launch(isOver_, torch); });
    return;
  }
  const size_t processors = allowedProcessors().size();
  for (size_t i = 0; i < 2 * processors; ++i) threads_.emplace_back([this] { spin(isOver_); });
}

Crowd::~Crowd() {
  isOver_ = true;
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace runtime
