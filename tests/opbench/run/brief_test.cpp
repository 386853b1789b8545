#include "opbench/run/brief.h"

#include <doctest/doctest.h>

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
