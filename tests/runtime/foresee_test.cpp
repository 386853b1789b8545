#include <doctest/doctest.h>

#include "ir/text.h"
#include "runtime/call.h"
#include "runtime/device.h"

TEST_CASE("the graph of a call is foreseen without its device: what eager makes of it there") {
  const auto device = runtime::Device::open("cpu", 1);
  const std::string samples =
      "Operator: aten.add.Tensor\ncnt: 1, ((T([2, 3], f16, stride=(1, 2)), T([3], f32)), {})\n"
      "cnt: 1, ((T([2, 3], f16), 2.5), {})\n"
      "Operator: aten.relu_.default\ncnt: 1, ((T([4], f16),), {})\n"
      "Operator: aten.hardtanh.default\ncnt: 1, ((T([2, 4, 3, 3], f32, stride=(36, 1, 12, 4)), 0.0, 6.0), {})\n"
      "Operator: aten.native_layer_norm.default\ncnt: 1, ((T([2, 8], f32), [8], T([8], f32), T([8], f32), 1e-05), {})\n"
      "Operator: aten.std.correction\ncnt: 1, ((T([4, 8], f32), [-1]), {'correction': 1, 'keepdim': True})\n"
      "Operator: aten.native_batch_norm.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f32), T([4], f32), T([4], f32), T([4], f32), T([4], f32), True, 0.1, 1e-05), {})\n";
  for (const inputs::Sample& sample : inputs::parseFile(samples, "a.txt", "s").samples) {
    CAPTURE(sample.op);
    runtime::Call call(sample, *device, 0);
    const auto foreseen = runtime::foreseenGraph(sample);
    REQUIRE(foreseen.has_value());
    CHECK(ir::toText(*foreseen) == ir::toText(call.graph(call.reference())));
  }
}

TEST_CASE("nothing is foreseen of a call that ATen refuses") {
  const auto read =
      inputs::parseFile("Operator: aten.mm.default\ncnt: 1, ((T([2, 3], f32), T([2, 3], f32)), {})\n", "a.txt", "s");
  CHECK_FALSE(runtime::foreseenGraph(read.samples.at(0)).has_value());
}
