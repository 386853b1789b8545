#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/torch/traffic.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"

namespace {

/// The call as a graph, in text, after it was verified.
std::string graphText(const std::string& op, const std::string& text) {
  const auto device = runtime::openDevice("cpu", 1);
  runtime::Call call(tests::sample(op, text), *device, 1);
  const ir::Graph graph = call.graph(call.runEager());
  ir::verify(graph);
  return ir::toText(graph);
}

int64_t bytes(const std::string& op, const std::string& text) {
  const auto device = runtime::openDevice("cpu", 1);
  runtime::Call call(tests::sample(op, text), *device, 1);
  const runtime::Traffic traffic = call.traffic(call.graph(call.runEager()));
  return traffic.read + traffic.written;
}

/// Where `onlyMoves` names the calls that only move elements.
double operations(const std::string& graph, const std::string& onlyMoves = "-") {
  return runtime::operationsOf(ir::parseGraph(graph), [&](const ir::Node& node) { return node.op.starts_with(onlyMoves); });
}

}  // namespace

TEST_CASE("tensors are values, numbers stay numbers") {
  CHECK(graphText("aten.add.Tensor", "((T([2, 3], f16), T([3], f32)), {'alpha': 2})") == R"(graph
  in self  f16[2, 3]
  in other f32[3]
  out0 f32[2, 3] = aten.add.Tensor(self=self, other=other, alpha=2)
  return out0
)");
  CHECK(graphText("aten.add.Tensor", "((T([2, 3], f16, stride=(1, 2)), 0.5), {})") == R"(graph
  in self f16[2, 3] strides (1, 2)
  out0 f16[2, 3] strides (1, 2) = aten.add.Tensor(self=self, other=0.5, alpha=1)
  return out0
)");
}

TEST_CASE("an in-place call writes its argument and returns it") {
  CHECK(graphText("aten.add_.Tensor", "((T([2, 3], f16), T([], f16)), {})") == R"(graph
  in self  f16[2, 3]
  in other f16[]
  self = aten.add_.Tensor(self=self, other=other, alpha=1) writes self
  return self
)");
}

TEST_CASE("dtypes, layouts and absent arguments") {
  CHECK(graphText("aten._to_copy.default", "((T([2], f32),), {'dtype': f16, 'layout': torch.strided, 'device': 'cuda'})") ==
        R"(graph
  in self f32[2]
  out0 f16[2] = aten._to_copy.default(self=self, dtype=f16, layout=torch.strided, device=device("cpu"), pin_memory=None, non_blocking=False, memory_format=None)
  return out0
)");
}

TEST_CASE("lists of tensors") {
  CHECK(graphText("aten.cat.default", "(([T([2], f32), T([3], f32)],), {})") == R"(graph
  in tensors0 f32[2]
  in tensors1 f32[3]
  out0 f32[5] = aten.cat.default(tensors=[tensors0, tensors1], dim=0)
  return out0
)");
}

TEST_CASE("written arguments that are not returned are outputs of the graph") {
  CHECK(graphText("aten.native_batch_norm.default",
                  "((T([4, 3, 8], f32), None, None, T([3], f32), T([3], f32), True, 0.1, 1e-05), {})") == R"(graph
  in input        f32[4, 3, 8]
  in running_mean f32[3]
  in running_var  f32[3]
  out0 f32[4, 3, 8], out1 f32[3], out2 f32[3] = aten.native_batch_norm.default(input=input, weight=None, bias=None, running_mean=running_mean, running_var=running_var, training=True, momentum=0.1, eps=1e-05) writes running_mean, running_var
  return out0, out1, out2, running_mean, running_var
)");
}

