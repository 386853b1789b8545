#include "lowering/graph/padded_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/verify/verify.h"
#include "lowering/partition/data_flow.h"

namespace lowering {
namespace {

/// Bytes to a multiple of which rows have to begin for a product to read and write them in whole vectors.
constexpr int64_t vectorBytes = 16;
/// Bytes of a line of the cache: rows of many lines begin at one, so that kernels read whole ones.
constexpr int64_t lineBytes = 128;
/// Elements of the least matrix that is worth a gap.
constexpr int64_t leastElements = int64_t{1} << 18;
/// Multiplications and additions for each element from which a copy pays: on an H100 a product of 316 GFLOP takes 3.0 ms with
/// 50,257 columns and 0.46 with its rows in line, and a copy of these 206 M elements 0.5 ms; with 30,522 columns 0.81, 0.28 and
/// 0.3 ms.
constexpr int64_t leastReuse = 1024;

int64_t elementsOf(const ir::TensorType& type) {
  int64_t elements = 1;
  for (const int64_t size : type.sizes) elements *= size;
  return elements;
}

/// Where an element lies once rows of `old` elements have become rows of `now`; nothing where a step leaves a row in its middle.
class Rows {
 public:
  Rows(int64_t old, int64_t now) : old_(old), now_(now) {}

  std::optional<ir::TensorType> type(const ir::GraphValue& value) const {
    ir::TensorType type = value.type;
    int64_t last = value.offset % old_;
    for (size_t dim = 0; dim < type.sizes.size(); ++dim) {
      if (type.sizes[dim] > 1) last += (type.sizes[dim] - 1) * (type.strides[dim] % old_);
      type.strides[dim] = moved(type.strides[dim]);
    }
    if (last >= old_) return std::nullopt;
    return type;
  }
  int64_t moved(int64_t place) const { return place / old_ * now_ + place % old_; }

 private:
  int64_t old_;
  int64_t now_;
};

class RowPadder {
 public:
  RowPadder(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated)
      : graph_(graph), isGenerated_(isGenerated), flow_(graph), result_(graph) {}

  ir::Graph run() {
    for (size_t value = 0; value < graph_.values.size(); ++value)
      values_[flow_.memoryOf(static_cast<int>(value))].push_back(static_cast<int>(value));
    for (const auto& [memory, values] : values_) pad(memory, values);
    if (!isChanged_) return graph_;
    rewrite();
    ir::Graph graph = ir::numbered(std::move(result_));
    ir::verify(graph);
    return graph;
  }

 private:
  /// A matrix with gaps that products use in place of another one.
  struct Copy {
    int memory = 0;             ///< the other one's
    int base = 0;               ///< a value that covers it
    std::map<int, int> values;  ///< the copy's, by the other one's
    Rows rows{1, 1};
    int storage = -1;
    bool isMade = false;  ///< whether a call has filled it
  };

  const ir::GraphValue& valueOf(int value) const { return graph_.values[static_cast<size_t>(value)]; }
  const ir::Node& nodeOf(int node) const { return graph_.nodes[static_cast<size_t>(node)]; }
  bool lies(int value, int memory) const { return flow_.memoryOf(value) == memory; }

  void pad(int memory, const std::vector<int>& values) {
    const std::optional<int> base = baseOf(values);
    if (!base) return;
    const ir::TensorType& type = valueOf(*base).type;
    const int64_t size = ir::sizeOf(type.dtype), row = type.sizes.back(), bytes = row * size;
    if (bytes % vectorBytes == 0 || elementsOf(type) < leastElements) return;
    const int64_t multiple = bytes >= 32 * lineBytes ? lineBytes : vectorBytes;
    const Rows rows(row, (bytes + multiple - 1) / multiple * multiple / size);
    const int64_t reuse = multiplications(memory) / elementsOf(type);
    if (reuse == 0) return;
    const bool fits = std::all_of(values.begin(), values.end(), [&](int value) {
      const int maker = flow_.makerOf(value);
      return rows.type(valueOf(value)) && (maker < 0 || nodeOf(maker).op != "aten.as_strided.default");
    });
    if (!fits) return;
    if (isFree(memory, *base)) return lengthen(memory, values, rows);
    if (reuse >= leastReuse && isWrittenOnce(memory)) copy(memory, *base, rows);
  }

  /// The value that a memory is made or given as, where it is all of it, in rows.
  std::optional<int> baseOf(const std::vector<int>& values) const {
    for (const int value : values) {
      const ir::GraphValue& one = valueOf(value);
      const int maker = flow_.makerOf(value);
      const bool isFirst = maker < 0 ? std::count(graph_.inputs.begin(), graph_.inputs.end(), value) > 0 : !flow_[maker].isView;
      if (!isFirst) continue;
      const bool isHalf = one.type.dtype == ir::DType::F16 || one.type.dtype == ir::DType::BF16;
      const int64_t bytes = elementsOf(one.type) * ir::sizeOf(one.type.dtype);
      const bool isAll = one.storage < 0 || graph_.storages[static_cast<size_t>(one.storage)].bytes == bytes;
      if (!isHalf || one.onHost || one.type.sizes.size() < 2 || one.offset != 0 || !one.type.isContiguous() || !isAll)
        return std::nullopt;
      return value;
    }
    return std::nullopt;
  }

  /// Multiplications and additions of the products that read or make a memory.
  int64_t multiplications(int memory) const {
    int64_t all = 0;
    for (const int user : usersOf(memory))
      if (isProduct(nodeOf(user))) {
        const ir::Node& product = nodeOf(user);
        const ir::Argument* left = product.find(product.find("batch1") != nullptr ? "batch1"
                                                : product.find("mat1") != nullptr ? "mat1"
                                                                                  : "self");
        const auto* matrix = left == nullptr ? nullptr : left->as<ir::ValueRef>();
        if (matrix == nullptr) continue;
        all += 2 * elementsOf(valueOf(product.outputs.front()).type) * valueOf(matrix->index).type.sizes.back();
      }
    return all;
  }

