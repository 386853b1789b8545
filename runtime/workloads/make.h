#pragma once

#include <cstdint>
#include <memory>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"
#include "runtime/device.h"
#include "runtime/workload.h"

namespace runtime {

class Programs;

/// The workload of a sample, its operands drawn from `seed` and `data`; models are among `programs`. Errors: Call's.
std::unique_ptr<Workload> makeWorkload(const inputs::Sample& sample, Device& device, uint64_t seed, const inputs::Data& data,
                                       const Programs& programs);

}  // namespace runtime
