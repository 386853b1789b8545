#pragma once

#include <ATen/core/function_schema.h>

#include <optional>
#include <string>

namespace runtime {

/// Why an operator of this schema is not called, as in `aten.from_file.default is refused: REASON`; nothing where its schema
/// shows no more than tensors and plain values. What no schema shows is refused by name (inputs/operator_name.h).
std::optional<std::string> refusalOf(const c10::FunctionSchema& schema);

}  // namespace runtime
