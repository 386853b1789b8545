#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/memory.h"

namespace runtime {

/// How the processor rounds on this thread: of MXCSR what is a setting, such as that small numbers become zeros.
unsigned floatingControl();

/// Takes the lines of this memory out of all caches of the CPU.
void evictLines(const void* memory, std::size_t bytes);

/// Binds the threads that work for this one, and itself, to a processor each, in the order of those the process may use; does
/// nothing where there are fewer of these. Threads that are made later run where the one that makes them does: to be called again
/// before what is timed.
void pinThreads();

/// Lets the calling thread use all processors of the process while it lives, where pinThreads() has bound it to one: threads that
/// it starts meanwhile are as free. Whoever binds it otherwise meanwhile leaves it bound so.
class Unbound {
 public:
  explicit Unbound(bool isWanted = true);
  ~Unbound();
  Unbound(const Unbound&) = delete;
  Unbound& operator=(const Unbound&) = delete;

 private:
  std::vector<int> before_;  ///< empty where nothing was changed
};

/// Bytes that the last-level caches of the first so many processors hold together; 0 where Linux does not tell.
int64_t lastLevelCacheBytes(int processors);

/// The clock of the core at hand in Hz, from additions that wait for one another, one a cycle.
double coreClock();

/// This machine's memory, or the part that control groups leave to this process; nothing where it cannot be told.
std::optional<Memory> hostMemory();

/// Has the most resident memory of this process be counted from now on.
void resetMostResident();
/// The most resident memory of this process in bytes, since it began or was reset; nothing where Linux does not tell.
std::optional<int64_t> mostResident();

/// Processes that the system has killed so far because memory ran out; 0 where Linux does not tell.
int64_t killedForMemory();

/// Seconds that the hypervisor has kept this machine's processors from running since it started; nothing where not known.
std::optional<double> stolenSeconds();

}  // namespace runtime
