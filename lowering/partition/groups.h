#pragma once

#include <functional>
#include <vector>

#include "lowering/partition/data_flow.h"

namespace lowering {

/// Whether a call may be in one group with one whose results it reads.
using MayJoin = std::function<bool(int node, int maker)>;

/// Groups of calls: calls that may be in one are joined along what they read of each other, as long as the groups can be carried
/// out one after another and none has more than `most` calls. Views are in none. Each group's calls are in their order, and
/// the groups in an order in which they can run: of all that could be next, the group whose last call comes first.
std::vector<std::vector<int>> groupsOf(const DataFlow& flow, int nodes, const MayJoin& mayJoin, size_t most);

}  // namespace lowering
