// Scalars that lowerings and schedules compute with: numbers beside a Value take its dtype.
#include "ir/value.h"

#include <doctest/doctest.h>

#include <cstdint>

#include "ir/text/text.h"

namespace {

using ir::DType;
using ir::Value;

constexpr int64_t inexactInDouble = (int64_t{1} << 53) + 1;  // the first integer that double does not hold

struct Values {
  ir::ExprPool pool;
  Value i{pool, pool.axis(8)};
  Value of(DType dtype) { return {pool, pool.load(0, dtype, i.expr())}; }
};

std::string text(Value value) { return ir::toText(value.expr()); }

TEST_CASE("an integer beside an integer value is exact, on either side") {
  Values v;
  CHECK(text(v.i + inexactInDouble) == "i0 + 9007199254740993");
  CHECK(text(inexactInDouble - v.i) == "9007199254740993 - i0");
  CHECK(text(v.i == INT64_MAX) == "i0 == 9223372036854775807");
  CHECK(text(v.i > inexactInDouble) == "9007199254740993 < i0");
  CHECK(text(v.i >= inexactInDouble) == "9007199254740993 <= i0");
  CHECK(text(min(v.i, INT64_MAX)) == "min(i0, 9223372036854775807)");
  CHECK(text(mod(v.i * 3, inexactInDouble)) == "i0*3%9007199254740993");
  CHECK(text(where(v.i < 4, inexactInDouble, v.i)) == "where(i0 < 4, 9007199254740993, i0)");
  CHECK(text(where(v.i < 4, v.i, INT64_MIN)) == "where(i0 < 4, i0, -9223372036854775808)");
  CHECK(text(v.i.like(inexactInDouble) + inexactInDouble) == "18014398509481986");
}

TEST_CASE("a number takes the dtype of the value that it meets") {
  Values v;
  CHECK(text(v.of(DType::F32) * 3) == "b0[i0] * f32(3)");
  CHECK(text(v.of(DType::F32) * 0.1) == "b0[i0] * f32(0.1)");
  CHECK(text(v.of(DType::F64) + inexactInDouble) == "b0[i0] + f64(9007199254740992)");
  CHECK(text(v.of(DType::U8) ^ -1) == "b0[i0] ^ u8(255)");
  CHECK(text(v.of(DType::I32) > 0.0) == "i32(0) < b0[i0]");
}

}  // namespace
