#pragma once

#include <cstddef>

#include "ir/graph.h"

namespace runtime {

/// Calls `take(value, argument, item)` for each value that a call takes: the number of the argument, and the number in it where
/// it is a list.
template <typename Take>
void forEachOperand(const ir::Node& node, const Take& take) {
  for (size_t argument = 0; argument < node.args.size(); ++argument) {
    const ir::Argument& given = node.args[argument].value;
    if (const auto* value = given.as<ir::ValueRef>()) take(value->index, argument, size_t{0});
    if (const auto* list = given.as<ir::List>())
      for (size_t item = 0; item < list->items.size(); ++item)
        if (const auto* value = list->items[item].as<ir::ValueRef>()) take(value->index, argument, item);
  }
}

}  // namespace runtime
