#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opbench {

/// A way of computing a sample that takes part in the race.
enum class Contender {
  Eager,        ///< ATen's own call
  Opbench,      ///< the call lowered, compiled and planned by this program
  Torchscript,  ///< the call as a TorchScript graph under the profiling executor and the tensor-expression fuser
};

/// The name on the command line and in reports: `eager`, `opbench`, `torchscript`.
std::string_view name(Contender contender);
/// The contender of a name, or nothing.
std::optional<Contender> contenderFromName(std::string_view text);
/// The names of all contenders.
std::vector<std::string> contenderNames();

}  // namespace opbench
