// Random integers, all of a range as likely.
#include <algorithm>
#include <limits>

#include "ir/error.h"
#include "ir/scalar.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/random.h"

namespace lowering {
namespace {

using ir::DType;

/// Integers from `low` on, `count` of them (2^64 is 0), in the dtype of the first output. Of up to 2^32 the upper half of a
/// product with 32 bits is taken, of more the remainder of 64.
Tensors integers(Context& c, int64_t low, uint64_t count) {
  const DType dtype = c.outputType().dtype;
  if (ir::isComplex(dtype)) ir::fail(ir::ErrorKind::Unsupported, "random integers of {} are not lowered", ir::name(dtype));
  const Draws draws(c);
  const bool isWide = count == 0 || count > (uint64_t{1} << 32);
  const auto integer = [low, count, isWide](Value word) {
    const Value wide = cast(word, DType::U64), range = wide.like(static_cast<int64_t>(count));
    const Value number =
        isWide ? (count == 0 ? wide : apply(ir::Op::Mod, wide, range)) : apply(ir::Op::Shr, wide * range, wide.like(int64_t{32}));
    return cast(number, DType::I64) + low;
  };
  Tensor all = map(integer, isWide ? draws.wideBits() : draws.bits());
  all.dtype = DType::I64;
  return {cast(all, dtype)};
}

/// Up to before `high`.
Tensors integersBelow(Context& c, int64_t low, int64_t high) {
  return integers(c, low, static_cast<uint64_t>(high) - static_cast<uint64_t>(low));
}

Tensors randomIntegers(Context& c) { return integersBelow(c, c.has("low") ? c.integer("low") : 0, c.integer("high")); }
const Lowering randint{"aten::randint", randomIntegers};
const Lowering randintLike{"aten::randint_like", [](Context& c) {
                             if (c.argument("high").is<ir::ValueRef>())
                               ir::fail(ir::ErrorKind::Unsupported, "random integers below a tensor's are not lowered");
                             return randomIntegers(c);
                           }};

/// The largest integer that a dtype holds with all below it.
int64_t largest(DType dtype) {
  switch (dtype) {
    case DType::F64: return int64_t{1} << 53;
    case DType::F32: return int64_t{1} << 24;
    case DType::F16: return int64_t{1} << 11;
    case DType::BF16: return int64_t{1} << 8;
    case DType::Bool: return 1;
    case DType::U64: return std::numeric_limits<int64_t>::max();
    default: return ir::highest(dtype);
  }
}
const Lowering random{"aten::random", [](Context& c) {
                        const int64_t most = largest(c.outputType().dtype);
                        const int64_t low = c.has("from") ? c.integer("from") : 0;
                        if (c.has("to") && !c.isNone("to")) return integersBelow(c, low, c.integer("to"));
                        return integers(c, low, static_cast<uint64_t>(most) - static_cast<uint64_t>(low) + 1);
                      }};

}  // namespace
}  // namespace lowering
