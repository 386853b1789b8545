#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <unordered_set>

#include "ir/error.h"
#include "ir/verify/access.h"
#include "ir/verify/verify.h"

namespace ir {
namespace {

constexpr int nobody = -2, outside = -1;  ///< who makes the first value in a storage: a node, an input, or so far none

constexpr std::array reserved{"None", "True", "False", "inf", "nan", "torch", "in", "generator", "return", "writes", "strides"};

template <typename... Args>
void demand(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) fail(ErrorKind::Internal, "graph: {}", fmt::format(text, std::forward<Args>(args)...));
}

/// Follows a graph from its inputs on and knows which values exist so far.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph)
      : graph_(graph), exists_(graph.values.size()), maker_(graph.storages.size(), nobody) {}

  void run() {
    values();
    for (const int input : graph_.inputs) make(input, "an input");
    for (size_t i = 0; i < exists_.size(); ++i)
      demand(exists_[i] || graph_.values[i].role == Role::Input, "{} has a role and is no input", graph_.values[i].name);
    if (graph_.generator) generator(*graph_.generator);
    node_ = 0;
    for (const Node& one : graph_.nodes) {
      node(one);
      ++node_;
    }
    for (const int output : graph_.outputs) use(output, "the graph's outputs");
    for (size_t i = 0; i < exists_.size(); ++i) demand(exists_[i], "nothing makes {}", graph_.values[i].name);
  }

 private:
  void values() const {
    std::unordered_set<std::string> names;
    std::set<std::tuple<int, int64_t, DType, Shape, Strides>> places;
    for (const GraphValue& value : graph_.values) {
      demand(isValueName(value.name), "'{}' is no name of a value", value.name);
      demand(names.insert(value.name).second, "two values are called {}", value.name);
      const std::string mistake = typeMistake(value.type);
      demand(mistake.empty(), "{} {}", value.name, mistake);
      place(value);
      const TensorType& type = value.type;
      demand(value.storage < 0 || places.emplace(value.storage, value.offset, type.dtype, type.sizes, type.strides).second,
             "{} is another name of a value", value.name);
    }
    storages(names);
  }

  /// A value lies in its memory.
  void place(const GraphValue& value) const {
    demand(value.offset >= 0 && (value.offset == 0 || value.storage >= 0), "{} has the offset {}", value.name, value.offset);
    if (value.storage < 0) return;
    demand(value.storage < static_cast<int>(graph_.storages.size()), "{} names storage {} of {}", value.name, value.storage,
           graph_.storages.size());
    const Storage& storage = graph_.storages[value.storage];
    const int64_t room = storage.bytes / sizeOf(value.type.dtype) - value.type.storageElements();
    demand(value.type.numel() == 0 || value.offset <= room, "{} goes beyond the {} bytes of {}", value.name, storage.bytes,
           storage.name);
  }

  /// A storage has a name of its own, or the name of the first of its values, which covers it.
  void storages(const std::unordered_set<std::string>& names) const {
    std::unordered_set<std::string> own;
    std::vector<const GraphValue*> first(graph_.storages.size());
    for (const GraphValue& value : graph_.values) {
      if (value.storage < 0) continue;
      const GraphValue*& one = first[value.storage];
      if (one == nullptr) one = &value;
      demand(one->onHost == value.onHost, "{} lies on the host and on the device", graph_.storages[value.storage].name);
    }
    for (size_t i = 0; i < first.size(); ++i) {
      const Storage& storage = graph_.storages[i];
      demand(isValueName(storage.name), "'{}' is no name of a storage", storage.name);
      demand(own.insert(storage.name).second, "two storages are called {}", storage.name);
      demand(first[i] != nullptr, "nothing lies in {}", storage.name);
      if (!names.contains(storage.name)) continue;
      const TensorType& type = first[i]->type;
      const bool covers = first[i]->offset == 0 && type.storageElements() == storage.bytes / sizeOf(type.dtype) &&
                          storage.bytes % sizeOf(type.dtype) == 0;
      demand(first[i]->name == storage.name && covers, "{} does not cover the storage of its name", storage.name);
    }
  }

  void known(int value, const std::string& place) const {
    demand(value >= 0 && value < static_cast<int>(exists_.size()), "{} names value {} of {}", place, value, exists_.size());
  }
  void make(int value, const std::string& place) {
    known(value, place);
    demand(!exists_[value], "{} makes {} again", place, graph_.values[value].name);
    exists_[value] = true;
    const int storage = graph_.values[value].storage;
    if (storage >= 0 && maker_[storage] == nobody) maker_[storage] = node_;
  }
  void use(int value, const std::string& place) const {
    known(value, place);
    demand(exists_[value], "{} use {}, which is not made yet", place, graph_.values[value].name);
  }

  void generator(int value) {
    make(value, "the generator");
    const TensorType& type = graph_.values[value].type;
    demand(type == TensorType::contiguous(DType::I64, {2}), "the generator is {} where i64[2] belongs", toText(type));
  }

  void node(const Node& node) {
    demand(!node.op.empty(), "a node has no operator");
    demand(node.scope.forward >= -1 && node.scope.forward < node_, "{} is the gradient of node {}", node.op, node.scope.forward);
    demand(node.scope.forward < 0 || node.scope.phase == Phase::Backward, "{} is a gradient outside of a backward pass", node.op);
    const std::string place = "the arguments of " + node.op;
    std::unordered_set<std::string> names;
    std::unordered_set<int> used;
    for (const NamedArgument& arg : node.args) {
      demand(isWord(arg.name), "{} have the name '{}'", place, arg.name);
      demand(names.insert(arg.name).second, "{} have {} twice", place, arg.name);
      argument(arg.value, place, used);
    }
    for (const int value : node.writes) {
      known(value, node.op);
      demand(used.contains(value), "{} writes {}, which is no argument", node.op, graph_.values[value].name);
    }
    for (const int value : node.outputs) output(value, node, used);
  }

  /// What a node hands back is new, or one of its arguments, or another view of their memory. Memory that others lie in is some
  /// argument's, too.
  void output(int value, const Node& node, const std::unordered_set<int>& used) {
    known(value, node.op);
    const int storage = graph_.values[value].storage;
    const bool isTheirs = used.contains(value) || (storage >= 0 && std::any_of(used.begin(), used.end(), [&](int argument) {
                                                     return graph_.values[argument].storage == storage;
                                                   }));
    if (exists_[value] && isTheirs) return;
    make(value, node.op);
    demand(isTheirs || storage < 0 || maker_[storage] == node_, "{} makes {} in memory that is no argument's", node.op,
           graph_.values[value].name);
  }

  void argument(const Argument& argument, const std::string& place, std::unordered_set<int>& used) const {
    demand(!argument.is<TensorType>(), "{} hold a type where a value belongs", place);
    if (const auto* list = argument.as<List>())
      for (const Argument& item : list->items) this->argument(item, place, used);
    if (const auto* value = argument.as<ValueRef>()) {
      use(value->index, place);
      used.insert(value->index);
    }
  }

  const Graph& graph_;
  std::vector<bool> exists_;
  std::vector<int> maker_;  ///< by storage
  int node_ = outside;      ///< at hand
};

}  // namespace

void verify(const Graph& graph) { GraphVerifier(graph).run(); }

bool isValueName(const std::string& name) {
  return isWord(name) && !dtypeFromName(name) && std::find(reserved.begin(), reserved.end(), name) == reserved.end();
}

}  // namespace ir
