#pragma once

namespace hostile {

/// Has the kernel refuse this process, for good, the system calls that change files, start programs, open connections or share
/// memory. Whoever makes one is handed to `onTrap` with its number, which must not return; in a signal handler. Threads are still
/// started, and files read. Returns false where the kernel has no such filters, or none are permitted.
bool trapSystemCalls(void (*onTrap)(int number));

}  // namespace hostile
