#pragma once

#include <string>
#include <vector>

#include "inputs/sample.h"
#include "ir/interpret/interpret.h"
#include "ir/kernel_source.h"
#include "runtime/device.h"

namespace tests {

/// The first GPU, opened once. Where there is none, says so and ends the program with the status of skipped tests (77).
runtime::Device& gpu();

/// Runs a program on storage with these values and reads the storage back. Where it is launched several times, each launch but
/// the last works on storage of its own with the same values.
void runOnGpu(const ir::KernelSource& program, std::vector<ir::Memory>& memory, int launches = 1);

}  // namespace tests
