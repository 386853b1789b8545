// What is compiled ahead of its turn: the graph that is inferred without the GPU against what eager makes of the call there.
#include <doctest/doctest.h>

#include "inputs/convert.h"
#include "ir/text/text.h"
#include "runtime/torch/infer.h"
#include "runtime/workloads/call.h"
#include "tests/gpu/gpu.h"

TEST_CASE("the graph of a call is inferred as eager makes it on the GPU") {
  const std::string samples =
      "Operator: aten.add.Tensor\ncnt: 1, ((T([2, 3], f16, stride=(1, 2)), T([3], f32)), {})\n"
      "Operator: aten.native_layer_norm.default\ncnt: 1, ((T([2, 8], f16), [8], T([8], f16), T([8], f16), 1e-05), {})\n"
      "Operator: aten.native_layer_norm_backward.default\n"
      "cnt: 1, ((T([2, 8], f16), T([2, 8], f16), [8], T([2, 1], f32), T([2, 1], f32), T([8], f16), T([8], f16), [True, True, "
      "True]), {})\n"
      "Operator: aten.native_group_norm.default\ncnt: 1, ((T([2, 4, 3, 3], f16), T([4], f16), T([4], f16), 2, 4, 9, 2, 1e-05), "
      "{})\n"
      "Operator: aten.native_group_norm_backward.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([2, 4, 3, 3], f16), T([2, 2], f16), T([2, 2], f16), T([4], f16), 2, 4, 9, 2, [True, "
      "True, True]), {})\n"
      "Operator: aten._softmax_backward_data.default\ncnt: 1, ((T([2, 8], f16), T([2, 8], f16), -1, f16), {})\n"
      "Operator: aten.nll_loss_forward.default\ncnt: 1, ((T([4, 8], f16), T([4], i64), None, 1, -100), {})\n"
      "Operator: aten.native_batch_norm.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([4], f16), T([4], f16), T([4], f16), T([4], f16), True, 0.1, 1e-05), {})\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([4], f16), T([4], f16), T([4], f16), T([4], f16), False, 0.1, 1e-05), {})\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16, stride=(36, 1, 12, 4)), T([4], f16), None, None, None, True, 0.1, 1e-05), {})\n"
      "cnt: 1, ((T([6, 4], f16), T([4], f16), T([4], f16), T([4], f16), T([4], f16), True, 0.1, 1e-05), {})\n"
      "Operator: aten.cudnn_batch_norm.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([4], f32), T([4], f32), T([4], f32), T([4], f32), True, 0.1, 1e-05), {})\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16, stride=(36, 1, 12, 4)), T([4], f32), T([4], f32), T([4], f32), T([4], f32), True, 0.1, "
      "1e-05), {})\n"
      "Operator: aten.cudnn_batch_norm_backward.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([2, 4, 3, 3], f16), T([4], f32), T([4], f32), T([4], f32), T([4], f32), T([4], f32), "
      "1e-05, T([0], u8)), {})\n"
      "Operator: aten.native_batch_norm_backward.default\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([2, 4, 3, 3], f16), T([4], f16), T([4], f16), T([4], f16), T([4], f32), T([4], f32), "
      "True, 1e-05, [True, True, True]), {})\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([2, 4, 3, 3], f16), T([4], f16), None, None, T([4], f32), T([4], f32), True, 1e-05, "
      "[True, True, False]), {})\n"
      "cnt: 1, ((T([2, 4, 3, 3], f16), T([2, 4, 3, 3], f16), T([4], f16), T([4], f16), T([4], f16), T([0], f32), T([0], f32), "
      "False, 1e-05, [True, True, True]), {})\n";
  for (const ir::DType dtype : {ir::DType::F16, ir::DType::F32}) {
    for (const inputs::Sample& recorded : inputs::parseFile(samples, "a.txt", "s").samples) {
      const inputs::Sample sample = inputs::convert(recorded, dtype, false);
      CAPTURE(sample.op);
      runtime::Call call(sample, tests::gpu(), 0);
      const auto inferred = runtime::inferGraph(sample, ir::Backend::Cuda);
      CHECK(inferred.has_value());
      if (inferred) CHECK(ir::toText(*inferred) == ir::toText(call.graph(call.runEager())));
    }
  }
}
