#include "opbench/verbs/list.h"

#include <doctest/doctest.h>

#include "opbench/select/suites.h"
#include "tests/golden.h"
#include "tests/runtime/sample.h"

using namespace opbench;

namespace {

/// A call of each kind, and one whose results only a GPU can tell.
std::vector<inputs::Sample> oneOfEach() {
  std::vector<inputs::Sample> samples{
      tests::sample("aten.add.Tensor", "((T([4], f16), T([4], f16)), {})"),
      tests::sample("aten.add.Tensor", "((T([4], c64), T([4], c64)), {})"),
      tests::sample("aten.convolution.default",
                    "((T([1, 2, 4], f32), T([3, 2, 1], f32), None, [1], [0], [1], False, [0], 1), {})"),
      tests::sample("aten.relu.default", "((T([4], f32),), {})"),
      tests::sample("aten._unsafe_view.default", "((T([2, 6], f16), [12]), {})"),
      tests::sample(
          "aten.native_group_norm_backward.default",
          "((T([1, 2, 4], f16), T([1, 2, 4], f16), T([1, 1], f32), T([1, 1], f32), T([2], f16), 1, 2, 4, 1, [True, True, "
          "True]), {})")};
  for (inputs::Sample& sample : samples) sample.count = 1;
  samples[0].count = 40;
  samples[2].count = 1957;
  return samples;
}

Listing listing(std::vector<inputs::Sample> samples) {
  Options options;
  options.dtype = ir::DType::F16;
  return listingOf(samples, options);
}

}  // namespace

TEST_CASE("--list: operators, their samples and calls, and what becomes of them") {
  CHECK(toText(listing(oneOfEach())) ==
        "operator                                 samples     calls  kind\n"
        "aten._unsafe_view.default                      1         1  view\n"
        "aten.add.Tensor                                2        41  1 generated, 1 library call: aten.add.Tensor of complex "
        "tensors is not lowered\n"
        "aten.convolution.default                       1      1957  library call: no lowering\n"
        "aten.native_group_norm_backward.default        1         1  unknown: not known without a device\n"
        "aten.relu.default                              1         1  generated\n"
        "\n"
        "5 operators, 6 samples, 2001 calls, float16 on sm_90\n"
        "generated: 2 samples, 41 calls\n"
        "library calls: 2 samples, 1958 calls\n"
        "views: 1 sample, 1 call\n"
        "unknown: 1 sample, 1 call\n");
}

TEST_CASE("--list --markdown: the totals, and a row for each operator") {
  const std::string page = toMarkdown(listing(oneOfEach()));
  for (const char* line :
       {"\n| generated | 2 | 33.3% | 41 | 2.0% |\n", "\n| library calls | 2 | 33.3% | 1958 | 97.8% |\n",
        "\n| views | 1 | 16.6% | 1 | 0.0% |\n", "\nOf 5 operators 2 are generated or views, and 1 in part.\n",
        "\n| `aten.relu.default` | 1 | 1 | 1 | 0 | 0 | 0 |  |\n",
        "\n| `aten.convolution.default` | 1 | 1957 | 0 | 1 | 0 | 0 | no lowering |\n",
        "\n| `aten._unsafe_view.default` | 1 | 1 | 0 | 0 | 1 | 0 |  |\n", "\n| all 5 | 6 | 2001 | 2 | 2 | 1 | 1 |  |\n"})
    CHECK_MESSAGE(page.find(line) != std::string::npos, line, page);
}

TEST_CASE("--list is of a GPU, unless a CPU is named") {
  Options options;
  CHECK(listingOf(oneOfEach(), options).setting == "float32 on sm_90");
  options.device = "cpu";
  CHECK(listingOf(oneOfEach(), options).setting == "float32 on skylake-avx512");
}

TEST_CASE("docs/coverage.md has what becomes of the suites") {
  INFO("opbench --list --dtype float32 --markdown docs/coverage.md writes the page");
  Options options;
  options.suitesFolder = (tests::settings().golden / "../../inputs/recorded").string();
  const inputs::Samples read = readSamples(options, options.dtype);
  REQUIRE(read.errors.empty());
  tests::checkGolden("../../docs/coverage.md", toMarkdown(listingOf(read.samples, options)));
}
