#pragma once

#include <filesystem>

#include "runtime/memory.h"

namespace runtime {

/// What the control groups that this process is in, and those around them, leave of a machine's memory: containers, slices of
/// systemd and jobs of Slurm have limits, of either version of control groups. `root` is where the file system begins, for tests.
Memory withinControlGroups(Memory memory, const std::filesystem::path& root = "/");

}  // namespace runtime
