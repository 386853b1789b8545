#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/infer.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

TEST_CASE("the graph of a call is inferred without its device: what eager makes of it there") {
  const auto device = runtime::openDevice("cpu", 1);
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
    const auto inferred = runtime::inferGraph(sample, ir::Backend::Cpu);
    REQUIRE(inferred.has_value());
    CHECK(ir::toText(*inferred) == ir::toText(call.graph(call.runEager())));
  }
}

/// What the graph says of its results, `f16[2, 8], f32[2, 1]`.
std::string resultsOf(const std::string& op, const std::string& call) {
  const auto graph = runtime::inferGraph(tests::sample(op, call), ir::Backend::Cuda);
  REQUIRE(graph.has_value());
  std::string types;
  for (const int output : graph->outputs) types += (types.empty() ? "" : ", ") + ir::toText(graph->values[output].type);
  return types;
}

TEST_CASE(
    "normalizations have their statistics in single precision on CUDA, in evaluation too, and the gradients that are asked for") {
  CHECK(resultsOf("aten.native_layer_norm.default", "((T([2, 8], f16), [8], T([8], f16), T([8], f16), 1e-05), {})") ==
        "f16[2, 8], f32[2, 1], f32[2, 1]");
  for (const std::string training : {"True", "False"})
    CHECK(resultsOf("aten.native_batch_norm.default", "((T([2, 4, 3], bf16), T([4], bf16), None, None, None, " + training +
                                                          ", 0.1, 1e-05), {})") == "bf16[2, 4, 3], f32[4], f32[4]");
  CHECK(resultsOf("aten.native_layer_norm_backward.default",
                  "((T([2, 8], f16), T([2, 8], f16), [8], T([2, 1], f32), T([2, 1], f32), T([8], f16), T([8], f16), [True, "
                  "True, False]), {})") == "f16[2, 8], f16[8]");
  CHECK(resultsOf("aten.native_batch_norm_backward.default",
                  "((T([2, 4, 3], f16), T([2, 4, 3], f16), T([4], f16), None, None, T([4], f32), T([4], f32), True, 1e-05, "
                  "[True, True, True]), {})") == "f16[2, 4, 3], f16[4], f16[4]");
  CHECK(resultsOf("aten.cudnn_batch_norm.default",
                  "((T([2, 4, 3], f16), T([4], f32), T([4], f32), None, None, True, 0.1, 1e-05), {})") ==
        "f16[2, 4, 3], f32[4], f32[4], u8[0]");
  CHECK(
      resultsOf("aten.cudnn_batch_norm_backward.default",
                "((T([2, 4, 3], f16), T([2, 4, 3], f16), T([4], f32), None, None, T([4], f32), T([4], f32), 1e-05, T([0], u8)), "
                "{})") == "f16[2, 4, 3], f32[4], f32[4]");
}

TEST_CASE("views are found without a device, as those are that its storages show") {
  for (const auto& [op, call] :
       std::vector<std::pair<std::string, std::string>>{{"aten._unsafe_view.default", "((T([2, 6], f16), [3, 4]), {})"},
                                                        {"aten.as_strided_.default", "((T([6], f16), [2, 3], [3, 1]), {})"},
                                                        {"aten.expand.default", "((T([1, 6], f16), [2, 6]), {})"},
                                                        {"aten.new_empty.default", "((T([2], f16), [4]), {})"},
                                                        {"aten.permute.default", "((T([2, 6], f16), [1, 0]), {})"},
                                                        {"aten.positive.default", "((T([2], f16),), {})"},
                                                        {"aten.split.Tensor", "((T([6], f16), 2), {})"},
                                                        {"aten.split_with_sizes.default", "((T([6], f16), [2, 4]), {})"},
                                                        {"aten.unbind.int", "((T([2, 6], f16), 1), {})"},
                                                        {"aten.unsqueeze_.default", "((T([2], f16), 0), {})"},
                                                        {"aten.view.default", "((T([2, 6], f16), [12]), {})"}}) {
    CAPTURE(op);
    CHECK(runtime::isViewByRule(tests::sample(op, call)));
    CHECK(runtime::Call(tests::sample(op, call), *runtime::openDevice("cpu", 1), 0).isView());
  }
  CHECK_FALSE(runtime::isViewByRule(tests::sample("aten.clone.default", "((T([2], f16),), {})")));
  CHECK_FALSE(runtime::isViewByRule(tests::sample("aten.mm.default", "((T([2, 3], f32), T([3, 2], f32)), {})")));
  CHECK_FALSE(runtime::isViewByRule(tests::sample("aten.relu.default", "((T([2], f16),), {})")));
  CHECK_FALSE(runtime::isViewByRule(tests::sample("aten.no_such.default", "((T([2], f16),), {})")));
}

TEST_CASE("nothing is inferred of a call that ATen refuses") {
  const auto read =
      inputs::parseFile("Operator: aten.mm.default\ncnt: 1, ((T([2, 3], f32), T([2, 3], f32)), {})\n", "a.txt", "s");
  CHECK_FALSE(runtime::inferGraph(read.samples.at(0), ir::Backend::Cpu).has_value());
}
