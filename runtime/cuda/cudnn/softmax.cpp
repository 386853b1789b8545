#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>
#include <torch/library.h>

#include "runtime/cuda/cudnn/library.h"

namespace runtime::cudnn {
namespace {

/// A contiguous tensor as cuDNN's softmax sees it along a dimension.
struct SoftmaxShape {
  SoftmaxShape(const at::Tensor& tensor, int64_t dim) {
    const auto place = static_cast<size_t>(at::maybe_wrap_dim(dim, tensor.dim()));
    const auto product = [&](size_t from, size_t to) {
      return c10::multiply_integers(tensor.sizes().begin() + static_cast<int64_t>(from),
                                    tensor.sizes().begin() + static_cast<int64_t>(to));
    };
    const auto dimensions = static_cast<size_t>(tensor.dim());
    if (dimensions == 0) return;
    sizes = {product(0, place), tensor.size(dim), product(place + 1, dimensions), 1};
  }
  SoftmaxMode mode() const { return sizes[2] == 1 ? SoftmaxMode::Instance : SoftmaxMode::Channel; }

  std::array<int64_t, 4> sizes{1, 1, 1, 1};
};

at::Tensor softmaxForward(SoftmaxAlgorithm algorithm, const at::Tensor& self, int64_t dim, bool halfToFloat) {
  TORCH_CHECK(!halfToFloat, "cuDNN's softmax gives its operand's dtype, and half_to_float asks for f32");
  requireContiguous("self", self);
  const Handle current = handle();
  const at::ScalarType type = self.scalar_type();
  const SoftmaxShape shape(self, dim);
  const TensorDescriptor tensor = describe(type, shape.sizes);
  const Scale one(1, type), zero(0, type);
  at::Tensor out = at::empty(self.sizes(), self.options());
  check(cudnnSoftmaxForward(current, algorithm, shape.mode(), one.get(), tensor.get(), self.const_data_ptr(), zero.get(),
                            tensor.get(), out.mutable_data_ptr()),
        "cudnnSoftmaxForward");
  return out;
}

at::Tensor softmaxBackward(SoftmaxAlgorithm algorithm, const at::Tensor& gradient, const at::Tensor& output, int64_t dim,
                           at::ScalarType inputType) {
  const at::ScalarType type = gradient.scalar_type();
  TORCH_CHECK(inputType == type && output.scalar_type() == type, "cuDNN's softmax gives its operands' dtype, which is ", type,
              ", and input_dtype is ", inputType);
  requireContiguous("grad_output", gradient);
  requireContiguous("output", output);
  TORCH_CHECK(gradient.sizes() == output.sizes(), "grad_output has not the sizes of output");
  const Handle current = handle();
  const SoftmaxShape shape(output, dim);
  const TensorDescriptor tensor = describe(type, shape.sizes);
  const Scale one(1, type), zero(0, type);
  at::Tensor made = at::empty(output.sizes(), output.options());
  check(cudnnSoftmaxBackward(current, algorithm, shape.mode(), one.get(), tensor.get(), output.const_data_ptr(), tensor.get(),
                             gradient.const_data_ptr(), zero.get(), tensor.get(), made.mutable_data_ptr()),
        "cudnnSoftmaxBackward");
  return made;
}

at::Tensor softmax(const at::Tensor& self, int64_t dim, bool halfToFloat) {
  return softmaxForward(SoftmaxAlgorithm::Accurate, self, dim, halfToFloat);
}
at::Tensor logSoftmax(const at::Tensor& self, int64_t dim, bool halfToFloat) {
  return softmaxForward(SoftmaxAlgorithm::Log, self, dim, halfToFloat);
}
at::Tensor softmaxGradient(const at::Tensor& gradient, const at::Tensor& output, int64_t dim, at::ScalarType inputType) {
  return softmaxBackward(SoftmaxAlgorithm::Accurate, gradient, output, dim, inputType);
}
at::Tensor logSoftmaxGradient(const at::Tensor& gradient, const at::Tensor& output, int64_t dim, at::ScalarType inputType) {
  return softmaxBackward(SoftmaxAlgorithm::Log, gradient, output, dim, inputType);
}

}  // namespace

TORCH_LIBRARY_IMPL(cudnn, CUDA, library) {
  library.impl("_softmax", &softmax);
  library.impl("_log_softmax", &logSoftmax);
  library.impl("_softmax_backward_data", &softmaxGradient);
  library.impl("_log_softmax_backward_data", &logSoftmaxGradient);
}

}  // namespace runtime::cudnn
