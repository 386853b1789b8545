// Comparisons, predicates, logic and bits.
#include <limits>

#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

using ir::DType;

const Lowering eq{"aten::eq", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x == y; }); }};
const Lowering ne{"aten::ne", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x != y; }); }};
const Lowering lt{"aten::lt", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x < y; }); }};
const Lowering le{"aten::le", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x <= y; }); }};
const Lowering gt{"aten::gt", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x > y; }); }};
const Lowering ge{"aten::ge", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x >= y; }); }};

Value isInfinite(Value x) {
  if (!ir::isFloating(x.dtype())) return Value(x.pool(), x.pool().integer(DType::Bool, 0));
  return abs(x) == std::numeric_limits<double>::infinity();
}
/// Whether a number is the infinity of this sign.
template <int sign>
Value isInfinity(Value x) {
  if (!ir::isFloating(x.dtype())) return Value(x.pool(), x.pool().integer(DType::Bool, 0));
  return x == sign * std::numeric_limits<double>::infinity();
}
Value isNotANumber(Value x) {
  if (!ir::isFloating(x.dtype())) return Value(x.pool(), x.pool().integer(DType::Bool, 0));
  return isNan(x);
}
const Lowering isinf{"aten::isinf", [](Context& c) { return pointwise(c, isInfinite); }};
const Lowering isposinf{"aten::isposinf", [](Context& c) { return pointwise(c, isInfinity<1>); }};
const Lowering isneginf{"aten::isneginf", [](Context& c) { return pointwise(c, isInfinity<-1>); }};
const Lowering isnan{"aten::isnan", [](Context& c) { return pointwise(c, isNotANumber); }};

const Lowering logicalAnd{"aten::logical_and", [](Context& c) {
                            return pointwise(c, [](Value x, Value y) { return cast(x, DType::Bool) & cast(y, DType::Bool); });
                          }};
const Lowering logicalOr{"aten::logical_or", [](Context& c) {
                           return pointwise(c, [](Value x, Value y) { return cast(x, DType::Bool) | cast(y, DType::Bool); });
                         }};
const Lowering logicalXor{"aten::logical_xor", [](Context& c) {
                            return pointwise(c, [](Value x, Value y) { return cast(x, DType::Bool) ^ cast(y, DType::Bool); });
                          }};
const Lowering logicalNot{"aten::logical_not",
                          [](Context& c) { return pointwise(c, [](Value x) { return !cast(x, DType::Bool); }); }};

const Lowering bitwiseAnd{"aten::bitwise_and", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x & y; }); }};
const Lowering bitwiseOr{"aten::bitwise_or", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x | y; }); }};
const Lowering bitwiseXor{"aten::bitwise_xor", [](Context& c) { return pointwise(c, [](Value x, Value y) { return x ^ y; }); }};
const Lowering bitwiseNot{
    "aten::bitwise_not", [](Context& c) { return pointwise(c, [](Value x) { return x.dtype() == DType::Bool ? !x : x ^ -1; }); }};

}  // namespace
}  // namespace lowering
