#include "runtime/hardware_lock.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <optional>

using runtime::HardwareLock;

TEST_CASE("hardware is seen to be in use as long as somebody holds it") {
  const std::string gpu = "GPU of a test " + std::to_string(::getpid());
  std::optional<HardwareLock> first(gpu);
  CHECK(!first->isHeldElsewhere());
  CHECK(HardwareLock(gpu).isHeldElsewhere());
  CHECK(!HardwareLock(gpu + ", another").isHeldElsewhere());
  first.reset();
  CHECK(!HardwareLock(gpu).isHeldElsewhere());
}

TEST_CASE("what has no name is shared") {
  const HardwareLock first("");
  CHECK(!HardwareLock("").isHeldElsewhere());
}
