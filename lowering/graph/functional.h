#pragma once

#include <functional>

#include "ir/graph.h"

namespace lowering {

/// The same computation with fewer writes: a call that writes the whole of a memory makes a new one instead (`x1 =
/// aten.add.Tensor(x)` for `aten.add_.Tensor(x) writes x`), and what was read there afterwards is read in the new one, through
/// the same views. An input gets its last value by one `aten.copy_` behind the last of its writes. So calls that accumulate no
/// longer cut a graph where their memory has other names.
///
/// Left alone is a call that writes a part of a memory, as all of it would have to be copied; that has no functional form with a
/// lowering; whose result has another dtype than what it writes; or for which `keeps` is true.
ir::Graph functional(const ir::Graph& graph, const std::function<bool(const ir::Node&)>& keeps);

}  // namespace lowering
