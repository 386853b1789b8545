#include "lowering/graph/relayout.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/verify/verify.h"
#include "lowering/graph/renumber.h"

namespace lowering {
namespace {

ir::Node cloneOf(int from, int to, const ir::Scope& scope) {
  return {"aten.clone.default", {{"self", ir::ValueRef{from}}, {"memory_format", ir::None{}}}, {to}, {}, scope};
}

}  // namespace

Relayout::Relayout(const ir::Graph& graph) : graph_(graph), flow_(graph), result_(graph) {
  for (size_t value = 0; value < graph.values.size(); ++value)
    values_[flow_.memoryOf(static_cast<int>(value))].push_back(static_cast<int>(value));
}

std::optional<int> Relayout::baseOf(int memory) const {
  for (const int value : values_.at(memory)) {
    const ir::GraphValue& one = valueOf(value);
    const int maker = flow_.makerOf(value);
    const bool isFirst = maker < 0 ? std::count(graph_.inputs.begin(), graph_.inputs.end(), value) > 0 : !flow_[maker].isView;
    if (!isFirst) continue;
    const int64_t bytes = one.type.numel() * ir::sizeOf(one.type.dtype);
    const bool isAll = one.storage < 0 || graph_.storages[static_cast<size_t>(one.storage)].bytes == bytes;
    if (one.onHost || one.offset != 0 || !one.type.isContiguous() || !isAll) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

std::set<int> Relayout::usersOf(int memory) const {
  const std::vector<int>& known = flow_.usersOf(memory);
  std::set<int> users(known.begin(), known.end());
  for (const int value : values_.at(memory))
    if (const int maker = flow_.makerOf(value); maker >= 0 && !flow_[maker].isView) users.insert(maker);
  return users;
}

bool Relayout::fits(int memory, const MemoryLayout& layout) const {
  const std::vector<int>& values = values_.at(memory);
  return std::all_of(values.begin(), values.end(), [&](int value) {
    const int maker = flow_.makerOf(value);
    return layout.place(valueOf(value)) && (maker < 0 || nodeOf(maker).op != "aten.as_strided.default");
  });
}

bool Relayout::isFree(int memory, const Takes& takes) const {
  const std::optional<int> base = baseOf(memory);
  if (!base || flow_.outlives(memory) || flow_.makerOf(*base) < 0) return false;
  const std::set<int> users = usersOf(memory);
  return std::all_of(users.begin(), users.end(), [&](int user) { return takes(nodeOf(user)); });
}

bool Relayout::isWrittenOnce(int memory) const {
  const std::set<int> users = usersOf(memory);
  return std::none_of(users.begin(), users.end(), [&](int user) {
    const std::vector<int>& writes = flow_[user].writes;
    return std::count(writes.begin(), writes.end(), memory) > 0;
  });
}

void Relayout::change(int memory, const MemoryLayout& layout) {
  isChanged_ = true;
  int64_t bytes = 0;
  for (const int value : values_.at(memory)) {
    ir::GraphValue& one = result_.values[static_cast<size_t>(value)];
    one = *layout.place(valueOf(value));
    bytes = std::max(bytes, (one.offset + one.type.storageElements()) * ir::sizeOf(one.type.dtype));
  }
  if (memory < static_cast<int>(graph_.storages.size())) result_.storages[static_cast<size_t>(memory)].bytes = bytes;
}

void Relayout::copy(int memory, MemoryLayoutPtr layout, Takes users) {
  isChanged_ = true;
  const int base = *baseOf(memory);
  Copy& copy =
      copies_.emplace_back(Copy{memory, base, std::move(layout), std::move(users), static_cast<int>(result_.storages.size())});
  const ir::GraphValue& value = result_.values[static_cast<size_t>(addValue(base, copy))];
  result_.storages.push_back({value.name, value.type.storageElements() * ir::sizeOf(value.type.dtype)});
}

int Relayout::addValue(int value, Copy& copy) {
  ir::GraphValue one = *copy.layout->place(valueOf(value));
  one.name = fmt::format("{}_copy", one.name);
  one.role = ir::Role::Input;
  one.storage = copy.storage;
  result_.values.push_back(std::move(one));
  return copy.values[value] = static_cast<int>(result_.values.size()) - 1;
}

void Relayout::add(ir::Node node, int origin) {
  if (origin >= 0) places_.push_back(static_cast<int>(result_.nodes.size()));
  result_.nodes.push_back(std::move(node));
}

void Relayout::readCopy(ir::Node& node, Copy& copy) {
  for (ir::NamedArgument& argument : node.args) {
    auto* value = std::get_if<ir::ValueRef>(&argument.value.data);
    if (value == nullptr || value->index >= static_cast<int>(graph_.values.size()) || flow_.memoryOf(value->index) != copy.memory)
      continue;
    if (!copy.isMade) {
      copy.isMade = true;
      add(cloneOf(copy.base, copy.values.at(copy.base), node.scope), -1);
    }
    value->index = viewOn(value->index, copy, node.scope);
  }
}

/// The value of a copy that shows what a value shows, through the same views.
int Relayout::viewOn(int value, Copy& copy, const ir::Scope& scope) {
  if (const auto found = copy.values.find(value); found != copy.values.end()) return found->second;
  ir::Node view = nodeOf(flow_.makerOf(value));
  for (ir::NamedArgument& argument : view.args)
    if (auto* from = std::get_if<ir::ValueRef>(&argument.value.data)) from->index = viewOn(from->index, copy, scope);
  for (int& output : view.outputs) output = copy.values.contains(output) ? copy.values.at(output) : addValue(output, copy);
  view.scope = scope;
  view.scope.forward = -1;
  add(std::move(view), -1);
  return copy.values.at(value);
}

ir::Graph Relayout::result() {
  if (!isChanged_) return graph_;
  result_.nodes.clear();
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    ir::Node node = graph_.nodes[i];
    std::vector<ir::Node> after;
    for (Copy& copy : copies_) {
      if (!copy.users(graph_.nodes[i])) continue;
      readCopy(node, copy);
      const auto made = std::find(node.outputs.begin(), node.outputs.end(), copy.base);
      if (made == node.outputs.end() || flow_[static_cast<int>(i)].isView) continue;
      copy.isMade = true;
      *made = copy.values.at(copy.base);
      after.push_back(cloneOf(*made, copy.base, graph_.nodes[i].scope));
    }
    add(std::move(node), static_cast<int>(i));
    for (ir::Node& clone : after) add(std::move(clone), -1);
  }
  renumberForward(result_.nodes, places_);
  ir::Graph graph = ir::numbered(std::move(result_));
  ir::verify(graph);
  return graph;
}

}  // namespace lowering
