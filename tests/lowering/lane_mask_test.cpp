// Conditions that hold for a whole vector or not at all.
#include "lowering/analysis/lane_mask.h"

#include <doctest/doctest.h>

#include "ir/value.h"

TEST_CASE("a condition is the same for a vector's lanes where it compares their axis with multiples of so many") {
  const ir::ExprPoolPtr pool = std::make_shared<ir::ExprPool>();
  const auto number = [&](int64_t value) { return ir::Value(*pool, pool->integer(ir::DType::I64, value)); };
  const ir::Value i(*pool, pool->axis(256)), row(*pool, pool->axis(7));
  const auto isSame = [&](const ir::Value& condition, int lanes = 4) {
    return lowering::isSameForLanes(*pool, condition.expr(), i.expr(), lanes);
  };
  CHECK(isSame(number(128) <= i));
  CHECK(isSame(i < number(128)));
  CHECK(isSame(i <= number(127)));
  CHECK(isSame(number(127) < i));
  CHECK(isSame(row * 12 + i - 8 < number(100)));
  CHECK(isSame((number(128) <= i) & (i < number(192)) & (row < number(3))));
  CHECK(isSame(i < number(128), 64));
  CHECK_FALSE(isSame(i < number(126)));
  CHECK_FALSE(isSame(i <= number(128)));
  CHECK_FALSE(isSame(number(128) < i));
  CHECK_FALSE(isSame(i + 2 < number(128)));
  CHECK_FALSE(isSame(i < number(128), 256));
  CHECK_FALSE(isSame(row * 3 + i < number(128)));
  CHECK_FALSE(isSame(i * 2 < number(128)));
  CHECK_FALSE(isSame(floorDiv(i, 2) < number(64)));
  CHECK_FALSE(isSame(i == number(128)));
  CHECK_FALSE(isSame((number(128) <= i) & (i < number(190))));
}
