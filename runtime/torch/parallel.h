#pragma once

#include <cstdint>

namespace runtime {

/// Calls `function(context, begin, end)` for ranges that together are [0, count), on the worker threads ATen uses: even shares of
/// as many threads as there are grains, the last of which may have less; on this thread alone where there is one.
void parallelFor(int64_t count, int64_t grain, void (*function)(const void* context, int64_t begin, int64_t end),
                 const void* context);

/// The same with a callable object.
template <typename F>
void parallelFor(int64_t count, int64_t grain, const F& body) {
  parallelFor(count, grain, [](const void* f, int64_t begin, int64_t end) { (*static_cast<const F*>(f))(begin, end); }, &body);
}

/// Calls `function(context, thread)` once on each of these worker threads and this one, all at a time, numbered from 0.
void onEachThread(void (*function)(const void* context, int thread), const void* context);

/// The same with a callable object.
template <typename F>
void onEachThread(const F& body) {
  onEachThread([](const void* f, int thread) { (*static_cast<const F*>(f))(thread); }, &body);
}

}  // namespace runtime
