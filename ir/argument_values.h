#pragma once

#include "ir/graph.h"

namespace ir {

/// Calls `use` with each value that an argument is, or that a list of it holds.
template <typename Use>
void forEachValue(const Argument& argument, const Use& use) {
  if (const auto* value = argument.as<ValueRef>()) use(value->index);
  if (const auto* list = argument.as<List>())
    for (const Argument& item : list->items) forEachValue(item, use);
}

/// The same with each value among the arguments of a call.
template <typename Use>
void forEachValue(const Node& node, const Use& use) {
  for (const NamedArgument& argument : node.args) forEachValue(argument.value, use);
}

}  // namespace ir
