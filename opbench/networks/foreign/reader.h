#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "opbench/networks/description.h"
#include "opbench/process/process.h"

namespace opbench {

/// Has programs described by a child, which is replaced where a file has it loop, crash or fill the memory.
class Reader {
 public:
  /// A file may take so many seconds; 0 is no limit. The child is a program that is started with `--reader`.
  explicit Reader(double seconds, std::string program = std::string(thisProgram))
      : seconds_(seconds), program_(std::move(program)) {}

  /// As describe(). Errors: Input, also where the child ended or took too long; Unsupported.
  Description operator()(const std::string& file, const std::vector<runtime::ProgramInput>& scriptInputs);

 private:
  double seconds_;
  std::string program_;
  std::optional<Process> child_;
};

/// The work of that child: describes the files that it is handed on the channel it was started with, until that ends.
void readPrograms();

}  // namespace opbench
