// Choosing between values, filling and converting.
#include "ir/error.h"
#include "lowering/tensor/places.h"
#include "lowering/tensor/pointwise.h"

namespace lowering {
namespace {

const Lowering whereOf{"aten::where", [](Context& c) {
                         return pointwise(c, {"condition", "self", "other"},
                                          [](Mask m, Value x, Value y) { return where(m, x, y); });
                       }};
/// The call's `value`, a number or a tensor of rank 0, in a dtype.
Value valueIn(const Context& c, ir::DType dtype) {
  return c.argument("value").is<ir::ValueRef>() ? cast(c.tensor("value").at({}), dtype) : c.constant("value", dtype);
}

const Lowering maskedFill{"aten::masked_fill", [](Context& c) {
                            const Tensor self = c.tensor("self");
                            const Value value = cast(valueIn(c, ir::opmath(self.dtype)), ir::opmath(self.dtype));
                            const auto chosen = [value](Value x, Value isMasked) { return where(isMasked, value, x); };
                            return Tensors{cast(map(chosen, inOpmath(self), c.tensor("mask")), self.dtype)};
                          }};

/// A tensor that is one number everywhere; `self` gives only its type.
const Lowering fill{
    "aten::fill", [](Context& c) {
      const Tensor self = c.tensor("self");
      return Tensors{constant(ir::TensorType::contiguous(self.dtype, self.sizes), valueIn(c, ir::opmath(self.dtype)))};
    }};

/// The dtype of a complex number's parts.
ir::DType partOf(ir::DType complex) {
  return complex == ir::DType::C32 ? ir::DType::F16 : complex == ir::DType::C64 ? ir::DType::F32 : ir::DType::F64;
}

/// A complex result, as pairs of its parts.
Tensors pairsOf(const Context& c, const Tensor& real, const Tensor& imaginary) {
  const ir::DType part = partOf(c.outputType().dtype);
  ir::Shape pairs = c.outputType().sizes;
  const Tensor first = expand(cast(real, part), pairs), second = expand(cast(imaginary, part), pairs);
  pairs.push_back(2);
  return {lazy(part, pairs, [first, second](const Index& index) {
    const Index at(index.begin(), index.end() - 1);
    return where(index.back() == 0, first.at(at), second.at(at));
  })};
}

/// A conversion to the output's dtype.
const Lowering toCopy{"aten::_to_copy", [](Context& c) {
                        const Tensor self = c.tensor("self");
                        const ir::DType dtype = c.outputType().dtype;
                        if (!ir::isComplex(dtype)) return Tensors{cast(self, dtype)};
                        return pairsOf(c, self, zeros(c.pool(), ir::TensorType::contiguous(partOf(dtype), {})));
                      }};
const Lowering complexOf{"aten::complex", [](Context& c) { return pairsOf(c, c.tensor("real"), c.tensor("imag")); }};
const Lowering polar{"aten::polar", [](Context& c) {
                       const auto part = [&](Value (*function)(Value)) {
                         return map([function](Value size, Value angle) { return size * function(angle); }, c.tensor("abs"),
                                    c.tensor("angle"));
                       };
                       return pairsOf(c, part(ir::cos), part(ir::sin));
                     }};

/// One triangle of the last two dimensions; the rest is 0.
template <typename Keep>
Tensors triangle(Context& c, Keep keep) {
  const Tensor self = c.tensor("self");
  const int64_t diagonal = c.integer("diagonal");
  return {lazy(self.dtype, self.sizes, [self, diagonal, keep](const Index& index) {
    const Value above = index[index.size() - 1] - index[index.size() - 2];
    return where(keep(above, diagonal), self.at(index), 0.0);
  })};
}
const Lowering tril{"aten::tril",
                    [](Context& c) { return triangle(c, [](Value above, int64_t diagonal) { return above <= diagonal; }); }};
const Lowering triu{"aten::triu",
                    [](Context& c) { return triangle(c, [](Value above, int64_t diagonal) { return above >= diagonal; }); }};

}  // namespace
}  // namespace lowering
