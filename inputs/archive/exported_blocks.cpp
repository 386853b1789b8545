#include <fmt/format.h>

#include <utility>

#include "inputs/archive/exported_reader.h"
#include "inputs/text/scanner.h"

namespace inputs {
namespace {

constexpr std::string_view gradientBlock = "higher_order.wrap_with_set_grad_enabled",
                           autocastBlock = "higher_order.wrap_with_autocast";

/// Where the subgraph of a block is among the arguments: behind its setting, and before the values that it is given.
size_t settings(std::string_view op) { return op == gradientBlock ? 1 : 4; }

/// The results of a node or of a graph, one each, whether or not they are a list.
std::vector<JsonView> resultsOf(JsonView outputs) {
  std::vector<JsonView> results;
  for (const JsonView& output : outputs.items()) {
    const auto [kind, value] = output.only();
    if (kind == "as_tensor") {
      results.push_back(value.at("name"));
    } else if (kind == "as_tensors") {
      for (const JsonView& item : value.items()) results.push_back(item.at("name"));
    } else {
      output.unsupported(fmt::format("is a result of the kind {}, of a block", shown(kind)));
    }
  }
  return results;
}

}  // namespace

bool ExportedReader::isWrapper(std::string_view op) { return op == gradientBlock || op == autocastBlock; }

void ExportedReader::readWrapper(std::string_view op, JsonView node) {
  const std::vector<JsonView> inputs = node.at("inputs").items();
  const auto argument = [&](size_t number) {
    if (number >= inputs.size()) node.refuse("has no subgraph");
    return inputs[number].at("arg");
  };
  ExportedProgram::Block block = program_.blocks[static_cast<size_t>(block_)];
  if (op == gradientBlock) {
    block.computesGradients = argument(0).at("as_bool").boolean();
  } else {
    block.isAutocast = argument(2).at("as_bool").boolean();
    block.autocastDtype.reset();
    if (argument(1).has("as_scalar_type"))
      block.autocastDtype = static_cast<int>(argument(1).at("as_scalar_type").integer(1, 255));
    if (block.autocastDtype) exportedBytes(*block.autocastDtype);
  }
  const size_t given = settings(op) + 1;
  const JsonView graph = argument(given - 1).at("as_graph").at("graph");
  const std::vector<JsonView> formals = graph.at("inputs").items();
  if (formals.size() != inputs.size() - given)
    node.refuse(fmt::format("gives {} values to a graph of {}", inputs.size() - given, formals.size()));
  std::map<std::string, int> known;
  for (size_t i = 0; i < formals.size(); ++i) {
    const auto [kind, formal] = formals[i].only();
    const Argument value = readArgument(argument(given + i));
    if (value.kind != Kind::Value) formals[i].unsupported("is a constant, the input of a block");
    const JsonView name = formal.at(kind == "as_tensor" ? "name" : "as_name");
    if (!known.emplace(name.text(), static_cast<int>(value.integer)).second) name.refuse("is an input for the second time");
  }
  const int outer = std::exchange(block_, static_cast<int>(program_.blocks.size()));
  program_.blocks.push_back(block);
  std::swap(valueOf_, known);
  auto meta = std::exchange(meta_, {});
  readMeta(graph.at("tensor_values"));
  for (const JsonView& inner : graph.at("nodes").items()) readNode(inner);
  std::vector<int> made;
  for (const JsonView& result : resultsOf(graph.at("outputs"))) made.push_back(used(result, ExportedProgram::ValueKind::Tensor));
  std::swap(valueOf_, known);
  meta_ = std::move(meta);
  block_ = outer;
  const std::vector<JsonView> results = resultsOf(node.at("outputs"));
  if (results.size() != made.size()) node.refuse(fmt::format("has {} results of a graph of {}", results.size(), made.size()));
  for (size_t i = 0; i < results.size(); ++i)
    if (!valueOf_.emplace(results[i].text(), made[i]).second)
      results[i].refuse(fmt::format("makes {} a second time", shown(results[i].text())));
}

}  // namespace inputs
