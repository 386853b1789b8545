#include "runtime/workload.h"

#include "inputs/operator_name.h"
#include "runtime/network/model/model.h"
#include "runtime/network/network.h"
#include "runtime/region/region.h"
#include "runtime/torch/call.h"

namespace runtime {

ir::Graph Workload::graph(const TensorList&) const {
  ir::fail(ir::ErrorKind::Internal, "{} is no graph that is compiled as one", op());
}

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
