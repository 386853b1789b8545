#pragma once

#include <ATen/core/function_schema.h>

#include <optional>
#include <string>
#include <string_view>

namespace inputs {

/// The schema of an operator that this process knows; null for any other.
const c10::FunctionSchema* schemaOf(const std::string& op);
/// The position of the argument of that name; nothing where there is none, or no schema.
std::optional<size_t> positionOf(const c10::FunctionSchema* schema, std::string_view argument);

}  // namespace inputs
