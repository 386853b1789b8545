#include "ir/graph.h"

#include <array>
#include <utility>

namespace ir {
namespace {

constexpr std::array<std::string_view, 5> roles{"in", "parameter", "buffer", "state", "constant"};

/// Gives numbers anew.
class Numbering {
 public:
  explicit Numbering(Graph graph)
      : old_(std::move(graph)), values_(old_.values.size(), -1), storages_(old_.storages.size(), -1) {}

  Graph run() {
    for (int& input : old_.inputs) input = of(input);
    if (old_.generator) old_.generator = of(*old_.generator);
    for (Node& node : old_.nodes) {
      for (NamedArgument& argument : node.args) renumber(argument.value);
      for (std::vector<int>* each : {&node.outputs, &node.writes})
        for (int& value : *each) value = of(value);
    }
    for (int& output : old_.outputs) output = of(output);
    for (GraphValue& value : made_)
      if (value.storage >= 0) value.storage = storages_[static_cast<size_t>(value.storage)];
    old_.values = std::move(made_);
    old_.storages = std::move(shared_);
    return std::move(old_);
  }

 private:
  int of(int value) {
    int& number = values_.at(static_cast<size_t>(value));
    if (number >= 0) return number;
    number = static_cast<int>(made_.size());
    made_.push_back(std::move(old_.values[static_cast<size_t>(value)]));
    share(made_.back());
    return number;
  }

  /// A value that covers a storage does not share it yet.
  void share(const GraphValue& value) {
    if (value.storage < 0) return;
    int& number = storages_.at(static_cast<size_t>(value.storage));
    Storage& storage = old_.storages[static_cast<size_t>(value.storage)];
    if (number >= 0 || storage.name == value.name) return;
    number = static_cast<int>(shared_.size());
    shared_.push_back(std::move(storage));
  }

  void renumber(Argument& argument) {
    if (auto* value = std::get_if<ValueRef>(&argument.data)) value->index = of(value->index);
    if (auto* list = std::get_if<List>(&argument.data))
      for (Argument& item : list->items) renumber(item);
  }

  Graph old_;
  std::vector<int> values_, storages_;  ///< by old number
  std::vector<GraphValue> made_;
  std::vector<Storage> shared_;
};

}  // namespace

Graph numbered(Graph graph) { return Numbering(std::move(graph)).run(); }

std::string_view name(Role role) { return roles[static_cast<size_t>(role)]; }

std::optional<Role> roleFromName(std::string_view name) {
  for (size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == name) return static_cast<Role>(i);
  return std::nullopt;
}

const Argument* Node::find(const std::string& name) const {
  for (const NamedArgument& arg : args)
    if (arg.name == name) return &arg.value;
  return nullptr;
}

}  // namespace ir
