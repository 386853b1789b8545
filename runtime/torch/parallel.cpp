// Compiled with OpenMP and linked to torch's own runtime of it, whose threads are then the ones ATen uses; ATen's header does
// not know of them in a file compiled without, and runs everything on one thread.
#include "runtime/torch/parallel.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <exception>

namespace runtime {

void parallelFor(int64_t count, int64_t grain, void (*function)(const void* context, int64_t begin, int64_t end),
                 const void* context) {
  const int64_t worth = std::max<int64_t>(grain, 1);
  const int64_t wanted = (count + worth - 1) / worth;
  if (wanted <= 1 || omp_get_max_threads() == 1) {
    if (count > 0) function(context, 0, count);
    return;
  }
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr error;
  // No num_threads clause: a team that changes its size from call to call is made anew each time.
#pragma omp parallel
  {
    const int64_t threads = std::min<int64_t>(wanted, omp_get_num_threads());
    const int64_t thread = omp_get_thread_num();
    const int64_t begin = count * std::min(thread, threads) / threads;
    const int64_t end = count * std::min(thread + 1, threads) / threads;
    try {
      if (begin < end) function(context, begin, end);
    } catch (...) {
      if (!failed.test_and_set()) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

void onEachThread(void (*function)(const void* context, int thread), const void* context) {
#pragma omp parallel
  function(context, omp_get_thread_num());
}

}  // namespace runtime
