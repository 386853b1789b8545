#pragma once

#include <memory>
#include <vector>

#include "runtime/program/program.h"

namespace runtime {

/// A program as TorchScript, by tracing one run of it on this state and these inputs, for sizes and a device like theirs; state
/// and inputs are inputs of its graph. It has the state and the inputs of the program, and runs by the process's executor.
/// Buffers that the program writes are not written by the tracing. Errors: as Program::run(); Unsupported by inFloat64(), which
/// the program itself has.
std::unique_ptr<Program> traced(const Program& program, const std::vector<at::Tensor>& state,
                                const std::vector<at::Tensor>& inputs);

}  // namespace runtime
