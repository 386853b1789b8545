// Products of vectors, element by element.
#include <algorithm>

#include "lowering/tensor/pointwise.h"
#include "lowering/tensor/reduce.h"

namespace lowering {
namespace {

/// A matrix and the products of the elements of two vectors. Times 0 there is nothing of the matrix, not even its NaN.
Tensors outerProduct(Context& c) {
  const ir::DType dtype = ir::opmath(c.outputType().dtype);
  const Tensor self = cast(c.tensor("self"), dtype), first = cast(c.tensor("vec1"), dtype),
               second = cast(c.tensor("vec2"), dtype);
  const Value alpha = c.constant("alpha", dtype), beta = c.constant("beta", dtype);
  const bool isAdded = c.number("beta") != 0;
  const auto sum = [=](Value x, Value a, Value b) { return isAdded ? x * beta + a * b * alpha : a * b * alpha; };
  return asOutputs(c, {map(sum, self, unsqueezed(first, 1), second)});
}

/// Of vectors of three elements along a dimension.
Tensors crossProduct(Context& c) {
  const ir::Shape& sizes = c.outputType().sizes;
  const ir::DType dtype = ir::opmath(c.outputType().dtype);
  const auto dim = static_cast<std::size_t>(c.dim("dim", sizes.size()));
  const Tensor first = expand(cast(c.tensor("self"), dtype), sizes), second = expand(cast(c.tensor("other"), dtype), sizes);
  return asOutputs(c, {lazy(dtype, sizes, [=](const Index& index) {
                     const auto at = [&](const Tensor& tensor, int64_t further) {
                       Index place = index;
                       place[dim] = mod(index[dim] + further, 3);
                       return tensor.at(place);
                     };
                     return at(first, 1) * at(second, 2) - at(first, 2) * at(second, 1);
                   })});
}

/// Of three tensors with dimensions more, summed along some.
Tensors trilinear(Context& c) {
  const auto factor = [&](const char* name, const char* dims) {
    Tensor tensor = inOpmath(c.tensor(name));
    for (const int64_t dim : c.integers(dims)) tensor = unsqueezed(tensor, static_cast<std::size_t>(dim));
    return tensor;
  };
  const Tensor all = product(product(factor("i1", "expand1"), factor("i2", "expand2")), factor("i3", "expand3"));
  Dims dims = c.integers("sumdim");
  std::sort(dims.begin(), dims.end());
  return asOutputs(c, {squeeze(c, sum(c, all, dims), dims)});
}

const Lowering addr{"aten::addr", outerProduct};
const Lowering linalgCross{"aten::linalg_cross", crossProduct};
const Lowering trilinearOf{"aten::_trilinear", trilinear};

}  // namespace
}  // namespace lowering
