#pragma once

#include <cstdint>
#include <vector>

#include "ir/argument.h"

namespace lowering {

/// Numbers as an argument of a call.
inline ir::List listOf(const std::vector<int64_t>& numbers) {
  ir::List list;
  for (const int64_t number : numbers) list.items.emplace_back(number);
  return list;
}

}  // namespace lowering
