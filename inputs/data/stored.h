#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/data/distribution.h"
#include "inputs/sample.h"

namespace inputs {

/// The data of a tensor argument, for a file.
struct StoredTensor {
  ir::TensorType type;
  std::string bytes;  ///< the elements that its storage begins with; it repeats them up to its end
};

/// The tensors among a sample's arguments as materialize() draws them: tensors of lists one by one, keyword arguments
/// last. Errors: as materialize().
std::vector<StoredTensor> storedTensors(const Sample& sample, uint64_t seed, const Data& data = {});

}  // namespace inputs
