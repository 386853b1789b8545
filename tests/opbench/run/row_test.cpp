// What a row says of a call: the call in brief, and its family.
#include <doctest/doctest.h>

#include "opbench/results/brief.h"
#include "opbench/run/family.h"
#include "runtime/device.h"
#include "runtime/devices/open.h"
#include "runtime/workloads/call.h"
#include "tests/runtime/sample.h"
#include "tests/targets.h"

namespace {

std::string_view familyOf(const std::string& op, const std::string& text) {
  const auto device = runtime::openDevice("cpu", 1);
  runtime::Call call(tests::sample(op, text), *device, 1);
  return opbench::familyOf(codegen::compile(call.graph(call.runEager()), tests::avx512()));
}

}  // namespace

TEST_CASE("a call's family is what its loops do") {
  CHECK(familyOf("aten._to_copy.default", "((T([4, 8], f32),), {'dtype': f16})") == "copy");
  CHECK(familyOf("aten.add.Tensor", "((T([4, 8], f32), 1), {})") == "pointwise");
  CHECK(familyOf("aten.sum.dim_IntList", "((T([4, 8], f32), [1]), {})") == "reduction");
  CHECK(familyOf("aten.var.correction", "((T([4, 8], f32), [1]), {})") == "reduction");
  CHECK(familyOf("aten._softmax.default", "((T([4, 8], f32), 1, False), {})") == "normalization");
  CHECK(familyOf("aten.mm.default", "((T([4, 8], f32), T([8, 2], f32)), {})") == "fallback");
}

TEST_CASE("a sample in brief: tensors by dtype and sizes, strides only where they are not row-major") {
  inputs::Sample s;
  s.args = {ir::TensorType::contiguous(ir::DType::F16, {16, 128}),
            ir::TensorType{ir::DType::F32, {2, 3}, {1, 2}},
            ir::None{},
            ir::List{{int64_t{1}, int64_t{-1}}, false},
            0.5,
            true,
            ir::DType::BF16,
            std::string("tanh")};
  s.kwargs = {{"alpha", int64_t{2}}, {"device", ir::DeviceName{"cuda"}}};
  CHECK(opbench::brief(s) == "f16[16,128], f32[2,3](1,2), None, [1,-1], 0.5, True, bf16, 'tanh', alpha=2, device=cuda");
}
