// Deliberately broken kernels are found out on the GPU.
#include "tests/faults.h"
#include "tests/gpu/gpu.h"

TEST_CASE("every fault that harms a result is caught") { tests::checkFaults(tests::gpu()); }
