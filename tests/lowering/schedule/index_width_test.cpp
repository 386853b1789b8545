// Which kernels have indices of 32 bits, on both sides of the limit: nothing is computed, so that tensors can be as large as they
// are.
#include <doctest/doctest.h>

#include "ir/index/width.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "lowering/tensor/lowering.h"
#include "tests/kernels_of.h"
#include "tests/targets.h"

namespace {

/// Whether all kernels of a graph have indices of 32 bits. All of them verify.
bool areNarrow(const std::string& lines, const ir::Target& target = tests::hopper()) {
  bool areAll = true;
  for (ir::Kernel& kernel : tests::kernelsOf(lowering::lower(ir::parseGraph("graph\n" + lines)), target)) {
    INFO(ir::toText(kernel));
    REQUIRE_NOTHROW(ir::verify(kernel, target));
    areAll = areAll && kernel.index32;
    if (kernel.index32 || target.backend == ir::Backend::Cpu) continue;
    kernel.index32 = true;
    CHECK_THROWS(ir::verify(kernel, target));
  }
  return areAll;
}

/// The same of an operator on one tensor whose result has that type, or another one.
bool areNarrow(const std::string& call, const std::string& type, const std::string& result = "") {
  return areNarrow("  in self " + type + "\n  out0 " + (result.empty() ? type : result) + " = " + call + "\n  return out0\n");
}

}  // namespace

TEST_CASE("pointwise: flat, and with a last vector that is part of one") {
  const auto relu = [](const std::string& type) { return areNarrow("aten.relu.default(self=self)", type); };
  CHECK(relu("f16[2147483640]"));
  CHECK(relu("f16[2147483647]"));
  CHECK(relu("f16[2147483648]"));  // the last index is one less
  CHECK_FALSE(relu("f16[2147483649]"));
  CHECK_FALSE(relu("f16[2147487744]"));
  CHECK(relu("f32[65536, 32767]"));
  CHECK_FALSE(relu("f32[65536, 32769]"));
}

TEST_CASE("pointwise: few elements that are far apart, and lanes that divide") {
  const auto product = [](const std::string& strides) {
    return areNarrow("  in self f32[1000, 1000] strides (" + strides + ")\n  in other f32[1000, 1]\n" +
                     "  out0 f32[1000, 1000] = aten.mul.Tensor(self=self, other=other)\n  return out0\n");
  };
  CHECK(product("2000000, 1"));
  CHECK_FALSE(product("3000000, 1"));
  CHECK(product("1, 2000000"));
  CHECK_FALSE(product("1, 3000000"));
  const auto rows = [](const std::string& count) {
    return areNarrow("  in self f32[" + count + ", 77]\n  in other f32[" + count + ", 1]\n  out0 f32[" + count +
                     ", 77] = aten.mul.Tensor(self=self, other=other)\n  return out0\n");
  };
  CHECK(rows("27889000"));  // 2147453000
  CHECK_FALSE(rows("27890000"));
}

TEST_CASE("rows: short ones, long ones, and one of the whole grid") {
  const auto softmax = [](const std::string& type) {
    return areNarrow("aten._softmax.default(self=self, dim=-1, half_to_float=False)", type);
  };
  CHECK(softmax("f16[65535, 32768]"));
  CHECK_FALSE(softmax("f16[65537, 32768]"));
  CHECK(softmax("f32[67108863, 32]"));
  CHECK_FALSE(softmax("f32[67108865, 32]"));
  const auto sum = [](const std::string& count) {
    return areNarrow("aten.sum.default(self=self)", "f32[" + count + "]", "f32[]");
  };
  CHECK(sum("2147000000"));
  CHECK_FALSE(sum("2148000000"));
}

TEST_CASE("columns, and segments that are not aligned") {
  const auto sum = [](const std::string& rows, const std::string& columns) {
    return areNarrow("aten.sum.dim_IntList(self=self, dim=[0], keepdim=False)", "f32[" + rows + ", " + columns + "]",
                     "f32[" + columns + "]");
  };
  CHECK(sum("2097000", "1024"));
  CHECK_FALSE(sum("2098000", "1024"));
  CHECK(sum("2147000", "1000"));
  CHECK_FALSE(sum("2148000", "1000"));
  const auto norm = [](const std::string& samples) {
    return areNarrow("aten.sum.dim_IntList(self=self, dim=[2], keepdim=False)", "f16[" + samples + ", 64, 49]",
                     "f16[" + samples + ", 64]");
  };
  CHECK(norm("684000"));
  CHECK_FALSE(norm("685000"));
}

TEST_CASE("tiles that are staged") {
  const auto softmax = [](const std::string& rows) {
    return areNarrow("  in self f16[" + rows + ", 256] strides (1, " + rows + ")\n  out0 f16[" + rows +
                     ", 256] = aten._softmax.default(self=self, dim=-1, half_to_float=False)\n  return out0\n");
  };
  CHECK(softmax("8388000"));
  CHECK_FALSE(softmax("8389000"));
}

TEST_CASE("scans along rows and along columns") {
  const auto scan = [](const std::string& dim, const std::string& rows) {
    return areNarrow("aten.cumsum.default(self=self, dim=" + dim + ")", "f32[" + rows + ", 1024]");
  };
  CHECK(scan("1", "2097000"));
  CHECK_FALSE(scan("1", "2098000"));
  CHECK(scan("0", "2097000"));
  CHECK_FALSE(scan("0", "2098000"));
}

TEST_CASE("places that are read from memory") {
  const auto loss = [](const std::string& samples) {
    return areNarrow("  in self f32[" + samples + ", 1000]\n  in target i64[" + samples + "]\n" +
                     "  out0 f32[], out1 f32[] = aten.nll_loss_forward.default(self=self, target=target, weight=None, "
                     "reduction=2, ignore_index=-100)\n  return out0, out1\n");
  };
  CHECK(loss("2147000"));
  CHECK_FALSE(loss("2148000"));
}

TEST_CASE("CPUs have indices of 64 bits") {
  const std::string relu = "  in self f32[100]\n  out0 f32[100] = aten.relu.default(self=self)\n  return out0\n";
  CHECK_FALSE(areNarrow(relu, tests::avx512()));
}
