#pragma once

#include <string>
#include <vector>

namespace opbench {

/// Keeps this process, for good, and all threads and processes that it starts from now on, from writing, making, removing or
/// renaming files but below these folders, and from opening devices for writing but NVIDIA's, which need the names of threads as
/// well. Files that are open stay so, and all may be read that the user may read. The process must have one thread so far.
/// Returns whether the kernel does so (Landlock).
bool fenceFiles(const std::vector<std::string>& folders);

/// Keeps all threads of this process, for good, from starting programs and processes, opening connections, signalling other
/// processes and looking into them, and from changing modes and owners of files by their names. Returns whether the kernel does
/// so (seccomp).
bool fenceCalls();

/// What a process goes without: `Landlock`, `seccomp`, `Landlock and seccomp`; empty where it has both fences.
std::string missingFences(bool hasFiles, bool hasCalls);

}  // namespace opbench
