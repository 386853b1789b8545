// Lowerings that are defined twice: nothing ends before main, and whoever starts the program is told.
#include <doctest/doctest.h>

#include <algorithm>

#include "lowering/tensor/lowering.h"

namespace {

const lowering::Rule rule = [](lowering::Context&) { return lowering::Tensors{}; };
const lowering::Lowering first{"test::twice", rule}, second{"test::twice", rule};

TEST_CASE("a second lowering of a name is registered with its place, not fatal") {
  const auto all = lowering::registrations();
  const auto isTwice = [](const lowering::Registration& each) { return each.name == "test::twice"; };
  CHECK(std::count_if(all.begin(), all.end(), isTwice) == 2);
  CHECK(std::find_if(all.begin(), all.end(), isTwice)->place.starts_with("lowering/registration_test.cpp:"));
}

}  // namespace
