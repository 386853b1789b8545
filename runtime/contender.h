#pragma once

#include <string>
#include <utility>

namespace runtime {

/// A way of computing a workload that takes part in a race, by its name: 1 to 80 letters, digits and `_`, and for an operator
/// or a kernel of the user's `:` and `.` too (`my::softmax.out`, `kernel::softmax`). A namespace of operators (`my`) stands for
/// the one of each call's name. As it is asked for, the user's may have a target: `my::add_norm@region.3730256e5117` computes
/// samples of that operator alone, for which it is `my::add_norm`.
class Contender {
 public:
  static const Contender Eager;        ///< ATen's own call
  static const Contender Opbench;      ///< the call lowered, compiled and planned by this program
  static const Contender Torchscript;  ///< the call as a TorchScript graph under the profiling executor and the fuser
  static const Contender Inductor;     ///< the workload's graph compiled by AOTInductor, which a Python torch has

  explicit Contender(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  /// Whether it is the user's own by its full name: an operator that a library registers, or a kernel.
  bool isOwn() const { return name_.find("::") != std::string::npos; }
  /// Whether it is a CUDA kernel of the user's.
  bool isKernel() const { return name_.starts_with(kernelPrefix); }
  /// The operator of the samples that it computes; empty where it may compute any.
  std::string target() const {
    const size_t at = name_.find('@');
    return at == std::string::npos ? "" : name_.substr(at + 1);
  }
  /// The same without its target.
  Contender untargeted() const { return Contender(name_.substr(0, name_.find('@'))); }
  static constexpr const char* kernelPrefix = "kernel::";
  bool operator==(const Contender&) const = default;

 private:
  std::string name_;
};

inline const Contender Contender::Eager{"eager"};
inline const Contender Contender::Opbench{"opbench"};
inline const Contender Contender::Torchscript{"torchscript"};
inline const Contender Contender::Inductor{"inductor"};

}  // namespace runtime
