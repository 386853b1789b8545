#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>

namespace runtime {

/// Why an operator of this schema is not called, as in `aten.from_file.default is refused: REASON`; nothing where its schema
/// shows no more than tensors and plain values. What no schema shows is refused by name (inputs/operator_name.h).
std::optional<std::string> refusalOf(const c10::FunctionSchema& schema);

/// Refuses a call on a GPU whose operands ATen reads on the host, but on the device in a CUDA graph: the generator's state of
/// attention that drops out. It would end the process. Error: Unsupported.
void refuseHostState(const std::string& op, const c10::FunctionSchema& schema, const torch::jit::Stack& arguments);

}  // namespace runtime
