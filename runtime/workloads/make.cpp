#include "runtime/workloads/make.h"

#include "inputs/operator_name.h"
#include "runtime/workloads/call.h"
#include "runtime/workloads/model/model.h"
#include "runtime/workloads/network/network.h"
#include "runtime/workloads/region/region.h"

namespace runtime {

std::unique_ptr<Workload> makeWorkload(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data,
                                       const Programs& programs) {
  switch (inputs::kindOf(sample.op)) {
    case inputs::SampleKind::Model: return std::make_unique<Model>(sample, device, seed, programs);
    case inputs::SampleKind::Recurrent: return std::make_unique<Network>(sample, device, seed);
    case inputs::SampleKind::Region: return std::make_unique<Region>(sample, device, seed, data);
    case inputs::SampleKind::Call: break;
  }
  return std::make_unique<Call>(sample, device, seed, data);
}

}  // namespace runtime
