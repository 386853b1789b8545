#pragma once

#include <string>
#include <utility>

namespace runtime {

/// A way of computing a workload that takes part in a race, by its name: 1 to 40 letters, digits and `_`.
class Contender {
 public:
  static const Contender Eager;        ///< ATen's own call
  static const Contender Opbench;      ///< the call lowered, compiled and planned by this program
  static const Contender Torchscript;  ///< the call as a TorchScript graph under the profiling executor and the fuser

  explicit Contender(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  bool operator==(const Contender&) const = default;

 private:
  std::string name_;
};

inline const Contender Contender::Eager{"eager"};
inline const Contender Contender::Opbench{"opbench"};
inline const Contender Contender::Torchscript{"torchscript"};

}  // namespace runtime
