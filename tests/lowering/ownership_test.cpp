// Along which dims points accumulate in elements of their own, and at how many points a condition holds.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "ir/text/text.h"
#include "lowering/analysis/ownership.h"
#include "lowering/analysis/share.h"

namespace {

using Flags = std::vector<bool>;

/// By axis, for `y[place] add= ...` at every i, j and l; `k` is an index tensor.
Flags owned(const std::string& place, const std::string& axes = "i in 6, j in 4") {
  const ir::Loops loops =
      ir::parseLoops("loops f\n  in k i64[24]\n  inout y f32[4096]\n  for " + axes + "\n    y[" + place + "] add= f32(1)\n");
  return lowering::ownedDims(lowering::IterationDomain(loops));
}

TEST_CASE("points along a dim have elements of their own, whatever an index tensor says") {
  CHECK(owned("k[i]*4 + j") == Flags{false, true});
  CHECK(owned("k[i*4 + j]*4 + j") == Flags{false, true});
  CHECK(owned("i*8 + min(max(k[j], 0), 7)") == Flags{true, false});
  CHECK(owned("(i*5 + min(max(k[j], 0), 4))*3 + l", "i in 6, j in 4, l in 3") == Flags{true, false, true});
  CHECK(owned("7 - i", "i in 6") == Flags{true});
}

TEST_CASE("points meet where steps reach into each other, where nothing bounds an index, and where a dim does not move") {
  CHECK(owned("k[i] + j") == Flags{false, false});
  CHECK(owned("k[i]*3 + j") == Flags{false, false});
  CHECK(owned("i*8 + min(max(k[j], 0), 8)") == Flags{false, false});
  CHECK(owned("i*8 + k[j]") == Flags{false, false});
  CHECK(owned("i*3 + j") == Flags{false, false});
  CHECK(owned("j") == Flags{true, false});  // dims are in the order of memory
  CHECK(owned("k[i]", "i in 6") == Flags{false});
}

TEST_CASE("a condition's share of the points: of edges, of halves, of single indices") {
  const auto shareOf = [](const std::string& condition) {
    const ir::Loops loops = ir::parseLoops("loops f\n  out y f32[6, 100]\n  for i in 6, j in 100\n    y[i*100 + j] = where(" +
                                           condition + ", f32(1), f32(0))\n");
    return lowering::shareOf(loops.stores.front().value->src[0]);
  };
  CHECK(shareOf("j < 3") == doctest::Approx(0.03));
  CHECK(shareOf("0 <= j - 1") == doctest::Approx(0.99));
  CHECK(shareOf("and(j < 50, i < 3)") == doctest::Approx(0.25));
  CHECK(shareOf("or(j < 50, i < 3)") == doctest::Approx(0.75));
  CHECK(shareOf("i == 2") == doctest::Approx(1.0 / 6));
  CHECK(shareOf("i*j < 2") == 1);
}

TEST_CASE("points at different indices along an owned dim never share an element: random steps, and the worst index tensors") {
  unsigned state = 1;
  const auto draw = [&](int count) {
    state = state * 1664525U + 1013904223U;
    return static_cast<int>((state >> 16) % static_cast<unsigned>(count));
  };
  int found = 0;
  for (int round = 0; round < 400; ++round) {
    const int steps[] = {draw(7), draw(13), draw(4)}, factor = 1 + draw(8), most = draw(6);
    const std::string place =
        fmt::format("i*{} + j*{} + l*{} + min(max(k[j], 0), {})*{}", steps[0], steps[1], steps[2], most, factor);
    const Flags flags = owned(place, "i in 3, j in 4, l in 2");
    if (flags.size() != 3) continue;  // two axes count as one dim
    // Every point with every value of the index tensor.
    std::map<int, std::set<std::array<int, 3>>> points;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j)
        for (int l = 0; l < 2; ++l)
          for (int index = 0; index <= most; ++index)
            points[i * steps[0] + j * steps[1] + l * steps[2] + index * factor].insert({i, j, l});
    for (std::size_t d = 0; d < 3; ++d) {
      if (!flags[d]) continue;
      ++found;
      CAPTURE(place);
      for (const auto& [element, all] : points)
        for (const auto& point : all) CHECK(point[d] == (*all.begin())[d]);
    }
  }
  CHECK(found > 20);
}

}  // namespace
