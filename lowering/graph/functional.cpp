#include "lowering/graph/functional.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "ir/memories.h"
#include "ir/verify/verify.h"
#include "lowering/graph/fills.h"
#include "lowering/graph/list_of.h"
#include "lowering/graph/renumber.h"
#include "lowering/partition/data_flow.h"
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// `aten.add.Tensor` for `aten.add_.Tensor`; empty for an operator that does not write in place.
std::string functionalName(const std::string& op) {
  const size_t first = op.find('.');
  const size_t second = first == std::string::npos ? first : op.find('.', first + 1);
  if (second == std::string::npos || op[second - 1] != '_' || op[second - 2] == '_') return "";
  return op.substr(0, second - 1) + op.substr(second);
}

/// Whether an operator's results are bools, whatever its arguments are.
bool givesBools(const std::string& op) {
  constexpr std::array comparisons{"eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor", "logical_not"};
  return std::any_of(comparisons.begin(), comparisons.end(),
                     [&](const char* name) { return op.starts_with(fmt::format("aten.{}.", name)); });
}

/// Whether every element of a type's memory is one of its elements.
bool isDense(const ir::TensorType& type) {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride and extent
  for (size_t dim = 0; dim < type.sizes.size(); ++dim)
    if (type.sizes[dim] != 1) dims.emplace_back(type.strides[dim], type.sizes[dim]);
  std::sort(dims.begin(), dims.end());
  int64_t inner = 1;
  for (const auto& [stride, extent] : dims) {
    if (stride != inner) return false;
    inner *= extent;
  }
  return inner > 0;
}

/// The numbers of the dims of `from` that make it `to` as arguments of aten.permute; none where these types are no permutation of
/// each other.
std::optional<ir::List> permutation(const ir::TensorType& from, const ir::TensorType& to) {
  if (from.sizes.size() != to.sizes.size()) return std::nullopt;
  ir::List dims;
  std::vector<bool> isTaken(from.sizes.size(), false);
  for (size_t dim = 0; dim < to.sizes.size(); ++dim) {
    size_t source = 0;
    while (source < from.sizes.size() &&
           (isTaken[source] || from.sizes[source] != to.sizes[dim] || from.strides[source] != to.strides[dim]))
      ++source;
    if (source == from.sizes.size()) return std::nullopt;
    isTaken[source] = true;
    dims.items.emplace_back(static_cast<int64_t>(source));
  }
  return dims;
}

class Functionalizer {
 public:
  Functionalizer(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& keeps)
      : graph_(graph),
        keeps_(keeps),
        flow_(graph),
        result_(graph),
        versions_(graph.storages.size() + graph.values.size()),
        exists_(graph.values.size(), false),
        fills_(fillsOf(graph, flow_, keeps)) {
    result_.nodes.clear();
    for (const ir::GraphValue& value : graph.values) names_.insert(value.name);
    for (const ir::Storage& storage : graph.storages) names_.insert(storage.name);
    for (const int input : graph.inputs) {
      exists_[static_cast<size_t>(input)] = true;
      inputsIn_[flow_.memoryOf(input)].push_back(input);
    }
    if (graph.generator) exists_[static_cast<size_t>(*graph.generator)] = true;
  }

