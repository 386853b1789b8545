#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace runtime {

/// Floating-point operations by precision (CallFlops): `{"tf32": 3600000000}`.
using FlopCount = std::map<std::string, int64_t>;

/// Counts the floating-point operations of the products of matrices (flopsOf) in what `work` has ATen compute on this thread, and
/// in backward passes that it starts, which run on this thread (OneThread). A call that other counted calls make is not counted
/// again. What `work` throws is thrown.
FlopCount countFlops(const std::function<void()>& work);

}  // namespace runtime
