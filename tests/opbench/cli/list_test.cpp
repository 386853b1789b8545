#include "opbench/cli/list.h"

#include <doctest/doctest.h>

TEST_CASE("--list: operators, their samples and calls, and which have a lowering") {
  std::vector<inputs::Sample> samples(3);
  samples[0].op = samples[1].op = "aten.add.Tensor";
  samples[0].count = 40;
  samples[2].op = "aten.convolution.default";
  samples[2].count = 1957;
  const std::string text = opbench::listOperators(samples, [](const std::string& op) { return op == "aten.add.Tensor"; });
  CHECK(text ==
        "operator                  samples     calls  kind\n"
        "aten.add.Tensor                 2        41  generated\n"
        "aten.convolution.default        1      1957  fallback\n"
        "\n"
        "2 operators, 3 samples, 1998 calls; generated: 1 operator, 2 samples, 41 calls\n");
}
