#pragma once

#include <string>

namespace runtime {

/// Remembers what all contenders of this process share beside code, the first time that it is called: before any library of the
/// user's is loaded, and once the device is open.
void rememberSettings();
/// Says which of it is another one since: `ATen's allocator of host memory was exchanged`. Nothing where none is, or none was
/// remembered. These are ATen's allocator of host memory, its threads, the processor's rounding of small numbers, the processors
/// and the priority of this thread, timers that interrupt it, processes that it forked, and the environment of libraries that
/// compute.
std::string changedSettings();

}  // namespace runtime