  /// Calls that read, write or make a memory.
  std::set<int> usersOf(int memory) const {
    std::set<int> users(flow_.usersOf(memory).begin(), flow_.usersOf(memory).end());
    for (const int value : values_.at(memory))
      if (const int maker = flow_.makerOf(value); maker >= 0 && !flow_[maker].isView) users.insert(maker);
    return users;
  }

  bool isFree(int memory, int base) const {
    if (flow_.outlives(memory) || flow_.makerOf(base) < 0) return false;
    const std::set<int> users = usersOf(memory);
    return std::all_of(users.begin(), users.end(),
                       [&](int user) { return isProduct(nodeOf(user)) || isGenerated_(nodeOf(user)); });
  }

  bool isWrittenOnce(int memory) const {
    const std::set<int> users = usersOf(memory);
    return std::none_of(users.begin(), users.end(), [&](int user) {
      const std::vector<int>& writes = flow_[user].writes;
      return std::count(writes.begin(), writes.end(), memory) > 0;
    });
  }

  void lengthen(int memory, const std::vector<int>& values, const Rows& rows) {
    isChanged_ = true;
    int64_t bytes = 0;
    for (const int value : values) {
      ir::GraphValue& one = result_.values[static_cast<size_t>(value)];
      one.type = *rows.type(valueOf(value));
      one.offset = rows.moved(one.offset);
      bytes = std::max(bytes, (one.offset + one.type.storageElements()) * ir::sizeOf(one.type.dtype));
    }
    if (memory < static_cast<int>(graph_.storages.size())) result_.storages[static_cast<size_t>(memory)].bytes = bytes;
  }

  void copy(int memory, int base, const Rows& rows) {
    isChanged_ = true;
    Copy& copy = copies_.emplace_back(Copy{memory, base, {}, rows, static_cast<int>(result_.storages.size())});
    const int value = addValue(base, copy);
    const ir::TensorType& type = result_.values[static_cast<size_t>(value)].type;
    result_.storages.push_back(
        {result_.values[static_cast<size_t>(value)].name, type.storageElements() * ir::sizeOf(type.dtype)});
  }

  int addValue(int value, Copy& copy) {
    ir::GraphValue one = valueOf(value);
    one.name = fmt::format("{}_padded", one.name);
    one.role = ir::Role::Input;
    one.type = *copy.rows.type(valueOf(value));
    one.offset = copy.rows.moved(one.offset);
    one.storage = copy.storage;
    result_.values.push_back(std::move(one));
    return copy.values[value] = static_cast<int>(result_.values.size()) - 1;
  }

  /// Adds the calls that copy, and has products use the copies.
  void rewrite() {
    result_.nodes.clear();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      ir::Node node = graph_.nodes[i];
      if (isProduct(node)) {
        for (Copy& copy : copies_) readCopy(node, copy);
        Copy* const made = copyOf(node.outputs.front());
        if (made != nullptr && !made->isMade) {
          made->isMade = true;
          node.outputs.front() = made->values.at(made->base);
          add(std::move(node), static_cast<int>(i));
          add(cloneOf(made->values.at(made->base), made->base, graph_.nodes[i].scope), -1);
          continue;
        }
      }
      add(std::move(node), static_cast<int>(i));
    }
    for (ir::Node& node : result_.nodes)
      if (node.scope.forward >= 0) node.scope.forward = places_[static_cast<size_t>(node.scope.forward)];
  }

  Copy* copyOf(int value) {
    const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) { return copy.base == value; });
    return found == copies_.end() ? nullptr : &*found;
  }

  void add(ir::Node node, int origin) {
    if (origin >= 0) places_.push_back(static_cast<int>(result_.nodes.size()));
    result_.nodes.push_back(std::move(node));
  }

  static ir::Node cloneOf(int from, int to, const ir::Scope& scope) {
    return {"aten.clone.default", {{"self", ir::ValueRef{from}}, {"memory_format", ir::None{}}}, {to}, {}, scope};
  }

  /// A product's arguments from a copy, which is made before the first of them.
  void readCopy(ir::Node& node, Copy& copy) {
    for (ir::NamedArgument& argument : node.args) {
      auto* value = std::get_if<ir::ValueRef>(&argument.value.data);
      if (value == nullptr || !lies(value->index, copy.memory)) continue;
      if (!copy.isMade) {
        copy.isMade = true;
        add(cloneOf(copy.base, copy.values.at(copy.base), node.scope), -1);
      }
      value->index = viewOn(value->index, copy, node.scope);
    }
  }

  /// The value of a copy that shows what a value shows, through the same views.
  int viewOn(int value, Copy& copy, const ir::Scope& scope) {
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

  const ir::Graph& graph_;
  const std::function<bool(const ir::Node&)>& isGenerated_;
  const DataFlow flow_;
  ir::Graph result_;
  std::map<int, std::vector<int>> values_;  ///< by memory
  std::vector<Copy> copies_;
  std::vector<int> places_;  ///< of the graph's calls among the result's
  bool isChanged_ = false;
};

}  // namespace

bool isProduct(const ir::Node& node) {
  constexpr std::array products{"aten.mm.default", "aten.addmm.default", "aten.bmm.default", "aten.baddbmm.default"};
  return std::find(products.begin(), products.end(), node.op) != products.end();
}

ir::Graph withPaddedRows(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& isGenerated) {
  return RowPadder(graph, isGenerated).run();
}

}  // namespace lowering
