// Scans through both schedules: the kernels mean what the loops say, to the bit.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "ir/error.h"
#include "lowering/analysis/reduction_nest.h"
#include "tests/lowering/schedule/schedules.h"

namespace {

using tests::checkGraph;
using tests::checkSchedules;

/// A cumulative sum of integers, or of such few others that no order of adding them rounds.
void checkCumsum(const std::string& self, const std::string& out, int dim) {
  checkGraph(fmt::format("  in self {}\n  out0 {} = aten.cumsum.default(self=self, dim={}, dtype=None)\n  return out0\n", self,
                         out, dim));
}

TEST_CASE("scans along every dim, in every order in memory") {
  for (const char* dtype : {"f32", "f16", "i64", "f64"}) {
    for (const auto& [sizes, strides] : std::vector<std::pair<std::string, std::string>>{{"[7]", ""},
                                                                                         {"[64]", ""},
                                                                                         {"[5, 3]", ""},
                                                                                         {"[33, 17]", ""},
                                                                                         {"[16, 64]", ""},
                                                                                         {"[2, 130]", " strides (1, 2)"},
                                                                                         {"[40, 24]", " strides (32, 1)"},
                                                                                         {"[9, 1]", ""},
                                                                                         {"[6, 33]", " strides (40, 1)"}}) {
      const std::string type = fmt::format("{}{}{}", dtype, sizes, strides);
      checkCumsum(type, type, 0);
      if (sizes.find(',') != std::string::npos) checkCumsum(type, type, -1);
    }
    for (const int dim : {0, 1, 2})
      for (const char* strides : {"", " strides (70, 1, 14)"}) {
        const std::string type = fmt::format("{}[3, 14, 5]{}", dtype, strides);
        checkCumsum(type, type, dim);
      }
  }
  checkCumsum("i32[5, 9]", "i64[5, 9]", 1);
  checkCumsum("b8[130, 4]", "i64[130, 4]", 0);
  checkCumsum("f32[4, 6] strides (0, 1)", "f32[4, 6]", 0);
}

TEST_CASE("rows and columns to scan so long that CTAs, clusters and the whole grid share them") {
  for (const auto& [type, dim] : std::vector<std::pair<std::string, int>>{{"i64[3, 1000]", 1},
                                                                          {"f16[300, 264]", 1},
                                                                          {"i64[5, 4099]", 1},
                                                                          {"f32[2, 20000]", 1},
                                                                          {"i64[20001]", 0},
                                                                          {"f32[300001]", 0},
                                                                          {"i64[3, 40000]", 1},
                                                                          {"i64[600, 64]", 0},
                                                                          {"f32[3, 500, 40]", 1},
                                                                          {"f32[2000, 3]", 0},
                                                                          {"i64[30, 2, 1000]", 0},
                                                                          {"f16[9000, 8]", 0},
                                                                          {"f32[33, 2, 1001]", 0}})
    checkCumsum(type, type, dim);
}

TEST_CASE("scans in place, of products, and with work before and after") {
  checkGraph("  in self i64[40, 70]\n  self = aten.cumsum_.default(self=self, dim=1, dtype=None) writes self\n  return self\n");
  checkGraph("  in self i64[700, 4]\n  self = aten.cumprod_.default(self=self, dim=0, dtype=None) writes self\n  return self\n");
  for (const char* at : {"i0*300 + i1", "i0 + i1*5"})
    checkSchedules(ir::parseLoops(fmt::format(R"(loops f
  in  x i64[1500]
  in  w i64[300]
  in  b i64[5]
  out y i64[1500]
  out z i64[1500]
  for i0 in 5, i1 in 300
    y[{0}] = add[to i1](x[{0}] * w[i1]) - x[{0}] + b[i0]
    z[{0}] = max[to i1](x[{0}] + i1)
)",
                                              at)),
                   3);
}

TEST_CASE("loads follow the order of the loops, wherever their nodes lie in memory") {
  const auto kernel = [](const std::string& lets) {
    const std::string text = "loops f\n  in x f32[40, 300]\n  in w f32[40, 300]\n  out y f32[40, 300]\n";
    return ir::toText(lowering::apply(ir::parseLoops(text + "  for i0 in 40, i1 in 300\n" + lets +
                                                     "    y[i0*300 + i1] = add[to i1](x[i0*300 + i1] * w[i0*300 + i1])\n"),
                                      tests::hopper()));
  };
  CHECK(kernel("") == kernel("    let t0 = w[i0*300 + i1]\n"));
}

TEST_CASE("scans of scans, along two axes, or beside reductions are refused") {
  const auto refusal = [](const std::string& value) {
    const ir::Loops loops = ir::parseLoops(
        "loops f\n  in x f32[4, 3]\n  out y f32[4, 3]\n  for i0 in 4, i1 in 3 reduce i2 in 3\n    y[i0*3 + i1] = " + value +
        "\n");
    try {
      lowering::reductionNestOf(loops);
    } catch (const ir::Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  CHECK(refusal("add[to i1](x[i0*3 + i1])") == "nothing was refused");
  CHECK(refusal("add[to i1](mul[to i1](x[i0*3 + i1]))") == "f has a scan of a scan");
  CHECK(refusal("add[to i1](x[i0*3 + i1]) + add[to i0](x[i0*3 + i1])") ==
        "f has scans over different axes, or beside reductions");
  CHECK(refusal("add[to i1](x[i0*3 + i1]) + add[i2](x[i0*3 + i2])") == "f has scans over different axes, or beside reductions");
}

}  // namespace
