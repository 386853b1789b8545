#pragma once

#include <string>

#include "inputs/sample.h"

namespace tests {

/// A recorded call, `sample("aten.neg.default", "((T([2, 3], f32),), {})")`.
inline inputs::Sample sample(const std::string& op, const std::string& call) {
  inputs::Sample sample;
  sample.op = op;
  inputs::parseCall(call, {"test", 1}, 1, sample);
  return sample;
}

}  // namespace tests
