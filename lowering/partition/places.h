#pragma once

#include <optional>

#include "lowering/partition/partition.h"

namespace lowering {

/// A group's graph in which an input that lies nowhere near a multiple of `alignment` bytes in its storage says so: it lies in a
/// storage of its own, as many bytes behind its start as its address is surely a multiple of. Memory begins at multiples of
/// `alignment`. Nothing for such an input whose memory other values of the group share.
std::optional<ir::Graph> withPlaces(const Group& group, const ir::Graph& graph, int alignment);

}  // namespace lowering
