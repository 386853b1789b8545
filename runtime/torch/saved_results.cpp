#include "runtime/torch/saved_results.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "inputs/operators/facts.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

/// `aten.NAME_backward.default` without `_backward`.
std::string forwardOf(const std::string& gradient) {
  constexpr std::string_view suffix = "_backward";
  std::string forward = gradient;
  return forward.erase(forward.rfind(suffix), suffix.size());
}

torch::jit::Stack forwardArguments(const c10::FunctionSchema& forward, const c10::FunctionSchema& gradient,
                                   const torch::jit::Stack& arguments) {
  torch::jit::Stack own;
  for (const c10::Argument& argument : forward.arguments()) {
    const std::string& name = argument.name();
    const auto given = gradient.argumentIndexWithName(name);
    if (given)
      own.push_back(arguments.at(static_cast<size_t>(*given)));
    else if (name.starts_with("compute_log"))  // `compute_log_sumexp`, `compute_logsumexp`
      own.emplace_back(true);
    else
      own.push_back(argument.default_value().value_or(c10::IValue()));
  }
  return own;
}

bool isGiven(const inputs::Sample& sample, size_t argument) {
  return argument < sample.args.size() && sample.args[argument].hasElements();
}

}  // namespace

void saveResults(const inputs::Sample& sample, const c10::OperatorHandle& gradient, torch::jit::Stack& arguments) {
  const std::vector<inputs::SavedResult> saved = inputs::savedResultsOf(sample.op);
  if (saved.empty()) return;
  const c10::FunctionSchema& schema = gradient.schema();
  if (chanceOf(schema, arguments).value_or(0) != 0) return;
  const c10::OperatorHandle forward = findOperator(forwardOf(sample.op));
  torch::jit::Stack results = forwardArguments(forward.schema(), schema, arguments);
  forward.callBoxed(&results);
  for (const inputs::SavedResult& one : saved) {
    const auto argument = static_cast<size_t>(schema.argumentIndexWithName(std::string(one.argument)).value());
    if (!isGiven(sample, argument)) arguments.at(argument).toTensor().copy_(results.at(one.result).toTensor());
  }
}

}  // namespace runtime
