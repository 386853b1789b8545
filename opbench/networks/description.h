#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace opbench {

/// What a run asks of a program's file before it races it.
struct Description {
  bool isScript = false;  ///< TorchScript, as against an archive of torch.export
  std::vector<runtime::ProgramInput> inputs;
};

/// Describes the program in a file, in this process; inputs of TorchScript are what the caller says they are. Errors: as
/// runtime::openProgram().
Description describe(const std::string& file, const std::vector<runtime::ProgramInput>& scriptInputs);

/// As JSON, and back. Errors: Input, for what is none.
nlohmann::json toJson(const std::vector<runtime::ProgramInput>& inputs);
std::vector<runtime::ProgramInput> inputsOf(const nlohmann::json& json);

}  // namespace opbench
