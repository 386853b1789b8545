#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/text/text.h"

namespace ir {
namespace {

std::string doubleText(double value) {
  std::string text = fmt::format("{}", value);
  const bool looksWhole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looksWhole ? text + ".0" : text;
}

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += fmt::format("\\{}", c);
    else if (byte < 0x20 || byte == 0x7F)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text + '"';
}

/// Prints arguments; values go by their names.
struct ArgumentPrinter {
  const Graph& graph;

  std::string name(int value) const {
    const bool isKnown = value >= 0 && value < static_cast<int>(graph.values.size());
    return isKnown ? graph.values[value].name : fmt::format("unknown{}", value);
  }
  std::string operator()(const None&) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return doubleText(value); }
  std::string operator()(const std::complex<double>& value) const {
    return fmt::format("complex({}, {})", doubleText(value.real()), doubleText(value.imag()));
  }
  std::string operator()(const std::string& value) const { return quoted(value); }
  std::string operator()(DType value) const { return std::string(ir::name(value)); }
  std::string operator()(const DeviceName& value) const { return fmt::format("device({})", quoted(value.text)); }
  std::string operator()(const Symbol& value) const { return "torch." + value.text; }
  std::string operator()(const TensorType& value) const { return toText(value); }
  std::string operator()(const ValueRef& value) const { return name(value.index); }
  std::string operator()(const SparseTensor& value) const { return fmt::format("ST({})", quoted(value.text)); }
  std::string operator()(const List& list) const {
    std::string text;
    for (const Argument& item : list.items) text += (text.empty() ? "" : ", ") + print(item);
    if (!list.isTuple) return fmt::format("[{}]", text);
    return list.items.size() == 1 ? fmt::format("({},)", text) : fmt::format("({})", text);
  }
  std::string print(const Argument& argument) const { return std::visit(*this, argument.data); }
};

std::string namesText(const ArgumentPrinter& printer, const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += (text.empty() ? "" : ", ") + printer.name(value);
  return text;
}

std::string scopeText(const Scope& scope) {
  std::string text;
  if (scope.phase == Phase::Backward) text += scope.forward < 0 ? " @backward" : fmt::format(" @backward {}", scope.forward);
  if (scope.phase == Phase::Optimizer) text += " @optimizer";
  if (!scope.module.empty()) text += " module " + quoted(scope.module);
  return text;
}

/// Prints a graph line by line; a value's type stands where it is first named.
class GraphPrinter {
 public:
  explicit GraphPrinter(const Graph& graph)
      : graph_(graph), printer_{graph}, isMade_(graph.values.size()), isDeclared_(graph.storages.size()) {
    for (const GraphValue& value : graph.values) names_.insert(value.name);
  }

  std::string run() {
    std::string text = "graph\n";
    size_t role = 0, width = 0;
    for (const int input : graph_.inputs) {
      role = std::max(role, name(graph_.values.at(input).role).size());
      width = std::max(width, printer_.name(input).size());
    }
    for (const int input : graph_.inputs) {
      text += declarations({input});
      text +=
          fmt::format("  {:<{}} {:<{}} {}\n", name(graph_.values.at(input).role), role, printer_.name(input), width, made(input));
    }
    if (graph_.generator) text += fmt::format("  generator {} {}\n", printer_.name(*graph_.generator), made(*graph_.generator));
    for (const Node& node : graph_.nodes) text += declarations(node.outputs) + line(node);
    if (!graph_.outputs.empty()) text += fmt::format("  return {}\n", namesText(printer_, graph_.outputs));
    return text;
  }

 private:
  /// The type of a value and its place in memory, which is known from then on.
  std::string made(int index) {
    const GraphValue& value = graph_.values.at(index);
    isMade_[index] = true;
    std::string text = toText(value.type);
    if (value.storage >= 0 && graph_.storages.at(value.storage).name != value.name)
      text += " of " + graph_.storages[value.storage].name;
    if (value.offset != 0) text += fmt::format(" + {}", value.offset);
    if (value.onHost) text += " on host";
    return text;
  }

  /// The lines of storages that no value covers, before the first value in each.
  std::string declarations(const std::vector<int>& values) {
    std::string text;
    for (const int index : values) {
      const int storage = index >= 0 && index < static_cast<int>(graph_.values.size()) ? graph_.values[index].storage : -1;
      if (storage < 0 || isDeclared_.at(storage)) continue;
      isDeclared_[storage] = true;
      const Storage& declared = graph_.storages[storage];
      if (!names_.contains(declared.name)) text += fmt::format("  storage {} {}\n", declared.name, declared.bytes);
    }
    return text;
  }

  std::string line(const Node& node) {
    std::string outputs;
    for (const int value : node.outputs) {
      const bool isNew = value >= 0 && value < static_cast<int>(isMade_.size()) && !isMade_[value];
      outputs += (outputs.empty() ? "" : ", ") + printer_.name(value);
      if (isNew) outputs += " " + made(value);
    }
    std::string args;
    for (const NamedArgument& arg : node.args)
      args += fmt::format("{}{}={}", args.empty() ? "" : ", ", arg.name, printer_.print(arg.value));
    const std::string writes = node.writes.empty() ? "" : " writes " + namesText(printer_, node.writes);
    return fmt::format("  {}{}{}({}){}{}\n", outputs, outputs.empty() ? "" : " = ", node.op, args, writes, scopeText(node.scope));
  }

  const Graph& graph_;
  const ArgumentPrinter printer_;
  std::vector<bool> isMade_, isDeclared_;
  std::unordered_set<std::string_view> names_;  ///< of values
};

}  // namespace

std::string toText(const Graph& graph) { return GraphPrinter(graph).run(); }

}  // namespace ir
