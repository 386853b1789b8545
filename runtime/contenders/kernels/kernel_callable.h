#pragma once

#include "ir/graph.h"
#include "runtime/build/cache.h"
#include "runtime/callable.h"
#include "runtime/contenders/kernels/kernel_file.h"
#include "runtime/device.h"

namespace runtime {

/// A call of this graph, computed by the kernels of a file. Errors: Unsupported, with the place in the file, where it is not made
/// for the call; Toolchain, with the first error in its source.
CallablePtr kernelCallable(Workload& workload, const KernelFile& file, const ir::Graph& graph, Device& device,
                           const Cache& cache);

}  // namespace runtime
