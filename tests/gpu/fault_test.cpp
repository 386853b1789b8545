// Deliberately broken kernels are found out on the GPU.
#include "tests/faults.h"
#include "tests/gpu/gpu.h"

TEST_CASE("every fault that harms a result is caught") { tests::checkFaults(tests::gpu()); }

TEST_CASE("mistakes that mild data let pass are caught by default") { tests::checkPlantedFaults(tests::gpu()); }
