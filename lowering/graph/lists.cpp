#include "lowering/graph/lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "lowering/graph/renumber.h"
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// An operator on lists, and what it does to each tensor; in place both names end in `_`. Overloads `default` do what the
/// operator of that name does.
struct ListOperator {
  std::string_view name, overload;          ///< `add`, `Scalar` of `aten._foreach_add.Scalar`
  std::string_view each;                    ///< the overload for one tensor
  std::string_view argument = {}, as = {};  ///< an argument that has another name there
  std::string_view added = {};              ///< an argument that is 1 there
};

constexpr std::array listOperators{
    ListOperator{"add", "Scalar", "Scalar", "scalar", "other", "alpha"},
    ListOperator{"add", "List", "Tensor"},
    ListOperator{"add", "Tensor", "Tensor"},
    ListOperator{"sub", "Scalar", "Scalar", "scalar", "other", "alpha"},
    ListOperator{"sub", "List", "Tensor"},
    ListOperator{"mul", "Scalar", "Scalar", "scalar", "other"},
    ListOperator{"mul", "List", "Tensor"},
    ListOperator{"mul", "Tensor", "Tensor"},
    ListOperator{"div", "Scalar", "Scalar", "scalar", "other"},
    ListOperator{"div", "List", "Tensor"},
    ListOperator{"div", "Tensor", "Tensor"},
    ListOperator{"maximum", "List", "default"},
    ListOperator{"minimum", "List", "default"},
    ListOperator{"lerp", "Scalar", "Scalar", "tensors1", "end"},
    ListOperator{"addcmul", "Scalar", "default"},
    ListOperator{"addcdiv", "Scalar", "default"},
    ListOperator{"pow", "ScalarAndTensor", "Scalar"},
};

/// A call of lists as what it does to each tensor.
struct ListCall {
  ListOperator list;
  bool isInPlace = false;
  std::string op() const { return fmt::format("aten.{}{}.{}", list.name, isInPlace ? "_" : "", list.each); }
};

std::optional<ListCall> listCallOf(const ir::Node& node) {
  constexpr std::string_view prefix = "aten._foreach_";
  const std::string_view op = node.op;
  const size_t dot = op.find('.', prefix.size());
  if (!op.starts_with(prefix) || dot == prefix.size() || dot == std::string_view::npos) return std::nullopt;
  ListCall call{{op.substr(prefix.size(), dot - prefix.size()), op.substr(dot + 1), "default"}, op[dot - 1] == '_'};
  if (call.isInPlace) call.list.name.remove_suffix(1);
  if (call.list.overload != "default") {
    const auto isSame = [&](const ListOperator& list) {
      return list.name == call.list.name && list.overload == call.list.overload;
    };
    const auto* known = std::find_if(listOperators.begin(), listOperators.end(), isSame);
    if (known == listOperators.end()) return std::nullopt;
    call.list = *known;
  }
  return hasLowering(call.op()) ? std::optional(call) : std::nullopt;
}

bool isListOfTensors(const ir::Argument& argument) {
  const auto* list = argument.as<ir::List>();
  return list != nullptr && !list->items.empty() &&
         std::all_of(list->items.begin(), list->items.end(), [](const ir::Argument& item) { return item.is<ir::ValueRef>(); });
}

/// What a call does to the tensors of this place in its lists.
ir::Node nodeOf(const ir::Node& node, const ListCall& call, size_t place) {
  ir::Node each{call.op(), {}, {}, {}, node.scope};
  for (const ir::NamedArgument& argument : node.args) {
    const std::string name(argument.name == call.list.argument ? call.list.as : argument.name);
    each.args.push_back(
        {name, isListOfTensors(argument.value) ? argument.value.as<ir::List>()->items.at(place) : argument.value});
  }
  if (!call.list.added.empty()) each.args.push_back({std::string(call.list.added), int64_t{1}});
  if (call.isInPlace) each.writes = {node.writes.at(place)};
  each.outputs = call.isInPlace ? each.writes : std::vector{node.outputs.at(place)};
  return each;
}

}  // namespace

ir::Graph withoutLists(const ir::Graph& graph) {
  ir::Graph result = graph;
  result.nodes.clear();
  std::vector<int> places;  // of the result's first call, by the graph's
  for (const ir::Node& node : graph.nodes) {
    places.push_back(static_cast<int>(result.nodes.size()));
    const std::optional<ListCall> call = listCallOf(node);
    const size_t tensors = !call ? 0 : call->isInPlace ? node.writes.size() : node.outputs.size();
    for (size_t i = 0; i < tensors; ++i) result.nodes.push_back(nodeOf(node, *call, i));
    if (tensors == 0) result.nodes.push_back(node);
  }
  renumberForward(result.nodes, places);
  return result;
}

}  // namespace lowering
