#include "opbench/sweep/workers/accident.h"

#include <doctest/doctest.h>

using namespace opbench;

TEST_CASE("accidents are planned for samples by their numbers") {
  const auto accidents = accidentsFromText("segfault@3,device-hang@12");
  REQUIRE(accidents);
  CHECK(*accidents == std::vector{PlannedAccident{Accident::Segfault, 3}, PlannedAccident{Accident::DeviceHang, 12}});
  CHECK(toText(*accidents) == "segfault@3,device-hang@12");
  for (const char* text : {"", "segfault", "segfault@", "segfault@x", "zeros@3", "segfault@3,"})
    CHECK_MESSAGE(!accidentsFromText(text), text);
}
