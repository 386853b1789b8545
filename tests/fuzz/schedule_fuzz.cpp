// The first byte picks a nest, the rest is the text of a schedule. What is a schedule has a text that means the same, and what
// the nest can have makes a kernel that does what its loops do.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "ir/error.h"
#include "lowering/layout/check.h"
#include "tests/fuzz/target.h"
#include "tests/lowering/schedule/possible.h"

FUZZ_TARGET(schedule_fuzz)(const uint8_t* data, size_t size) {
  static const std::vector<tests::ScheduledNest> nests(tests::smallNests().begin(), tests::smallNests().end());
  if (size == 0) return 0;
  const tests::ScheduledNest& one = nests[data[0] % nests.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  lowering::Schedule schedule;
  try {
    schedule = lowering::parseSchedule(text, one.nest);
    lowering::check(schedule, one.nest, tests::hopper());
  } catch (const ir::Error& error) {
    if (error.kind() != ir::ErrorKind::Input) throw;
    return 0;
  }
  if (lowering::parseSchedule(lowering::toText(schedule), one.nest) != schedule) std::abort();
  if (const std::string fault = one.faultOf(schedule); !fault.empty()) ir::fail(ir::ErrorKind::Internal, "{}", fault);
  return 0;
}
