#include "ir/flops.h"

#include <doctest/doctest.h>

#include "ir/text/text.h"

namespace {

double flops(const char* loops) { return ir::floatingPointOperations(ir::parseLoops(loops)); }

}  // namespace

TEST_CASE("what is computed for each element counts for each, and index arithmetic, casts and selections do not") {
  CHECK(flops(R"(loops example
  in  self f16[4, 8]
  out out0 f16[4, 8]
  for i0 in 4, i1 in 8
    out0[i0*8 + i1] = f16(exp(f32(self[i0*8 + i1])) + f32(1))
)") == 2 * 32);
}

TEST_CASE("a row's reduction counts once for each of its elements, whatever uses it") {
  CHECK(flops(R"(loops softmax
  in  self f32[64, 256]
  out out0 f32[64, 256]
  for i0 in 64, i1 in 256 reduce i2 in 256, i3 in 256
    let t0 = max[i2](self[i0*256 + i2])
    out0[i0*256 + i1] = exp(self[i0*256 + i1] - t0) * (f32(1) / add[i3](exp(self[i0*256 + i3] - t0)))
)") == 64 * (256 + 256 * 3 + 1 + 256 * 3));
}
