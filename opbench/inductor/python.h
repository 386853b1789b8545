#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "opbench/process/process.h"

namespace opbench {

/// A Python process that compiles with AOTInductor (compile.py), started by the first request.
class Python {
 public:
  /// `program` is a file or a name in PATH; `torch` the release of torch that it must have, since what it compiles is loaded
  /// into ours: `2.11.0`.
  Python(std::string program, std::string torch);

  /// Compiles what a request (request.h) asks for into `file`, within so many seconds; 0 is no limit. Returns the seconds that
  /// it took. Errors: Unsupported, in one line, with what Python, torch or Inductor said; once there is no such Python, each
  /// time.
  double compile(std::string request, const std::string& file, double seconds);

 private:
  void start(std::chrono::steady_clock::time_point deadline);
  /// What it says next, an object; empty where that is none. `who` stands before why there is nothing.
  nlohmann::json answer(std::chrono::steady_clock::time_point deadline, const std::string& who);

  const std::string program_, torch_;
  std::optional<Process> process_;
  std::string lacks_;  ///< why there is none
};

}  // namespace opbench
