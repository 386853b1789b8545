#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "ir/error.h"
#include "ir/text/text.h"
#include "lowering/fusion/realize.h"
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

struct Entry {
  Rule rule;
  std::string place;
};

/// The one static of lowering/: filled by the constructors of Lowering before main, read afterwards. Nothing can be refused
/// before main, so a name that is defined twice is kept twice.
std::multimap<std::string, Entry>& table() {
  static std::multimap<std::string, Entry> rules;
  return rules;
}

/// `lowering/operators/reduction/softmax.cpp:60`, however the compiler was given the file.
std::string placeOf(const std::source_location& where) {
  const std::string_view file = where.file_name();
  const std::size_t folder = file.rfind("lowering/");
  return fmt::format("{}:{}", folder == std::string_view::npos ? file : file.substr(folder), where.line());
}

/// `aten.add_.Tensor` as {`aten::add_`, `Tensor`}.
std::pair<std::string, std::string> packetAndOverload(const std::string& op) {
  const std::size_t first = op.find('.');
  if (first == std::string::npos) return {op, ""};
  const std::size_t second = op.find('.', first + 1);
  const std::string overload = second == std::string::npos ? "default" : op.substr(second + 1);
  return {op.substr(0, first) + "::" + op.substr(first + 1, second - first - 1), overload};
}

const Rule* findRule(const std::string& op) {
  const auto [packet, overload] = packetAndOverload(op);
  std::vector<std::string> candidates{packet + "." + overload, packet};
  const auto addView = [&, &overload = overload](const std::string& view) {
    candidates.push_back(view + "_copy." + overload);
    candidates.push_back(view + "_copy");
  };
  if (packet.ends_with("_") && !packet.ends_with("__")) {
    const std::string functional = packet.substr(0, packet.size() - 1);
    candidates.push_back(functional + "." + overload);
    candidates.push_back(functional);
    addView(functional);
  }
  // A view has the elements that a copy of it has; two have no copies of their own names.
  addView(packet == "aten::_unsafe_view" || packet == "aten::_reshape_alias" ? "aten::view" : packet);
  for (const std::string& name : candidates) {
    if (auto found = table().lower_bound(name); found != table().end() && found->first == name) return &found->second.rule;
  }
  return nullptr;
}

/// A value of the graph that comes from memory; the buffer of its loads is the value's index.
Tensor fromMemory(ir::ExprPool& pool, const ir::Graph& graph, int value) {
  const ir::TensorType type = asReal(graph.values[value].type);
  return {type.dtype, type.sizes, [&pool, type, value](const Index& index) {
            return Value{pool, pool.load(value, type.dtype, offsetOf(pool, type, index).expr())};
          }};
}

void checkAgainstEager(const ir::Node& node, const Tensor& found, const ir::TensorType& eager, bool inPlace) {
  const ir::TensorType expected = asReal(eager);
  ir::require(found.sizes == expected.sizes && (inPlace || found.dtype == expected.dtype),
              "the lowering of {} yields {}, eager {}", node.op, ir::toText(ir::TensorType::contiguous(found.dtype, found.sizes)),
              ir::toText(eager));
}

/// Complex results are written as pairs of reals; complex arithmetic is not.
void refuseComplex(const ir::Graph& graph, const ir::Node& node) {
  const auto refuse = [&](const ir::Argument& argument) {
    const auto* value = argument.as<ir::ValueRef>();
    if (value != nullptr && ir::isComplex(graph.values[value->index].type.dtype))
      ir::fail(ir::ErrorKind::Unsupported, "{} of complex tensors is not lowered", node.op);
  };
  for (const ir::NamedArgument& argument : node.args) {
    refuse(argument.value);
    if (const auto* list = argument.value.as<ir::List>()) std::for_each(list->items.begin(), list->items.end(), refuse);
  }
}

std::string symbol(const std::string& op) {
  std::string text = op;
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return text;
}

/// What a node's rule yields: its outputs, and the arguments that it writes and does not return.
std::vector<int> resultsOf(const ir::Node& node) {
  std::vector<int> results = node.outputs;
  for (int value : node.writes) {
    if (std::find(results.begin(), results.end(), value) == results.end()) results.push_back(value);
  }
  return results;
}

/// Notes what a call yields that is scattered to. Its elements are in memory alone, after the call's loops.
void noteScattered(Lowered& lowered, ir::ExprPool& pool, const ir::Graph& graph, const ir::Node& node, int value, bool inPlace,
                   const Tensor& output) {
  Tensor& known = lowered.values[static_cast<std::size_t>(value)];
  ir::require(!inPlace || output.dtype == known.dtype, "{} scatters to another dtype than it writes", node.op);
  const Index index = newIndex(pool, output.sizes);
  const bool isThere = inPlace && output.at(index).expr() == fromMemory(pool, graph, value).at(index).expr();
  lowered.scattered.push_back({value, output, isThere});
  known = {output.dtype, output.sizes, [op = node.op](const Index&) -> Value {
             ir::fail(ir::ErrorKind::Unsupported, "what {} scatters to is an operand of another call", op);
           }};
}

/// Notes elements that a call yields. They replace any that an earlier call has scattered to the same value.
void noteElements(Lowered& lowered, int value, Tensor elements) {
  std::erase_if(lowered.scattered, [&](const Scattered& earlier) { return earlier.value == value; });
  lowered.values[static_cast<std::size_t>(value)] = std::move(elements);
}

bool isInput(const ir::Graph& graph, int value) {
  return std::find(graph.inputs.begin(), graph.inputs.end(), value) != graph.inputs.end();
}

