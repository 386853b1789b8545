#include "runtime/capture/recording.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "runtime/torch/call_graph.h"
#include "runtime/torch/schema.h"

namespace runtime {
namespace {

const c10::FunctionSchema& schemaOf(const ir::Node& node) { return findOperator(node.op).schema(); }

/// An argument as samples have it: a tensor is its type.
ir::Argument inSample(const ir::Graph& graph, const ir::Argument& argument) {
  if (const auto* value = argument.as<ir::ValueRef>()) return graph.values[static_cast<size_t>(value->index)].type;
  const auto* list = argument.as<ir::List>();
  if (list == nullptr) return argument;
  ir::List items;
  for (const ir::Argument& item : list->items) items.items.push_back(inSample(graph, item));
  return items;
}

bool isDefault(const std::string& op, const c10::Argument& formal, const ir::Argument& argument) {
  const TensorArgument none = [](const std::string&, const at::Tensor&) { return ir::None{}; };
  return formal.default_value() && graphArgument(op, formal, *formal.default_value(), none) == argument;
}

bool holdsTensor(const ir::Argument& argument) {
  const auto* list = argument.as<ir::List>();
  return argument.is<ir::ValueRef>() || (list != nullptr && std::any_of(list->items.begin(), list->items.end(), holdsTensor));
}

bool holdsTensor(const c10::TypePtr& type) {
  const auto inside = type->containedTypes();
  return type->kind() == c10::TypeKind::TensorType ||
         std::any_of(inside.begin(), inside.end(), [](const c10::TypePtr& each) { return holdsTensor(each); });
}

bool isMemoryFormat(const c10::Argument& formal) {
  const c10::TypePtr type = formal.real_type();
  const auto isFormat = [](const c10::TypePtr& each) { return each->kind() == c10::TypeKind::MemoryFormatType; };
  return isFormat(type) || (type->kind() == c10::TypeKind::OptionalType && isFormat(type->containedType(0)));
}

/// Whether a call of it computes nothing, by its schema: it makes a tensor of nothing but sizes, or hands back a view.
bool computesNothing(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  if (std::none_of(arguments.begin(), arguments.end(), [](const auto& formal) { return holdsTensor(formal.type()); }))
    return true;
  if (schema.name().find("_like") != std::string::npos) return true;
  if (schema.is_mutable()) return false;
  const auto isTensor = [](const c10::Argument& each) { return each.type()->kind() == c10::TypeKind::TensorType; };
  const auto& results = schema.returns();
  const auto result = std::find_if(results.begin(), results.end(), isTensor);
  if (std::count_if(results.begin(), results.end(), isTensor) != 1 || result->alias_info() == nullptr) return false;
  return std::any_of(arguments.begin(), arguments.end(), [&](const c10::Argument& formal) {
    const c10::AliasInfo* alias = isTensor(formal) ? formal.alias_info() : nullptr;
    if (alias == nullptr) return false;
    const auto& shared = result->alias_info()->afterSets();
    return std::any_of(alias->beforeSets().begin(), alias->beforeSets().end(),
                       [&](const auto& set) { return shared.contains(set); });
  });
}

}  // namespace

inputs::Sample sampleOf(const ir::Graph& graph, const ir::Node& node) {
  const auto& formals = schemaOf(node).arguments();
  inputs::Sample sample;
  sample.op = node.op;
  size_t positional = 0;  // up to the last one that is no default
  for (size_t i = 0; i < formals.size(); ++i)
    if (!formals[i].kwarg_only() && !isDefault(node.op, formals[i], node.args[i].value)) positional = i + 1;
  for (size_t i = 0; i < formals.size(); ++i) {
    ir::Argument argument = inSample(graph, node.args[i].value);
    if (i < positional)
      sample.args.push_back(std::move(argument));
    else if (formals[i].kwarg_only() && !isDefault(node.op, formals[i], node.args[i].value))
      sample.kwargs.push_back({formals[i].name(), std::move(argument)});
  }
  sample.recorded = inputs::toText(sample);
  return sample;
}

bool isLeftOut(const ir::Node& node) {
  const c10::FunctionSchema& schema = schemaOf(node);
  const auto isTensor = [](const ir::NamedArgument& argument) { return holdsTensor(argument.value); };
  if (node.outputs.empty() || std::none_of(node.args.begin(), node.args.end(), isTensor)) return true;
  for (size_t i = 0; i < node.args.size(); ++i)
    if (isMemoryFormat(schema.arguments()[i]) && !node.args[i].value.is<ir::None>()) return true;
  return computesNothing(schema);
}

bool drawsNumbers(const ir::Node& node) {
  const auto* chance = node.find<double>("dropout_p");
  return isRandom(findOperator(node.op), chance == nullptr ? std::nullopt : std::optional(*chance));
}

std::vector<inputs::Sample> recordedSamples(const ir::Graph& graph, bool all) {
  std::map<std::string, std::vector<inputs::Sample>> byOperator;
  std::unordered_map<std::string, size_t> places;
  for (const ir::Node& node : graph.nodes) {
    if (!all && isLeftOut(node)) continue;
    inputs::Sample sample = sampleOf(graph, node);
    std::vector<inputs::Sample>& samples = byOperator[node.op];
    const auto [place, isNew] = places.try_emplace(node.op + sample.recorded, samples.size());
    isNew ? samples.push_back(std::move(sample)) : void(++samples[place->second].count);
  }
  std::vector<inputs::Sample> recorded;
  for (auto& [op, samples] : byOperator) std::move(samples.begin(), samples.end(), std::back_inserter(recorded));
  return recorded;
}

}  // namespace runtime