  ir::Graph run() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) add(static_cast<int>(i));
    for (int& output : result_.outputs)
      if (std::find(graph_.inputs.begin(), graph_.inputs.end(), output) == graph_.inputs.end()) output = now(output, {});
    finish();
    ir::Graph graph = ir::numbered(std::move(result_));
    ir::verify(graph);
    return graph;
  }

 private:
  /// What lies in a memory of the graph after it was written anew.
  struct Version {
    bool isNew = false;
    int storage = -1;           ///< of the result's
    std::map<int, int> values;  ///< of the result's, by the graph's
    size_t after = 0;           ///< the number of calls up to the last write, where it has to get back to an input
    std::optional<int> cover;   ///< the result's value that was made last, of all of the memory
  };

  Version& versionOf(int value) { return versions_[static_cast<size_t>(flow_.memoryOf(value))]; }
  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }
  ir::Node& append(ir::Node node, int origin) {
    origins_.push_back(origin);
    return result_.nodes.emplace_back(std::move(node));
  }

  void add(int number) {
    const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
    if (const Fill* fill = fillAt(number)) {
      if (number == fill->copies.back()) makeFilled(*fill, node.scope);
      return;
    }
    if (const auto form = functionalForm(node)) return makeNew(node, number, *form);
    const bool isKnown = std::all_of(node.outputs.begin(), node.outputs.end(), [&](int value) { return isThere(value); });
    if (flow_[number].isView && isKnown) return;
    ir::Node copy = inResult(node, node.scope);
    for (int& value : copy.writes) value = now(value, node.scope);
    for (int& value : copy.outputs) value = isThere(value) ? now(value, node.scope) : made(value);
    append(std::move(copy), number);
    for (const int value : node.writes) versionOf(value).after = result_.nodes.size();
  }

  /// The value's number in the result if it is there: in the memory as it is now.
  bool isThere(int value) {
    const Version& version = versionOf(value);
    return version.isNew ? version.values.contains(value) : exists_[static_cast<size_t>(value)];
  }

  /// A value of the result that a call is about to make: the graph's, or in new memory one like it.
  int made(int value) {
    Version& version = versionOf(value);
    exists_[static_cast<size_t>(value)] = true;
    if (!version.isNew) return value;
    return version.values[value] = addValue(value, version.storage);
  }

  int addValue(int value, int storage) {
    ir::GraphValue one = valueOf(value);
    one.name = freshName(one.name);
    one.role = ir::Role::Input;
    one.storage = storage;
    result_.values.push_back(std::move(one));
    return static_cast<int>(result_.values.size()) - 1;
  }

  std::string freshName(const std::string& name) {
    for (int i = 1;; ++i)
      if (std::string fresh = fmt::format("{}_{}", name, i); names_.insert(fresh).second) return fresh;
  }

  ir::Node inResult(const ir::Node& node, const ir::Scope& scope) {
    ir::Node copy = node;
    for (ir::NamedArgument& argument : copy.args) rename(argument.value, scope);
    copy.scope = scope;
    return copy;
  }
  void rename(ir::Argument& argument, const ir::Scope& scope) {
    if (auto* value = std::get_if<ir::ValueRef>(&argument.data)) value->index = now(value->index, scope);
    if (auto* list = std::get_if<ir::List>(&argument.data))
      for (ir::Argument& item : list->items) rename(item, scope);
  }

  /// The result's value that shows what `value` shows now. Views of new memory are made where they are first asked for.
  int now(int value, const ir::Scope& scope) {
    Version& version = versionOf(value);
    if (!version.isNew) return value;
    if (const auto found = version.values.find(value); found != version.values.end()) return found->second;
    const int maker = flow_.makerOf(value);
    if (maker < 0 || !flow_[maker].isView) return showAll(value, version, scope);
    const ir::Node& view = graph_.nodes[static_cast<size_t>(maker)];
    ir::Node again = inResult(view, scope);
    for (int& output : again.outputs) output = isThere(output) ? now(output, scope) : made(output);
    append(std::move(again), -1);
    return version.values.at(value);
  }

  /// A view of all of a new memory with the sizes and strides of a value.
  int showAll(int value, Version& version, const ir::Scope& scope) {
    const ir::TensorType& from = result_.values[static_cast<size_t>(*version.cover)].type;
    const ir::TensorType& to = valueOf(value).type;
    const ir::NamedArgument self{"self", ir::ValueRef{*version.cover}};
    ir::Node node{"aten.as_strided.default",
                  {self, {"size", listOf(to.sizes)}, {"stride", listOf(to.strides)}, {"storage_offset", int64_t{0}}},
                  {},
                  {},
                  scope};
    if (from.isContiguous() && to == ir::TensorType::contiguous(to.dtype, to.sizes))
      node = {"aten.view.default", {self, {"size", listOf(to.sizes)}}, {}, {}, scope};
    else if (const auto dims = permutation(from, to))
      node = {"aten.permute.default", {self, {"dims", *dims}}, {}, {}, scope};
    node.outputs = {made(value)};
    append(std::move(node), -1);
    return version.values.at(value);
  }

  /// The operator that makes what a call writes, where the call is to make a new memory.
  std::optional<std::string> functionalForm(const ir::Node& node) {
    std::string op = functionalName(node.op);
    if (op.empty() || node.writes.size() != 1 || node.outputs != node.writes || keeps_(node)) return std::nullopt;
    if (givesBools(op) || !hasLowering(op) || node.find("index") != nullptr || node.find("indices") != nullptr)
      return std::nullopt;
    const ir::GraphValue& written = valueOf(node.writes.front());
    const auto isOther = [&](int value) { return !isPromotedTo(valueOf(value).type, written.type); };
    const std::vector<int> arguments = valuesOf(node);
    const bool casts = op.starts_with("aten.copy.");
    if (!casts && std::any_of(arguments.begin(), arguments.end(), isOther)) return std::nullopt;
    if (!coversItsMemory(node.writes.front()) || written.onHost) return std::nullopt;
    const std::vector<int>& inputs = inputsAt(node.writes.front());
    if (inputs.size() > 1 || (inputs.size() == 1 && !coversItsMemory(inputs.front()))) return std::nullopt;
    return op;
  }

  /// Whether a call of tensors of these types gives the second one's dtype: numbers in tensors do not promote what has dims.
  static bool isPromotedTo(const ir::TensorType& type, const ir::TensorType& result) {
    return type.dtype == result.dtype ||
           (ir::isFloating(result.dtype) && !ir::isFloating(type.dtype) && !ir::isComplex(type.dtype));
  }

  bool coversItsMemory(int value) const { return ir::covers(graph_, value) && isDense(valueOf(value).type); }

  /// The inputs that lie in the memory of a value.
  const std::vector<int>& inputsAt(int value) const {
    static const std::vector<int> none;
    const auto found = inputsIn_.find(flow_.memoryOf(value));
    return found == inputsIn_.end() ? none : found->second;
  }

  const Fill* fillAt(int number) const {
    const auto has = [number](const Fill& fill) { return std::binary_search(fill.copies.begin(), fill.copies.end(), number); };
    const auto found = std::find_if(fills_.begin(), fills_.end(), has);
    return found == fills_.end() ? nullptr : &*found;
  }

  /// The parts beside each other as a new memory.
  void makeFilled(const Fill& fill, const ir::Scope& scope) {
    ir::List parts;
    for (const auto& [_, source] : fill.sources) parts.items.emplace_back(ir::ValueRef{now(source, scope)});
    ir::Node made{"aten.cat.default", {{"tensors", parts}, {"dim", static_cast<int64_t>(fill.dim)}}, {}, {}, scope};
    made.outputs = {begin(fill.whole)};
    append(std::move(made), fill.copies.back());
    versionOf(fill.whole).after = result_.nodes.size();
  }

  void makeNew(const ir::Node& node, int number, const std::string& op) {
    const int written = node.writes.front();
    ir::Node made = inResult(node, node.scope);
    made.op = op;
    made.writes.clear();
    made.outputs = {begin(written)};
    append(std::move(made), number);
    for (const int input : inputsAt(written)) now(input, node.scope);
    versionOf(written).after = result_.nodes.size();
  }

  /// Begins a new memory, which a value of the result covers: the one that it returns.
  int begin(int written) {
    Version& version = versionOf(written);
    version = {};
    version.isNew = true;
    const int fresh = addValue(written, -1);
    if (valueOf(written).storage >= 0) {
      version.storage = static_cast<int>(result_.storages.size());
      result_.storages.push_back({result_.values[static_cast<size_t>(fresh)].name,
                                  graph_.storages[static_cast<size_t>(valueOf(written).storage)].bytes});
      result_.values[static_cast<size_t>(fresh)].storage = version.storage;
    }
    version.values[written] = fresh;
    version.cover = fresh;
    return fresh;
  }

  /// Adds a copy into each input that was written, behind the call that makes its last value. `Scope::forward` has numbers of the
  /// graph's calls before, and of the result's after.
  void finish() {
    std::vector<std::vector<ir::Node>> after(result_.nodes.size() + 1);
    for (const int input : graph_.inputs) {
      const Version& version = versionOf(input);
      if (!version.isNew) continue;
      ir::Scope scope = result_.nodes.at(version.after - 1).scope;
      scope.forward = -1;
      after[version.after].push_back(
          {"aten.copy_.default",
           {{"self", ir::ValueRef{input}}, {"src", ir::ValueRef{version.values.at(input)}}, {"non_blocking", false}},
           {input},
           {input},
           std::move(scope)});
    }
    std::vector<int> places(graph_.nodes.size(), -1);
    std::vector<ir::Node> nodes;
    for (size_t i = 0; i <= result_.nodes.size(); ++i) {
      for (ir::Node& copy : after[i]) nodes.push_back(std::move(copy));
      if (i == result_.nodes.size()) break;
      if (origins_[i] >= 0) places[static_cast<size_t>(origins_[i])] = static_cast<int>(nodes.size());
      nodes.push_back(std::move(result_.nodes[i]));
    }
    renumberForward(nodes, places);
    result_.nodes = std::move(nodes);
  }

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& keeps_;
  const DataFlow flow_;
  ir::Graph result_;
  std::map<int, std::vector<int>> inputsIn_;  ///< by memory of the graph
  std::vector<Version> versions_;             ///< by memory of the graph
  std::vector<bool> exists_;                  ///< by value of the graph: whether the result has made it
  std::vector<int> origins_;  ///< by call of the result: the graph's that it stands for; -1 for views that were made again
  std::unordered_set<std::string> names_;
  const std::vector<Fill> fills_;
};

}  // namespace

ir::Graph functional(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& keeps) {
  return Functionalizer(graph, keeps).run();
}

}  // namespace lowering