bool isOutput(const ir::Graph& graph, int value) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), value) != graph.outputs.end();
}

void storeOnce(Lowered& lowered, int value) {
  const bool isKnown = std::find(lowered.stored.begin(), lowered.stored.end(), value) != lowered.stored.end();
  if (!isKnown) lowered.stored.push_back(value);
}

/// Values whose memory was written under another name: their lazy tensors are what was there before.
class Stale {
 public:
  explicit Stale(const ir::Graph& graph)
      : graph_(graph), by_(graph.values.size(), nullptr), isKnown_(graph.values.size(), false) {
    for (const int input : graph.inputs) know(input);
  }

  /// Before a node is lowered. Error: Unsupported where it reads one of them, or writes an input that has another name.
  void check(const ir::Node& node) const {
    for (const ir::NamedArgument& argument : node.args) check(argument.value, node);
    for (const int value : node.writes)
      if (isInput(graph_, value) && hasOtherInput(value))
        ir::fail(ir::ErrorKind::Unsupported, "{} writes {}, in whose memory other inputs lie", node.op, nameOf(value));
  }
  /// After it.
  void note(const ir::Node& node) {
    for (const int value : node.writes)
      for (size_t other = 0; other < by_.size(); ++other)
        if (isKnown_[other] && share(static_cast<int>(other), value)) by_[other] = &node;
    for (const int value : node.outputs) know(value);
  }
  void checkOutputs() const {
    for (const int output : graph_.outputs) refuse(output, "what is handed back");
  }

 private:
  void know(int value) { isKnown_[static_cast<size_t>(value)] = true; }
  const std::string& nameOf(int value) const { return graph_.values[static_cast<size_t>(value)].name; }
  bool share(int a, int b) const {
    const int storage = graph_.values[static_cast<size_t>(a)].storage;
    return a != b && storage >= 0 && storage == graph_.values[static_cast<size_t>(b)].storage;
  }
  bool hasOtherInput(int value) const {
    return std::any_of(graph_.inputs.begin(), graph_.inputs.end(), [&](int input) { return share(input, value); });
  }
  void refuse(int value, std::string_view what) const {
    if (const ir::Node* writer = by_[static_cast<size_t>(value)])
      ir::fail(ir::ErrorKind::Unsupported, "{} is {}, whose memory {} wrote by another name", what, nameOf(value), writer->op);
  }
  void check(const ir::Argument& argument, const ir::Node& node) const {
    if (const auto* value = argument.as<ir::ValueRef>()) refuse(value->index, "an argument of " + node.op);
    if (const auto* list = argument.as<ir::List>())
      for (const ir::Argument& item : list->items) check(item, node);
  }

  const ir::Graph& graph_;
  std::vector<const ir::Node*> by_;  ///< by value: what wrote its memory last, by another name
  std::vector<bool> isKnown_;        ///< by value: whether it is made
};

Lowered lowerNodes(const ir::Graph& graph, ir::Backend backend, const ir::AtenRules& aten, ir::ExprPool& pool,
                   Reductions& reductions) {
  Lowered lowered;
  lowered.values.resize(graph.values.size());
  lowered.intermediates.first = graph.values.size();
  for (int input : graph.inputs) lowered.values[input] = fromMemory(pool, graph, input);
  if (graph.generator) lowered.values[*graph.generator] = fromMemory(pool, graph, *graph.generator);
  Stale stale(graph);
  for (const ir::Node& node : graph.nodes) {
    stale.check(node);
    const Rule* rule = findRule(node.op);
    if (rule == nullptr) ir::fail(ir::ErrorKind::Unsupported, "{} has no lowering", node.op);
    refuseComplex(graph, node);
    Context context(graph, node, backend, aten, pool, lowered.values, reductions, lowered.intermediates);
    const Tensors outputs = (*rule)(context);
    const std::vector<int> results = resultsOf(node);
    ir::require(outputs.size() == results.size(), "the lowering of {} yields {} tensors, eager {}", node.op, outputs.size(),
                results.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int value = results[i];
      const bool inPlace = std::find(node.writes.begin(), node.writes.end(), value) != node.writes.end();
      checkAgainstEager(node, outputs[i], graph.values[value].type, inPlace);
      if (outputs[i].scatter != nullptr)
        noteScattered(lowered, pool, graph, node, value, inPlace, outputs[i]);
      else
        noteElements(lowered, value, cast(outputs[i], asReal(graph.values[value].type).dtype));
      if (inPlace && isOutput(graph, value)) storeOnce(lowered, value);
    }
    stale.note(node);
  }
  stale.checkOutputs();
  for (int output : graph.outputs) storeOnce(lowered, output);
  return lowered;
}

}  // namespace

Lowering::Lowering(const std::string& name, Rule rule, std::source_location where) {
  table().insert({name, Entry{std::move(rule), placeOf(where)}});
}

bool hasLowering(const std::string& op) { return findRule(op) != nullptr; }

std::vector<Registration> registrations() {
  std::vector<Registration> all;
  for (const auto& [name, entry] : table()) all.push_back({name, entry.place});
  return all;
}

std::vector<ir::Loops> lower(const ir::Graph& graph, ir::Backend backend, const ir::AtenRules& aten) {
  const auto pool = std::make_shared<ir::ExprPool>();
  Reductions reductions;
  const Lowered lowered = lowerNodes(graph, backend, aten, *pool, reductions);
  Intermediates intermediates(*pool, reductions, graph.values.size() + lowered.intermediates.tensors.size());
  return realize(graph, symbol(graph.nodes.front().op), pool, lowered, intermediates);
}

}  // namespace lowering
