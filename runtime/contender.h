#pragma once

#include <string>
#include <utility>

namespace runtime {

/// A way of computing a workload that takes part in a race, by its name: 1 to 80 letters, digits and `_`, and for an operator
/// that a library of the user's registers `:` and `.` too (`my::softmax.out`).
class Contender {
 public:
  static const Contender Eager;        ///< ATen's own call
  static const Contender Opbench;      ///< the call lowered, compiled and planned by this program
  static const Contender Torchscript;  ///< the call as a TorchScript graph under the profiling executor and the fuser
  static const Contender Inductor;     ///< the workload's graph compiled by AOTInductor, which a Python torch has

  explicit Contender(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Whether it is an operator that a library of the user's registers.
  bool isOwn() const { return name_.find("::") != std::string::npos; }
  bool operator==(const Contender&) const = default;

 private:
  std::string name_;
};

inline const Contender Contender::Eager{"eager"};
inline const Contender Contender::Opbench{"opbench"};
inline const Contender Contender::Torchscript{"torchscript"};
inline const Contender Contender::Inductor{"inductor"};

}  // namespace runtime
