#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inputs/data/materialize.h"

namespace runtime {

/// The operator that torch's dispatcher knows by a name such as `my::softmax.out`; nothing where there is none.
std::optional<c10::OperatorHandle> findRegistered(const std::string& name);
/// ATen's operator of the name `aten.add.Tensor`, or the reference of an own one. Errors: Input where there is none, or none that
/// a sample may call (inputs/operator_name.h); Unsupported where its schema shows more than tensors and plain values (refusal.h).
c10::OperatorHandle findOperator(const std::string& op);
/// An operator's name as logs have it: `aten.add.Tensor`.
std::string recordedName(const c10::OperatorName& name);

/// The arguments of a call as the schema declares them, defaults filled in: a stack for OperatorHandle::callBoxed. A number
/// where a Tensor is declared becomes a wrapped number, one where a list is declared is repeated, and a device argument is
/// `device`. Errors: Input where an argument is missing, unknown or of another type.
torch::jit::Stack bindArguments(const std::string& op, const c10::FunctionSchema& schema, const inputs::Inputs& inputs,
                                at::Device device);

/// Arguments in double precision: floating tensors (types.h), and the dtypes that are asked for.
torch::jit::Stack inFloat64(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments);

/// The chance of a call's dropout; nothing where it has none.
std::optional<double> chanceOf(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments);
/// Whether a call draws from the default generator. Attention of inference does not: the `chance` of its dropout is 0.
bool isRandom(const c10::OperatorHandle& op, std::optional<double> chance);

/// What a call does to its arguments.
struct Effects {
  std::vector<int> written;      ///< arguments whose elements it writes, in schema order
  std::vector<int> returned;     ///< by return: the written argument that it is, or -1
  bool changesMetadata = false;  ///< gives an argument new sizes and strides and writes nothing (`unsqueeze_`)
  bool changesLists = false;  ///< puts other tensors into the caller's list, as ATen's `_unsafe_masked_index` does with indices
  bool isRandom = false;      ///< draws from the default generator
};
/// From the schema's annotations, and where it has none (running statistics, workspaces) from a table.
Effects effectsOf(const c10::OperatorHandle& op, const torch::jit::Stack& arguments);

/// The value with every defined tensor in it, alone or in a list, replaced.
c10::IValue mapTensors(const c10::IValue& value, const std::function<at::Tensor(const at::Tensor&)>& replace);
/// Every defined tensor in it, alone, in a list or in a tuple, in order.
std::vector<at::Tensor> tensorsIn(const c10::IValue& value);

}  // namespace runtime
