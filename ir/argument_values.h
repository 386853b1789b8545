#pragma once

#include "ir/argument.h"

namespace ir {

/// Calls `use` with each value that an argument is, or that a list of it holds.
template <typename Use>
void forEachValue(const Argument& argument, const Use& use) {
  if (const auto* value = argument.as<ValueRef>()) use(value->index);
  if (const auto* list = argument.as<List>())
    for (const Argument& item : list->items) forEachValue(item, use);
}

}  // namespace ir
