#include "runtime/contenders/kernels/call_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/error.h"

namespace runtime {

CallNames::CallNames(const ir::Graph& graph) : graph_(graph) {
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) values_[fmt::format("out{}", i)] = graph.outputs[i];
  for (const int input : graph.inputs) values_[graph.values.at(static_cast<std::size_t>(input)).name] = input;
  if (graph.nodes.size() > 1) return;
  for (const ir::NamedArgument& argument : graph.nodes.at(0).args) add(argument.name, argument.value);
}

void CallNames::add(const std::string& name, const ir::Argument& argument) {
  if (const auto* reference = argument.as<ir::ValueRef>()) {
    values_[name] = reference->index;
  } else if (const auto* whole = argument.as<int64_t>()) {
    numbers_[name] = *whole;
  } else if (const auto* real = argument.as<double>()) {
    numbers_[name] = *real;
  } else if (const auto* isTrue = argument.as<bool>()) {
    numbers_[name] = int64_t{*isTrue};
  } else if (const auto* list = argument.as<ir::List>()) {
    others_[name] = fmt::format("a list of {}", list->items.size());
    for (std::size_t i = 0; i < list->items.size(); ++i) add(fmt::format("{}[{}]", name, i), list->items[i]);
  } else {
    others_[name] = argument.is<ir::None>() ? "None" : "neither a tensor nor a number";
  }
}

std::optional<int> CallNames::value(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

const ir::TensorType& CallNames::tensor(const Expression& name) const {
  const std::optional<int> index = value(name.word);
  if (!index) refuseName(name, "tensor");
  return graph_.values.at(static_cast<std::size_t>(*index)).type;
}

ir::Scalar CallNames::number(const Expression& name) const {
  const auto found = numbers_.find(name.word);
  if (found == numbers_.end()) refuseName(name, "number");
  return found->second;
}

void CallNames::refuseName(const Expression& name, std::string_view wanted) const {
  if (const auto other = others_.find(name.word); other != others_.end())
    refuse(name, fmt::format("'{}' is {}, no {}", name.word, other->second, wanted));
  if (values_.contains(name.word)) refuse(name, fmt::format("'{}' is a tensor, no {}", name.word, wanted));
  if (numbers_.contains(name.word)) refuse(name, fmt::format("'{}' is a number, no {}", name.word, wanted));
  const bool isRegion = graph_.nodes.size() > 1;
  std::vector<std::string> known;
  if (isRegion)
    for (const int input : graph_.inputs) known.push_back(graph_.values.at(static_cast<std::size_t>(input)).name);
  else
    for (const ir::NamedArgument& argument : graph_.nodes[0].args) known.push_back(argument.name);
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) known.push_back(fmt::format("out{}", i));
  refuse(name, fmt::format("{} has no '{}'; it has {}", isRegion ? "the region" : graph_.nodes[0].op, name.word,
                           fmt::join(known, ", ")));
}

std::map<std::string, ir::DType> CallNames::dtypes() const {
  std::map<std::string, ir::DType> dtypes;
  for (const auto& [name, index] : values_) {
    std::string plain = name;
    std::erase_if(plain, [](char c) { return c == '[' || c == ']'; });
    dtypes[plain] = graph_.values.at(static_cast<std::size_t>(index)).type.dtype;
  }
  return dtypes;
}

}  // namespace runtime
