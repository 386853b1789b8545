#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "opbench/process/process.h"

namespace opbench {

/// A Python process that compiles with AOTInductor (compile.py), started by the first request.
class Python {
 public:
  /// `program` is a file or a name in PATH; `torch` the release of torch that it must have, since what it compiles is loaded into
  /// ours: `2.11.0`; `device` what it compiles for, `cpu` or `cuda`. `processors` are the ones that it compiles on at once; where
  /// there are none it compiles on any one that this process may use.
  Python(std::string program, std::string torch, std::string device, std::vector<int> processors = {});

  /// Compiles what a request (request.h) asks for into `file`, within so many seconds after it has started; 0 is no limit.
  /// Returns the seconds that it took. Errors: Unsupported, in one line, with what Python, torch or Inductor said; once there is
  /// no such Python, each time.
  double compile(std::string request, const std::string& file, double seconds);
  /// Whether it has begun to compute on the GPU, where it stays as long as it runs.
  bool usesGpu() const { return process_ && usesGpu_; }

 private:
  void start();
  /// What is waited for, in words, and who says so; and the option that limits it.
  struct Work {
    std::string who, what, limit;
  };
  /// What Python says next, within so many seconds, 0 without a limit: an object, empty where that is none. Error: Unsupported.
  nlohmann::json answer(double seconds, const Work& work);

  const std::string program_, torch_, device_;
  const std::vector<int> processors_;
  std::optional<Process> process_;
  bool usesGpu_ = false;  ///< the process that runs, or did last
  std::string lacks_;     ///< why there is none
};

}  // namespace opbench
