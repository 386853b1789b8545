#pragma once

#include <vector>

#include "ir/target.h"
#include "opbench/settings/race.h"
#include "runtime/contenders/kernels/kernel_file.h"

namespace opbench {

/// Loads the user's libraries (--load) into this process. Error: Input where that cannot be done, and where none of them
/// registers an operator that races.
void loadLibraries(const ContenderSettings& options);

/// Reads the user's kernels (--kernel). Errors: Input for a device that is no GPU, for what is wrong in a file, for a kernel that
/// races and has no file, and where there are files and none of them races.
std::vector<runtime::KernelFile> kernelFilesOf(const ContenderSettings& options, const ir::Target& target);

}  // namespace opbench
