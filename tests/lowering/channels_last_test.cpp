// Graphs whose images have their channels last between convolutions.
#include "lowering/graph/channels_last.h"

#include <doctest/doctest.h>

#include "tests/lowering/rewritten.h"

namespace {

std::string channelsLast(const std::string& text) {
  const auto isGenerated = [](const ir::Node& node) {
    return !node.op.starts_with("aten.convolution") && !node.op.starts_with("aten.topk");
  };
  return tests::rewritten(text, [&](const ir::Graph& graph) { return lowering::withChannelsLast(graph, isGenerated); });
}

/// Three convolutions of images, two of them of `groups` of channels, and calls between them; the last image is read as words.
std::string network(int groups) {
  const auto convolution = [](const char* image, const char* weight, int ofGroups) {
    return fmt::format(
        "aten.convolution.default(input={}, weight={}, bias=None, stride=[1, 1], padding=[1, 1], dilation=[1, 1], "
        "transposed=False, output_padding=[0, 0], groups={})",
        image, weight, ofGroups);
  };
  return "graph\n"
         "  in        x f16[2, 3, 8, 8]\n"
         "  parameter u f16[16, 3, 3, 3]\n" +
         fmt::format("  parameter v f16[16, {}, 3, 3]\n", 16 / groups) + "  a f16[2, 16, 8, 8] = " + convolution("x", "u", 1) +
         "\n" +
         "  b f16[2, 16, 8, 8] = aten.relu.default(self=a)\n"
         "  c f16[2, 16, 8, 8] = " +
         convolution("b", "v", groups) + "\n" + "  d f16[2, 16, 8, 8] = aten.add.Tensor(self=c, other=b, alpha=1)\n" +  //
         "  e f16[2, 16, 8, 8] = " + convolution("d", "v", groups) + "\n" +
         "  f f16[2, 16, 64] of e = aten.view.default(self=e, size=[2, 16, 64])\n"
         "  g f16[2, 64, 16] strides (1024, 1, 64) of e = aten.transpose.int(self=f, dim0=1, dim1=2)\n"
         "  h f16[2, 64, 16] strides (1024, 1, 64) = aten.relu.default(self=g)\n"
         "  return h\n";
}

}  // namespace

TEST_SUITE("channels last") {
  TEST_CASE("images between convolutions change, their weights are copied once, and inputs and outputs stay") {
    const std::string text = channelsLast(network(1));
    const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
    CHECK(has("u_copy f16[16, 3, 3, 3] strides (27, 1, 9, 3) = aten.clone.default(self=u, memory_format=None)"));
    CHECK(has("v_copy f16[16, 16, 3, 3] strides (144, 1, 48, 16) = aten.clone.default(self=v, memory_format=None)"));
    CHECK(has("a f16[2, 16, 8, 8] strides (1024, 1, 128, 16) = aten.convolution.default(input=x, weight=u_copy"));
    CHECK(has("d f16[2, 16, 8, 8] strides (1024, 1, 128, 16) = aten.add.Tensor(self=c, other=b, alpha=1)"));
    CHECK(has("f f16[2, 16, 64] strides (1024, 1, 16) of e = "));
    CHECK(has("g f16[2, 64, 16] of e = "));
    CHECK(has("h f16[2, 64, 16] strides (1024, 1, 64) = aten.relu.default(self=g)"));
    CHECK(text.find("aten.clone", text.find("v_copy f16")) == text.rfind("aten.clone"));
  }

  TEST_CASE("nothing changes where few channels are read, and where a library reads an image") {
    std::string narrow = network(1);
    narrow.insert(narrow.find("  e f16"),
                  "  s f16[2, 8, 8, 8] strides (1024, 64, 8, 1) of d = aten.slice.Tensor(self=d, dim=1, start=0, end=8)\n"
                  "  t f16[2, 8, 8, 8] = aten.relu.default(self=s)\n");
    CHECK(channelsLast(narrow) == ir::toText(ir::parseGraph(narrow)));
    std::string other = network(1);
    other.replace(other.find("aten.relu.default(self=a)"), std::string("aten.relu.default(self=a)").size(),
                  "aten.topk.values(self=a)");
    CHECK(channelsLast(other).find("a f16[2, 16, 8, 8] = aten.convolution") != std::string::npos);
  }

  TEST_CASE("images of convolutions of groups of channels, and of each channel, change") {
    for (const int groups : {4, 16})
      CHECK(channelsLast(network(groups)).find("c f16[2, 16, 8, 8] strides (1024, 1, 128, 16)") != std::string::npos);
  }
}
