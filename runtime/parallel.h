#pragma once

#include <cstdint>

namespace runtime {

/// Calls `function(context, begin, end)` for ranges that together are [0, count), on the worker threads ATen uses, each range but
/// the last a multiple of `grain` long; on this thread alone where there is only one range.
void parallelFor(int64_t count, int64_t grain, void (*function)(const void* context, int64_t begin, int64_t end),
                 const void* context);

/// The same with a callable object.
template <typename F>
void parallelFor(int64_t count, int64_t grain, const F& body) {
  parallelFor(count, grain, [](const void* f, int64_t begin, int64_t end) { (*static_cast<const F*>(f))(begin, end); }, &body);
}

}  // namespace runtime
