#pragma once

#include <optional>

#include "inputs/call.h"
#include "inputs/data/value_range.h"

namespace inputs {

/// The domain of an argument that indexes another one (or counts, or masks it), by the operator's meaning; nothing for
/// any other argument. Indices that are written without accumulation are distinct where there is room, so that the
/// result does not depend on the order of the writes.
std::optional<ValueRange> indexDomain(const Call& call, size_t argument);

}  // namespace inputs
