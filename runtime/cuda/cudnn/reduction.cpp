#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "runtime/cuda/cudnn/library.h"

namespace runtime::cudnn {
namespace {

using OptionalType = std::optional<at::ScalarType>;

/// A reduction of tensors of this type. cuDNN computes halves in f32.
ReduceDescriptor descriptorOf(ReduceOp op, at::ScalarType type) {
  cudnnReduceTensorStruct* made = nullptr;
  check(cudnnCreateReduceTensorDescriptor(&made), "cudnnCreateReduceTensorDescriptor");
  ReduceDescriptor reduction(made);
  const DataType computed = type == at::kDouble ? DataType::Double : DataType::Float;
  check(cudnnSetReduceTensorDescriptor(made, op, computed, NanRule::Propagate, Indices::None, IndexType::U32),
        "cudnnSetReduceTensorDescriptor");
  return reduction;
}

/// The sizes of a contiguous tensor and of its reduction, neighbours that are both reduced or both kept being one dimension.
struct ReducedShape {
  ReducedShape(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepsDims) {
    const auto reduced = at::dim_list_to_bitset(dims.value_or(at::IntArrayRef()), static_cast<size_t>(self.dim()));
    const bool areAll = !dims || dims->empty();
    std::optional<bool> latest;
    for (size_t i = 0; i < static_cast<size_t>(self.dim()); ++i) {
      const bool isReduced = areAll || reduced[i];
      const int64_t size = self.sizes()[i];
      if (!isReduced || keepsDims) result.push_back(isReduced ? 1 : size);
      if (size == 1) continue;
      if (latest != isReduced) {
        from.push_back(1);
        to.push_back(1);
      }
      latest = isReduced;
      from.back() *= size;
      if (!isReduced) to.back() *= size;
    }
  }

  std::vector<int64_t> from, to;
  std::vector<int64_t> result;  ///< the sizes that the result has in torch
};

at::Tensor reduce(ReduceOp op, const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepsDims, OptionalType wanted) {
  requireContiguous("self", self);
  const Handle current = handle();
  const at::ScalarType type = self.scalar_type();
  const ReducedShape shape(self, dims, keepsDims);
  at::Tensor out = at::empty(shape.result, self.options().dtype(wanted.value_or(type)));
  const TensorDescriptor from = describe(type, shape.from), to = describe(out.scalar_type(), shape.to);
  const ReduceDescriptor reduction = descriptorOf(op, type);
  const Scale one(1, type), zero(0, type);
  size_t bytes = 0;
  check(cudnnGetReductionWorkspaceSize(current, reduction.get(), from.get(), to.get(), &bytes), "cudnnGetReductionWorkspaceSize");
  const at::Tensor space = workspace(bytes, self);
  check(cudnnReduceTensor(current, reduction.get(), nullptr, 0, space.mutable_data_ptr(), bytes, one.get(), from.get(),
                          self.const_data_ptr(), zero.get(), to.get(), out.mutable_data_ptr()),
        "cudnnReduceTensor");
  return out;
}

at::Tensor sum(const at::Tensor& self, OptionalType type) { return reduce(ReduceOp::Add, self, {}, false, type); }
at::Tensor mean(const at::Tensor& self, OptionalType type) { return reduce(ReduceOp::Average, self, {}, false, type); }
at::Tensor sumOf(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepsDims, OptionalType type) {
  return reduce(ReduceOp::Add, self, dims, keepsDims, type);
}
at::Tensor meanOf(const at::Tensor& self, at::OptionalIntArrayRef dims, bool keepsDims, OptionalType type) {
  return reduce(ReduceOp::Average, self, dims, keepsDims, type);
}
at::Tensor most(const at::Tensor& self, at::IntArrayRef dims, bool keepsDims) {
  return reduce(ReduceOp::Max, self, dims, keepsDims, {});
}
at::Tensor least(const at::Tensor& self, at::IntArrayRef dims, bool keepsDims) {
  return reduce(ReduceOp::Min, self, dims, keepsDims, {});
}

}  // namespace

TORCH_LIBRARY_IMPL(cudnn, CUDA, library) {
  library.impl("sum", &sum);
  library.impl("sum.dim_IntList", &sumOf);
  library.impl("mean", &mean);
  library.impl("mean.dim", &meanOf);
  library.impl("amax", &most);
  library.impl("amin", &least);
}

}  // namespace runtime::cudnn
