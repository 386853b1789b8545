#include "opbench/check/faults/process_fault_causes.h"

#include <doctest/doctest.h>

using namespace opbench;

TEST_CASE("process faults are planned for samples by their numbers") {
  const auto faults = processFaultsFromText("segfault@3,device-hang@12");
  REQUIRE(faults);
  CHECK((*faults ==
         std::vector{PlannedProcessFault{ProcessFault::Segfault, 3}, PlannedProcessFault{ProcessFault::DeviceHang, 12}}));
  CHECK(toText(*faults) == "segfault@3,device-hang@12");
  for (const char* text : {"", "segfault", "segfault@", "segfault@x", "zeros@3", "segfault@3,"})
    CHECK_MESSAGE(!processFaultsFromText(text), text);
}