TEST_CASE("bytes: what is read and what is written") {
  CHECK(bytes("aten.add.Tensor", "((T([4, 8], f32), T([8], f32)), {})") == 4 * (32 + 8 + 32));
  CHECK(bytes("aten.add.Tensor", "((T([4, 8], f32, stride=(0, 1)), 1), {})") == 4 * (8 + 32));
  CHECK(bytes("aten.add_.Tensor", "((T([4, 8], f32), 1), {})") == 4 * (32 + 32));
  CHECK(bytes("aten.fill_.Scalar", "((T([4, 8], f32), 1), {})") == 4 * 32);
  CHECK(bytes("aten.copy_.default", "((T([4, 8], f32), T([4, 8], f16)), {})") == 4 * 32 + 2 * 32);
  CHECK(bytes("aten.new_zeros.default", "((T([1000], f32), [4]), {})") == 4 * 4);
  CHECK(bytes("aten.embedding.default", "((T([1000, 8], f32), T([4], i64)), {})") == 4 * 32 + 8 * 4 + 4 * 32);
  CHECK(bytes("aten.index_add_.default", "((T([1000, 8], f32), 0, T([4], i64), T([4, 8], f32)), {})") == 3 * (8 * 4 + 4 * 32));
  CHECK(bytes("aten.nll_loss_forward.default", "((T([4, 1000], f32), T([4], i64), None, 1, -100), {})") == 4 * 4 + 8 * 4 + 4 * 2);
  CHECK(bytes("aten.tril.default", "((T([8, 8], f32),), {})") == 4 * 32 + 4 * 64);
  CHECK(bytes("aten.split.Tensor", "((T([6], f32), 2), {})") == 0);
  CHECK(bytes("aten.mm.default", "((T([0, 8], f32), T([8, 9], f32)), {})") == 0);
}

TEST_CASE("operations: one for each element that is combined or made, by call, whatever loops the calls become") {
  CHECK(operations(R"(graph
  in x0 f32[4, 8]
  in x1 f32[8]
  y0 f32[4, 8] = aten.add.Tensor(self=x0, other=x1, alpha=1)
  y1 f32[4] = aten.sum.dim_IntList(self=y0, dim=[1], keepdim=False, dtype=None)
  y2 f32[4] = aten.exp.default(self=y1)
  return y2
)") == 32 + 32 + 4);
  // A row's sum in all elements of two padded tensors is one sum, though loops may compute it for each of them.
  CHECK(operations(R"(graph
  in x0 f32[16, 128]
  y0 f32[16, 1] = aten.sum.dim_IntList(self=x0, dim=[1], keepdim=True, dtype=None)
  y1 f32[16, 128] = aten.mul.Tensor(self=x0, other=y0)
  y2 f32[128, 16] strides (1, 128) of y1 = aten.permute.default(self=y1, dims=[1, 0])
  y3 f32[130, 16] = aten.constant_pad_nd.default(self=y2, pad=[0, 0, 0, 2], value=0)
  return y1, y3
)",
                   "aten.constant_pad_nd") == 2 * 16 * 128);
}

TEST_CASE("operations: none for views, moves, integers and elements that are not read") {
  const std::string in = "graph\n  in x0 f32[1000, 8]\n  in x1 i64[4]\n  ";
  CHECK(operations(in + "y0 f32[8, 1000] strides (1, 8) of x0 = aten.t.default(self=x0)\n  return y0\n") == 0);
  CHECK(operations(in + "y0 i64[4] = aten.add.Tensor(self=x1, other=x1, alpha=1)\n  return y0\n") == 0);
  const std::string picked = in + "y0 f32[4, 8] = aten.embedding.default(weight=x0, indices=x1)\n  return y0\n";
  CHECK(operations(picked) == 32);
  CHECK(operations(picked, "aten.embedding") == 0);
}

TEST_CASE("of a part that alone is read, no more bytes and operations count than the part has") {
  const auto head = std::string("graph\n  in x0 f32[8, 10, 16]\n  y0 f32[8, 10, 16] = aten.tanh.default(self=x0)\n");
  const std::string first = head +
                            "  y1 f32[8, 16] strides (160, 1) of y0 = aten.select.int(self=y0, dim=1, index=0)\n"
                            "  y2 f32[8, 16] = aten.exp.default(self=y1)\n";
  CHECK(operations(first + "  return y2\n") == 8 * 16 + 8 * 16);
  CHECK(runtime::trafficOf(ir::parseGraph(first + "  return y2\n")).read == 4 * 8 * 16);
  CHECK(operations(first + "  return y0, y2\n") == 8 * 10 * 16 + 8 * 16);
  CHECK(runtime::trafficOf(ir::parseGraph(first + "  return y0, y2\n")).read == 4 * 8 * 10 * 16);
  const std::string halves =
      head +
      "  y1 f32[8, 10, 8] strides (160, 16, 1) of y0 = aten.slice.Tensor(self=y0, dim=2, start=0, end=8, step=1)\n"
      "  y2 f32[8, 10, 8] strides (160, 16, 1) of y0 + 8 = aten.slice.Tensor(self=y0, dim=2, start=8, end=16, step=1)\n"
      "  y3 f32[8, 10, 8] = aten.mul.Tensor(self=y1, other=y2)\n  return y3\n";
  CHECK(operations(halves) == 8 * 10 * 16 + 8 * 10 * 8);
}
