#include "runtime/torch/types.h"

#include <ATen/ops/as_strided.h>

#include "inputs/data/materialize.h"
#include "ir/error.h"

namespace runtime {

ir::DType dtypeOf(at::ScalarType type) {
  for (int i = 0; i < ir::dtypeCount; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    if (inputs::scalarType(dtype) == type) return dtype;
  }
  ir::fail(ir::ErrorKind::Unsupported, "tensors of {} are not supported", c10::toString(type));
}

ir::TensorType typeOf(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) {
    ir::fail(ir::ErrorKind::Unsupported, "sparse tensors are not supported");
  }
  ir::TensorType type;
  type.dtype = dtypeOf(tensor.scalar_type());
  type.sizes = tensor.sizes().vec();
  type.strides = tensor.strides().vec();
  return type;
}

at::ScalarType inDouble(at::ScalarType dtype) {
  if (at::isFloatingType(dtype)) return at::kDouble;
  return at::isComplexType(dtype) ? at::kComplexDouble : dtype;
}

at::Tensor resolved(const at::Tensor& tensor) { return tensor.resolve_conj().resolve_neg(); }

at::Tensor flatStorage(const at::Tensor& tensor) {
  int64_t elements = 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    if (tensor.size(d) == 0) elements = 0;
    if (elements > 0) elements += (tensor.size(d) - 1) * tensor.stride(d);
  }
  return tensor.as_strided({elements}, {1}, tensor.storage_offset());
}

at::Tensor shapeLike(const at::Tensor& flat, const at::Tensor& like) {
  return flat.as_strided(like.sizes(), like.strides(), flat.storage_offset());
}

at::Tensor cloneStorage(const at::Tensor& tensor) { return shapeLike(flatStorage(tensor).clone(), tensor); }

}  // namespace runtime
