#include "inputs/region.h"

#include <doctest/doctest.h>

#include <functional>

#include "inputs/convert.h"
#include "ir/text/text.h"
#include "tests/refusal.h"

using inputs::Sample;

namespace {

const std::string text = R"(graph
  in x0 f16[4]
  in x1 f16[4]
  y0 f16[4] = aten.mul.Tensor(self=x0, other=x1)
  y1 f16[2, 2] of y0 = aten.view.default(self=y0, size=[2, 2])
  y2 f16[2, 2] = aten.neg.default(self=y1)
  return y2
)";

Sample region(const std::string& graph) { return inputs::regionSample(ir::parseGraph(graph), "0123456789ab"); }

/// Why a text that takes the place of the region's is none.
std::string refusalOf(const std::string& graph) {
  Sample sample = region(text);
  sample.kwargs[0].value = ir::Argument(graph);
  const std::string message = tests::refusal(ir::ErrorKind::Input, [&] { inputs::regionOf(sample); });
  CHECK(message.find('\n') == std::string::npos);
  return message;
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string graph = text;
  return graph.replace(graph.find(from), from.size(), to);
}

}  // namespace

TEST_SUITE("text of regions") {
  TEST_CASE("a region is a sample like others: its file reads back") {
    const Sample sample = region(text);
    const std::string file = inputs::toText(std::vector{sample});
    CHECK(file.starts_with("Operator: region.0123456789ab\ncnt: 1, ((T([4], f16), T([4], f16)), {'graph': 'graph\\x0a  in x0"));
    const inputs::Samples read = inputs::parseFile(file, "a.txt", "a");
    CHECK(read.errors.empty());
    REQUIRE(read.samples.size() == 1);
    CHECK(ir::toText(inputs::regionOf(read.samples[0])) == text);
  }

  TEST_CASE("in another dtype, its values and what its calls ask for are of that dtype") {
    const Sample sample = inputs::convert(
        region(replaced("aten.neg.default(self=y1)", "aten._to_copy.default(self=y1, dtype=f16)")), ir::DType::F32, false);
    const std::string converted = ir::toText(inputs::regionOf(sample));
    CHECK(converted.find("f16") == std::string::npos);
    CHECK(converted.find("dtype=f32") != std::string::npos);
  }

  TEST_CASE("a text that is no region is refused in one line") {
    const std::string begin = "region.0123456789ab: ";
    CHECK(refusalOf("") == begin + "1:1: expected 'graph', found the end of the text");
    CHECK(refusalOf("graph\n") == begin + "it has 0 calls, not 1 to 256");
    CHECK(refusalOf(replaced("in x0", "parameter x0")) == begin + "x0 is a parameter, not an input");
    CHECK(refusalOf(replaced("return y2", "return y2, y2")) == begin + "it hands y2 back twice");
    CHECK(refusalOf(replaced("return y2", "return y2, x0")) == begin + "it hands back x0, which no call makes or writes");
    CHECK(refusalOf(replaced("  return y2\n", "")) == begin + "it hands nothing back");
    CHECK(refusalOf(replaced("aten.neg", "aten.from_file")) == begin + "aten.from_file.default is refused: it maps a file");
    CHECK(refusalOf(replaced("aten.neg", "prims.neg")).find("only operators of the namespace aten") != std::string::npos);
    CHECK(refusalOf(replaced("aten.neg.default", "region.neg")) == begin + "region.neg is no call");
    CHECK(refusalOf(replaced("(self=y1)", "(self=y1) @optimizer")) == begin + "aten.neg.default has a scope");
    CHECK(refusalOf(replaced("x1 f16[4]", "x1 f16[8]")) == begin + "its arguments are not the inputs of its graph");
    CHECK(refusalOf(replaced("in x1 f16[4]", "in x1 f16[2] of x0 + 2")) ==
          begin + "the input x1 lies in the memory of another one");
    CHECK(refusalOf(replaced("in x1 f16[4]", "in x1 f16[4] on host")) == begin + "x1 lies on the host");
    CHECK(refusalOf(replaced("f16[2, 2] of y0", "f16[2, 8] of y0")).find("goes beyond") != std::string::npos);
    CHECK(refusalOf(replaced("return y2",
                             "y3 f16[2] of x0 + 2 = aten.slice.Tensor(self=x0, dim=0, start=2, end=4, step=1)\n"
                             "  y3 = aten.neg_.default(self=y3) writes y3\n  return y3")) ==
          begin + "it writes y3, a view of its input x0");
    CHECK(refusalOf(replaced("in x1", "generator seed i64[2]\n  in x1")) == begin + "it draws random numbers");
  }
}
