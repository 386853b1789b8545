#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "runtime/capture/capture.h"

namespace random_graphs {

/// A step of a seed's own: a few small tensors of whole numbers, which are exact in float32 whatever the order of sums, and at
/// most `most` turns of pointwise calls, sums, products, views of views, and writes through them.
struct RandomStep {
  std::vector<at::Tensor> operands;
  std::vector<at::Tensor> before;  ///< copies of the operands as they were
  runtime::Capture capture;
  runtime::TensorList after;  ///< copies of the operands as the step left them
};

RandomStep randomStep(uint64_t seed, int64_t most);

}  // namespace random_graphs
