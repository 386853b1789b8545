#include "runtime/workload.h"

#include "runtime/torch/call.h"

namespace runtime {

std::unique_ptr<Workload> makeWorkload(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data) {
  return std::make_unique<Call>(sample, device, seed, data);
}

}  // namespace runtime
