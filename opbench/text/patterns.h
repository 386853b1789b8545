#pragma once

#include <string>
#include <string_view>

namespace opbench {

/// The beginning of the names of ATen's operators.
inline constexpr std::string_view atenPrefix = "aten.";

/// Whether a pattern has wildcards, as against a name.
bool isGlob(std::string_view pattern);

/// Whether `op` (`aten.add.Tensor`) is meant by a pattern: its name, its packet (`aten.add`), both without `aten.` or
/// spelled as inputs::operatorName() has it, a glob over the whole name (`*_backward*`, `aten.add.*`), or `all`.
bool matches(const std::string& op, const std::string& pattern);

/// Whether a pattern means an operator as matches() has it, or is the name of a network: `resnet18` of `model.resnet18.training`,
/// or a glob over it.
bool isNamed(const std::string& op, const std::string& pattern);

}  // namespace opbench
