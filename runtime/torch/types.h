#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/ScalarTypeToTypeMeta.h>

#include "ir/tensor_type.h"

namespace runtime {

/// The dtype of ATen's number; Unsupported for quantized and sub-byte ones.
ir::DType dtypeOf(at::ScalarType type);
/// The static type of a strided tensor; Unsupported for sparse and other layouts.
ir::TensorType typeOf(const at::Tensor& tensor);

/// The tensor with the conjugation and negation carried out that ATen puts off; nearly always the tensor itself.
at::Tensor resolved(const at::Tensor& tensor);

/// Every element between the first and the last one that `tensor` addresses, gaps included, as one dimension of the same storage.
at::Tensor flatStorage(const at::Tensor& tensor);
/// `flat`, which was made from flatStorage(like), with the sizes and strides of `like`.
at::Tensor shapeLike(const at::Tensor& flat, const at::Tensor& like);
/// A copy in storage of its own with the same sizes and strides, overlaps included.
at::Tensor cloneStorage(const at::Tensor& tensor);

/// The dtype in double precision; integers and conditions stay what they are.
at::ScalarType inDouble(at::ScalarType dtype);

/// While it lives, numbers whose dtype is nowhere named are in double precision: constants of a program in float64, and what ATen
/// makes of integers where a result is floating point.
class DefaultInFloat64 {
 public:
  explicit DefaultInFloat64(bool isWanted) : before_(c10::get_default_dtype()) {
    if (isWanted) c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kDouble));
  }
  ~DefaultInFloat64() { c10::set_default_dtype(before_); }
  DefaultInFloat64(const DefaultInFloat64&) = delete;
  DefaultInFloat64& operator=(const DefaultInFloat64&) = delete;

 private:
  caffe2::TypeMeta before_;
};

}  // namespace runtime
