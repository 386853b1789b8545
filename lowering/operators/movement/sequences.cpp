// Numbers at equal distances, and powers of them.
#include <cmath>

#include "ir/error.h"
#include "lowering/tensor/lowering.h"

namespace lowering {
namespace {

/// From `start` to `end`, each a number or a tensor of one, in `steps` numbers; from whichever end is nearer.
Tensor spaced(Context& c) {
  const ir::TensorType& type = c.outputType();
  if (!ir::isFloating(type.dtype)) ir::fail(ir::ErrorKind::Unsupported, "sequences of {} are not lowered", ir::name(type.dtype));
  const ir::DType dtype = ir::opmath(type.dtype);
  const auto bound = [&](const char* name) {
    return c.argument(name).is<ir::ValueRef>() ? cast(c.tensor(name).at({}), dtype) : c.constant(name, dtype);
  };
  const Value start = bound("start"), end = bound("end");
  const int64_t steps = c.integer("steps");
  return lazy(dtype, type.sizes, [=](const Index& index) {
    if (steps == 1) return start;
    const Value step = (end - start) / static_cast<double>(steps - 1);
    const Value after = cast(index[0], dtype), before = cast((steps - 1) - index[0], dtype);
    return where(index[0] < steps / 2, start + step * after, end - step * before);
  });
}
/// `start`, `start + step`, and so on: integers, which ATen adds up as such.
Tensors arange(Context& c) {
  const ir::TensorType& type = c.outputType();
  const auto bound = [&](const char* name, int64_t otherwise) {
    if (!c.has(name)) return otherwise;
    if (!c.argument(name).is<int64_t>()) ir::fail(ir::ErrorKind::Unsupported, "arange of {} that is no integer", name);
    return c.integer(name);
  };
  if (ir::isFloating(type.dtype)) ir::fail(ir::ErrorKind::Unsupported, "arange of {} is not lowered", ir::name(type.dtype));
  const int64_t start = bound("start", 0), step = bound("step", 1);
  return {lazy(type.dtype, type.sizes, [=](const Index& index) { return cast(index[0] * step + start, type.dtype); })};
}

const Lowering consecutive{"aten::arange", arange};
const Lowering linspace{"aten::linspace", [](Context& c) { return Tensors{cast(spaced(c), c.outputType().dtype)}; }};
const Lowering logspace{"aten::logspace", [](Context& c) {
                          const double base = c.number("base");
                          return Tensors{cast(map([base](Value x) { return pow(base, x); }, spaced(c)), c.outputType().dtype)};
                        }};

}  // namespace
}  // namespace lowering
