#include "lowering/graph/fills.h"

#include <algorithm>
#include <optional>

#include "ir/memories.h"

namespace lowering {
namespace {

/// Whether a call gives memory whose contents are undefined.
bool isEmpty(const ir::Node& node) {
  return node.writes.empty() && node.outputs.size() == 1 &&
         (node.op.starts_with("aten.new_empty") || node.op.starts_with("aten.empty"));
}

/// The dimension along which a value is a part of another one, all others whole; nothing where it is no such part.
std::optional<size_t> dimOfPart(const ir::TensorType& part, const ir::TensorType& whole) {
  if (part.dtype != whole.dtype || part.sizes.size() != whole.sizes.size()) return std::nullopt;
  std::optional<size_t> found;
  for (size_t dim = 0; dim < part.sizes.size(); ++dim) {
    if (part.sizes[dim] != 1 && part.strides[dim] != whole.strides[dim]) return std::nullopt;
    if (part.sizes[dim] == whole.sizes[dim]) continue;
    if (found) return std::nullopt;
    found = dim;
  }
  return found;
}

class Filling {
 public:
  Filling(const ir::Graph& graph, const DataFlow& flow, const std::function<bool(const ir::Node&)>& keeps, int whole)
      : graph_(graph), flow_(flow), keeps_(keeps), fill_{.whole = whole} {}

  std::optional<Fill> fill() {
    const int64_t all = valueOf(fill_.whole).type.numel();
    if (!ir::covers(graph_, fill_.whole) || !valueOf(fill_.whole).type.isContiguous() || valueOf(fill_.whole).onHost || all == 0)
      return std::nullopt;
    int64_t filled = 0;
    for (const int number : flow_.usersOf(flow_.memoryOf(fill_.whole))) {
      if (filled == all || !addPart(number)) break;
      filled += valueOf(graph_.nodes[static_cast<size_t>(number)].writes.front()).type.numel();
    }
    if (filled != all || !areBesideEachOther() || areWrittenBetween()) return std::nullopt;
    return fill_;
  }

 private:
  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }

  /// Whether a call copies a value of the same type into a part where none is yet.
  bool addPart(int number) {
    const ir::Node& node = graph_.nodes[static_cast<size_t>(number)];
    if (!node.op.starts_with("aten.copy_.") || node.writes.size() != 1 || keeps_(node)) return false;
    const auto* source = node.find("src")->as<ir::ValueRef>();
    const ir::GraphValue &part = valueOf(node.writes.front()), &whole = valueOf(fill_.whole);
    const std::optional<size_t> dim = dimOfPart(part.type, whole.type);
    if (!dim || source == nullptr || (!fill_.sources.empty() && fill_.dim != *dim)) return false;
    const ir::GraphValue& from = valueOf(source->index);
    if (from.onHost || from.type.dtype != part.type.dtype || from.type.sizes != part.type.sizes) return false;
    if (flow_.memoryOf(source->index) == flow_.memoryOf(fill_.whole)) return false;
    fill_.dim = *dim;
    fill_.copies.push_back(number);
    return fill_.sources.emplace(part.offset / whole.type.strides[*dim], source->index).second;
  }

  bool areBesideEachOther() const {
    int64_t next = 0;
    for (const auto& [start, source] : fill_.sources) {
      if (start != next) return false;
      next += valueOf(source).type.sizes[fill_.dim];
    }
    return true;
  }

  bool areWrittenBetween() const {
    return std::any_of(fill_.sources.begin(), fill_.sources.end(), [&](const auto& source) {
      const int memory = flow_.memoryOf(source.second);
      const std::vector<int>& users = flow_.usersOf(memory);
      return std::any_of(users.begin(), users.end(), [&](int user) {
        const std::vector<int>& writes = flow_[user].writes;
        const bool isBetween = fill_.copies.front() < user && user < fill_.copies.back();
        return isBetween && std::find(writes.begin(), writes.end(), memory) != writes.end();
      });
    });
  }

  const ir::Graph& graph_;
  const DataFlow& flow_;
  const std::function<bool(const ir::Node&)>& keeps_;
  Fill fill_;
};

}  // namespace

std::vector<Fill> fillsOf(const ir::Graph& graph, const DataFlow& flow, const std::function<bool(const ir::Node&)>& keeps) {
  std::vector<Fill> fills;
  for (const ir::Node& node : graph.nodes)
    if (isEmpty(node))
      if (std::optional<Fill> fill = Filling(graph, flow, keeps, node.outputs.front()).fill()) fills.push_back(std::move(*fill));
  return fills;
}

}  // namespace lowering
