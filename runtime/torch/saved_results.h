#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "inputs/sample.h"

namespace runtime {

/// Puts the results of the forward pass in place of the arguments of a gradient that it saved (inputs::savedResultsOf), but where
/// the sample says what they hold, and where numbers are dropped out. The forward pass has the gradient's arguments of the same
/// names. Errors: ATen's, of that call.
void saveResults(const inputs::Sample& sample, const c10::OperatorHandle& gradient, torch::jit::Stack& arguments);

}  // namespace runtime
