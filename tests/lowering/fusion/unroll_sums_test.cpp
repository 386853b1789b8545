// Short sums that are written out so that loops are a transposition.
#include "lowering/fusion/unroll_sums.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"
#include "lowering/analysis/reduction_nest.h"
#include "lowering/tensor/lowering.h"
#include "tests/lowering/schedule/schedules.h"
#include "tests/targets.h"

namespace {

ir::Loops sumOf(const std::string& type, const std::string& dims, const std::string& result) {
  return lowering::lower(ir::parseGraph("graph\n  in self " + type + "\n  out0 " + result +
                                        " = aten.sum.dim_IntList(self=self, dim=" + dims +
                                        ", keepdim=False, dtype=None)\n  return out0\n"))
      .front();
}

bool isUnrolled(const ir::Loops& loops, const ir::Target& target = tests::hopper()) {
  return !lowering::reductionNestOf(lowering::unrollSums({loops}, target).front()).has_value();
}

}  // namespace

TEST_CASE("sums over two heads of a tensor that lies across the result are written out") {
  const ir::Loops sum = sumOf("f16[4, 2, 512, 256] strides (262144, 131072, 1, 512)", "[1]", "f16[4, 512, 256]");
  CHECK(isUnrolled(sum));
  CHECK_FALSE(isUnrolled(sum, tests::avx512()));
}

TEST_CASE("sums stay that are long, or small, or of tensors that run as the result does, or along the sum") {
  CHECK_FALSE(isUnrolled(sumOf("f16[4, 16, 512, 256] strides (2097152, 131072, 1, 512)", "[1]", "f16[4, 512, 256]")));
  CHECK_FALSE(isUnrolled(sumOf("f16[1, 2, 32, 64] strides (4096, 2048, 1, 32)", "[1]", "f16[1, 32, 64]")));
  CHECK_FALSE(isUnrolled(sumOf("f16[4, 2, 512, 256]", "[1]", "f16[4, 512, 256]")));
  CHECK_FALSE(isUnrolled(sumOf("f16[4096, 512, 4]", "[2]", "f16[4096, 512]")));
}

TEST_CASE("a sum that is written out is the same, for any data and schedule") {
  const ir::Loops sum = sumOf("f32[2, 3, 256, 192] strides (147456, 49152, 1, 256)", "[1]", "f32[2, 256, 192]");
  const ir::Loops unrolled = lowering::unrollSums({sum}, tests::hopper()).front();
  REQUIRE_NOTHROW(ir::verify(unrolled));
  std::vector<ir::Memory> expected = tests::randomMemory(sum, 5), found = expected;
  ir::interpret(sum, expected);
  ir::interpret(unrolled, found);
  for (std::size_t b = 0; b < expected.size(); ++b) CHECK(tests::same(found[b], expected[b]));
}
