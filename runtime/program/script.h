#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace runtime {

/// An input that a caller describes: `f32:2,3,224,224` or `i64:8,128`; all its dimensions are fixed. Error: Input for any other
/// text.
ProgramInput parseInput(const std::string& text, const std::string& name);

/// The method `forward` of a TorchScript file on these inputs, which the file does not describe. Its code is compiled and run by
/// TorchScript; operators that no sample may call are refused before. Its result is a tensor or a tuple of tensors. Errors: Input
/// where torch cannot read the file or it takes another number of inputs, Unsupported for what it calls or returns otherwise.
std::unique_ptr<Program> openScript(const std::string& path, std::vector<ProgramInput> inputs);

}  // namespace runtime
