#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inputs/sample.h"
#include "runtime/program/program.h"
#include "runtime/workloads/network/training.h"

namespace runtime {

/// What a sample of a model says: `model.resnet18.training` of inputs, with keywords `dtype`, `channels_last`, `bounds`, `least`,
/// `amp`, `loss`, `optimizer`, `optimizer_form` and `grad_scaler`.
struct ModelSpec {
  std::string name;
  bool isTraining = false;
  std::string dtype = "float32";      ///< of its parameters
  bool isChannelsLast = false;        ///< 4-D parameters and inputs have these strides
  std::optional<at::ScalarType> amp;  ///< under autocast to this dtype
  std::string loss;                   ///< `cross_entropy`, `mean`, `gradient`; empty: the one that fits
  OptimizerKind optimizer;
  bool scalesGradients = false;                     ///< by GradScaler
  std::vector<ProgramInput> inputs;                 ///< of fixed sizes, and bounds where the sample gives them
  std::vector<std::vector<int64_t>> sizes() const;  ///< of its inputs
};
/// Error: Input, for a sample that is none.
ModelSpec modelOf(const inputs::Sample& sample);

}  // namespace runtime
