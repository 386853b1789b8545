#include "lowering/graph/rewritten.h"

#include <string>
#include <utility>

#include "lowering/graph/list_of.h"
#include "lowering/graph/renumber.h"

namespace lowering {

void Rewritten::endCall(int call) {
  const auto at = static_cast<size_t>(call);
  if (places_.size() <= at) places_.resize(at + 1, -1);
  places_[at] = static_cast<int>(result_.nodes.size()) - 1;
  nextCall_ = call + 1;
}

int Rewritten::likeOf(int value, std::string_view ending) {
  return newValue(valueOf(value).name + std::string(ending), valueOf(value).type);
}

int Rewritten::newValue(std::string name, ir::TensorType type) {
  ir::GraphValue made;
  made.name = std::move(name);
  made.type = std::move(type);
  return addValue(std::move(made));
}

int Rewritten::partOf(int value, std::string name, ir::TensorType type, int64_t offset) {
  ir::GraphValue part = valueOf(shared(value));
  part.name = std::move(name);
  part.role = ir::Role::Input;
  part.type = std::move(type);
  part.offset += offset;
  return addValue(std::move(part));
}

int Rewritten::viewOf(int value, const std::vector<int64_t>& sizes, const ir::Scope& scope) {
  if (valueOf(value).type.sizes == sizes) return value;
  const int made = partOf(value, valueOf(value).name + "_view", ir::TensorType::contiguous(valueOf(value).type.dtype, sizes), 0);
  add({"aten.view.default", {{"self", ir::ValueRef{value}}, {"size", listOf(sizes)}}, {made}, {}, scope});
  return made;
}

void Rewritten::place(int value, int in, const ir::GraphValue& placed, int64_t offset) {
  const int storage = valueOf(shared(in)).storage;
  ir::GraphValue& moved = result_.values[static_cast<size_t>(value)];
  moved = placed;
  moved.storage = storage;
  moved.offset += offset;
}

ir::Graph Rewritten::result() {
  renumberForward(result_.nodes, places_);
  return ir::numbered(std::move(result_));
}

int Rewritten::addValue(ir::GraphValue value) {
  result_.values.push_back(std::move(value));
  return static_cast<int>(result_.values.size()) - 1;
}

int Rewritten::shared(int value) {
  ir::GraphValue& one = result_.values[static_cast<size_t>(value)];
  if (one.storage < 0) {
    one.storage = static_cast<int>(result_.storages.size());
    result_.storages.push_back({one.name, one.type.storageElements() * static_cast<int64_t>(ir::sizeOf(one.type.dtype))});
  }
  return value;
}

}  // namespace lowering
