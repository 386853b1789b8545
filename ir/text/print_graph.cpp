#include <fmt/format.h>

#include <algorithm>
#include <functional>

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

std::string outputsText(const ArgumentPrinter& printer, const Node& node) {
  std::string text;
  for (const int value : node.outputs) {
    const bool isInPlace = std::find(node.writes.begin(), node.writes.end(), value) != node.writes.end();
    const bool isKnown = value >= 0 && value < static_cast<int>(printer.graph.values.size());
    text += (text.empty() ? "" : ", ") + printer.name(value);
    if (!isInPlace && isKnown) text += " " + toText(printer.graph.values[value].type);
  }
  return text.empty() ? text : text + " = ";
}

std::string nodeText(const ArgumentPrinter& printer, const Node& node) {
  std::string args;
  for (const NamedArgument& arg : node.args)
    args += fmt::format("{}{}={}", args.empty() ? "" : ", ", arg.name, printer.print(arg.value));
  const std::string writes = node.writes.empty() ? "" : " writes " + namesText(printer, node.writes);
  return fmt::format("  {}{}({}){}\n", outputsText(printer, node), node.op, args, writes);
}

}  // namespace

std::string toText(const Graph& graph) {
  const ArgumentPrinter printer{graph};
  size_t width = 0;
  for (const int input : graph.inputs) width = std::max(width, printer.name(input).size());
  std::string text = "graph\n";
  for (const int input : graph.inputs)
    text += fmt::format("  in {:<{}} {}\n", printer.name(input), width, toText(graph.values.at(input).type));
  if (graph.generator)
    text += fmt::format("  generator {} {}\n", printer.name(*graph.generator), toText(graph.values.at(*graph.generator).type));
  for (const Node& node : graph.nodes) text += nodeText(printer, node);
  if (!graph.outputs.empty()) text += fmt::format("  return {}\n", namesText(printer, graph.outputs));
  return text;
}

}  // namespace ir
