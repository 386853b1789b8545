#pragma once

#include <string>
#include <vector>

#include "inputs/sample.h"
#include "opbench/settings/shard.h"

namespace opbench {

/// The numbers (from 1) of the samples of a shard, in their order. Each sample is in one shard; they take about equally long, as
/// far as the size of arguments tells. It is the same wherever it is asked.
std::vector<int> samplesOf(const Shard& shard, const std::vector<inputs::Sample>& samples);

}  // namespace opbench
