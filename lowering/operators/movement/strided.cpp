// Elements of memory by offset and strides.
#include "ir/error.h"
#include "lowering/tensor/lowering.h"
#include "lowering/tensor/places.h"

namespace lowering {
namespace {

/// The elements of `self` that a call's size, stride and offset name, where memory has them in their order.
ElementOf stridedElements(Context& c) {
  const ir::TensorType& type = c.typeOf("self");
  if (!type.isContiguous()) ir::fail(ir::ErrorKind::Unsupported, "strides in memory in another order are not lowered");
  const std::vector<int64_t> strides = c.integers("stride");
  const int64_t start = c.isNone("storage_offset") ? 0 : c.integer("storage_offset");
  return [=, &pool = c.pool(), sizes = type.sizes](const Index& index) {
    Value offset{pool, pool.integer(ir::DType::I64, start)};
    for (std::size_t d = 0; d < index.size(); ++d) offset = offset + index[d] * strides[d];
    Index at = unflattened(offset, sizes);
    for (Value& place : at) place = simplified(place);
    return Element{std::move(at)};
  };
}
const Lowering asStridedCopy{
    "aten::as_strided_copy", [](Context& c) {
      const Tensor self = c.tensor("self");
      return Tensors{lazy(self.dtype, c.outputType().sizes,
                          [self, element = stridedElements(c)](const Index& index) { return self.at(element(index).index); })};
    }};
const Lowering asStridedScatter{
    "aten::as_strided_scatter", [](Context& c) {
      const Tensor self = c.tensor("self"), source = cast(c.tensor("src"), self.dtype);
      return Tensors{scatteredTo(c, {}, self, c.integers("size"), stridedElements(c), expand(source, c.integers("size")).at)};
    }};

}  // namespace
}  // namespace lowering
