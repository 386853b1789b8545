#include "inputs/region.h"

#include <algorithm>
#include <unordered_set>

#include "inputs/operator_name.h"
#include "inputs/text/scanner.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

namespace inputs {
namespace {

constexpr std::string_view graphKeyword = "graph";

/// Turns errors of the graph's reader and verifier into Input errors: the text is a user's. The verifier takes what it refuses
/// for a mistake of opbench's.
template <typename F>
void asInput(const std::string& op, const F& action) {
  try {
    action();
  } catch (const ir::Error& error) {
    ir::fail(ir::ErrorKind::Input, "{}: {}", op, error.what());
  }
}

class RegionCheck {
 public:
  RegionCheck(const Sample& sample, const ir::Graph& graph) : op_(sample.op), graph_(graph) {
    demand(!graph.generator, "it draws random numbers");
    demand(!graph.nodes.empty() && graph.nodes.size() <= mostRegionNodes, "it has {} calls, not 1 to {}", graph.nodes.size(),
           mostRegionNodes);
    values();
    for (const ir::Node& node : graph.nodes) {
      demand(node.scope == ir::Scope{}, "{} has a scope", node.op);
      demand(isCall(node.op), "{} is no call", node.op);
      if (const auto refusal = refusalOf(node.op)) demand(false, "{}", *refusal);
    }
    writes();
    outputs();
    arguments(sample);
  }

 private:
  template <typename... Args>
  void demand(bool holds, fmt::format_string<Args...> text, Args&&... args) const {
    if (!holds) ir::fail(ir::ErrorKind::Input, "{}: {}", op_, fmt::format(text, std::forward<Args>(args)...));
  }

  void values() const {
    for (const ir::GraphValue& value : graph_.values) {
      demand(value.role == ir::Role::Input, "{} is a {}, not an input", value.name, ir::name(value.role));
      demand(!value.onHost, "{} lies on the host", value.name);
    }
    for (const ir::Storage& storage : graph_.storages) {
      const auto isCover = [&](const ir::GraphValue& value) { return value.name == storage.name; };
      demand(std::any_of(graph_.values.begin(), graph_.values.end(), isCover), "no value covers {}", storage.name);
    }
    for (const int input : graph_.inputs) {
      const ir::GraphValue& value = graph_.values[static_cast<size_t>(input)];
      const bool isOwn = value.storage < 0 || graph_.storages[static_cast<size_t>(value.storage)].name == value.name;
      demand(isOwn, "the input {} lies in the memory of another one", value.name);
    }
  }

  /// What is written of an input is put back by it alone: a call has to write the input itself.
  void writes() const {
    std::unordered_set<int> written;
    for (const ir::Node& node : graph_.nodes) written.insert(node.writes.begin(), node.writes.end());
    for (const int value : written) {
      const ir::GraphValue& view = graph_.values[static_cast<size_t>(value)];
      for (const int input : graph_.inputs) {
        const ir::GraphValue& whole = graph_.values[static_cast<size_t>(input)];
        const bool isPart = input != value && view.storage >= 0 && view.storage == whole.storage && !written.contains(input);
        demand(!isPart, "it writes {}, a view of its input {}", view.name, whole.name);
      }
    }
  }

  void outputs() const {
    std::unordered_set<int> computed, handedBack;
    for (const ir::Node& node : graph_.nodes) computed.insert(node.outputs.begin(), node.outputs.end());
    for (const ir::Node& node : graph_.nodes) computed.insert(node.writes.begin(), node.writes.end());
    demand(!graph_.outputs.empty(), "it hands nothing back");
    for (const int output : graph_.outputs) {
      const std::string& name = graph_.values[static_cast<size_t>(output)].name;
      demand(computed.contains(output), "it hands back {}, which no call makes or writes", name);
      demand(handedBack.insert(output).second, "it hands {} back twice", name);
    }
  }

  void arguments(const Sample& sample) const {
    demand(sample.kwargs.size() == 1, "it has other keyword arguments than {}", graphKeyword);
    bool fits = sample.args.size() == graph_.inputs.size();
    for (size_t i = 0; fits && i < sample.args.size(); ++i)
      fits = sample.args[i] == ir::Argument(graph_.values[static_cast<size_t>(graph_.inputs[i])].type);
    demand(fits, "its arguments are not the inputs of its graph");
  }

  const std::string& op_;
  const ir::Graph& graph_;
};

}  // namespace

Sample regionSample(const ir::Graph& region, const std::string& name) {
  Sample sample;
  sample.op = "region." + name;
  for (const int input : region.inputs) sample.args.emplace_back(region.values[static_cast<size_t>(input)].type);
  sample.kwargs.push_back({std::string(graphKeyword), ir::Argument(ir::toText(region))});
  sample.recorded = toText(sample);
  return sample;
}

ir::Graph regionOf(const Sample& sample) {
  const auto isGraph = [](const ir::NamedArgument& argument) { return argument.name == graphKeyword; };
  const auto found = std::find_if(sample.kwargs.begin(), sample.kwargs.end(), isGraph);
  const std::string* text = found == sample.kwargs.end() ? nullptr : found->value.as<std::string>();
  if (text == nullptr) ir::fail(ir::ErrorKind::Input, "{}: it has no keyword argument '{}' with a text", sample.op, graphKeyword);
  ir::Graph graph;
  asInput(sample.op, [&] {
    graph = ir::parseGraph(*text);
    ir::verify(graph);
  });
  RegionCheck(sample, graph);
  return graph;
}

Sample convertRegion(const Sample& sample, ir::DType (*convert)(ir::DType, ir::DType), ir::DType target) {
  ir::Graph graph = regionOf(sample);
  for (ir::GraphValue& value : graph.values) {
    const int64_t before = ir::sizeOf(value.type.dtype);
    value.type.dtype = convert(value.type.dtype, target);
    if (value.storage < 0) continue;
    ir::Storage& storage = graph.storages[static_cast<size_t>(value.storage)];
    if (storage.name != value.name) continue;
    if (__builtin_mul_overflow(storage.bytes / before, ir::sizeOf(value.type.dtype), &storage.bytes))
      ir::fail(ir::ErrorKind::Input, "{}: {} has 2^63 bytes or more", sample.op, value.name);
  }
  for (ir::Node& node : graph.nodes)
    for (ir::NamedArgument& argument : node.args) {
      if (auto* dtype = std::get_if<ir::DType>(&argument.value.data)) *dtype = convert(*dtype, target);
      if (argument.name == "half_to_float" && target != ir::DType::F16) argument.value = ir::Argument(false);
    }
  Sample converted = regionSample(graph, sample.op.substr(sample.op.find('.') + 1));
  converted.recorded = sample.recorded;
  converted.count = sample.count;
  converted.suite = sample.suite;
  converted.where = sample.where;
  asInput(sample.op, [&] { ir::verify(graph); });
  return converted;
}

}  // namespace inputs
