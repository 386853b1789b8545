#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "ir/error.h"
#include "ir/verify/access.h"
#include "ir/verify/verify.h"

namespace ir {
namespace {

constexpr std::array reserved{"None", "True", "False", "inf", "nan", "torch", "in", "generator", "return", "writes", "strides"};

/// Whether a value of this name reads back as that value.
bool isValueName(const std::string& name) {
  return isWord(name) && !dtypeFromName(name) && std::find(reserved.begin(), reserved.end(), name) == reserved.end();
}

template <typename... Args>
void demand(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) fail(ErrorKind::Internal, "graph: {}", fmt::format(text, std::forward<Args>(args)...));
}

/// Follows a graph from its inputs on and knows which values exist so far.
class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph) : graph_(graph), exists_(graph.values.size()) {}

  void run() {
    values();
    for (const int input : graph_.inputs) make(input, "an input");
    if (graph_.generator) generator(*graph_.generator);
    for (const Node& one : graph_.nodes) node(one);
    for (const int output : graph_.outputs) use(output, "the graph's outputs");
    for (size_t i = 0; i < exists_.size(); ++i) demand(exists_[i], "nothing makes {}", graph_.values[i].name);
  }

 private:
  void values() const {
    std::unordered_set<std::string> names;
    for (const GraphValue& value : graph_.values) {
      demand(isValueName(value.name), "'{}' is no name of a value", value.name);
      demand(names.insert(value.name).second, "two values are called {}", value.name);
      const std::string mistake = typeMistake(value.type);
      demand(mistake.empty(), "{} {}", value.name, mistake);
    }
  }

  void known(int value, const std::string& place) const {
    demand(value >= 0 && value < static_cast<int>(exists_.size()), "{} names value {} of {}", place, value, exists_.size());
  }
  void make(int value, const std::string& place) {
    known(value, place);
    demand(!exists_[value], "{} makes {} again", place, graph_.values[value].name);
    exists_[value] = true;
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
    for (const int value : node.outputs)
      if (std::find(node.writes.begin(), node.writes.end(), value) == node.writes.end()) make(value, node.op);
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
};

}  // namespace

void verify(const Graph& graph) { GraphVerifier(graph).run(); }

}  // namespace ir
