#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/capture/recorder.h"

namespace runtime {

/// What is captured: it calls what it is given where a phase begins and where the last one ends, and returns its results.
using CapturedStep = std::function<std::vector<at::Tensor>(const std::function<void()>& mark)>;

/// What a step reads and gives.
struct StepDescription {
  at::Device device;
  std::vector<GraphOperand> operands;
  std::vector<std::string> outputs;  ///< their names
  int phases = 1;                    ///< 1 is forward alone, 2 adds backward, 3 the optimizer
};

/// Runs a step and records each call that ATen carries out for it on this thread (Interception). Errors: Unsupported for what
/// graphs do not hold, one line with the operator's name; what the step throws.
Capture captureStep(const StepDescription& description, const CapturedStep& step, Audit audit = Audit::No);

/// Whether this thread captures a step.
bool isCaptured();

/// Says which module of a network makes the calls that come next; nothing, where this thread captures none.
void enterModule(const std::string& module);

}  // namespace runtime
