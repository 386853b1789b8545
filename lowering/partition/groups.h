#pragma once

#include <functional>
#include <vector>

#include "lowering/partition/data_flow.h"

namespace lowering {

/// Groups of calls: those that `joins` says may be in one with others are joined along what they read of each other, as long as
/// the groups can be carried out one after another and none has more than `most` calls. Views are in none. Each group's calls are
/// in their order, and groups in that of their first calls.
std::vector<std::vector<int>> groupsOf(const DataFlow& flow, int nodes, const std::function<bool(int node)>& joins, size_t most);

}  // namespace lowering
