#include "runtime/cuda/cudnn/library.h"

#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <string>

#include "ir/error.h"

namespace runtime::cudnn {

Handle handle() {
  // at::native::getCudnnHandle of ATen/cudnn/Handle.h, which needs cuDNN's headers; torch lacks it where it lacks cuDNN.
  using Get = Handle();
  static const auto get = reinterpret_cast<Get*>(dlsym(RTLD_DEFAULT, "_ZN2at6native14getCudnnHandleEv"));
  TORCH_CHECK(get != nullptr && &cudnnBackendExecute != nullptr, "torch has loaded no cuDNN (libcudnn.so.9)");
  return get();
}

std::string reasonOf(Status status) {
  std::string why(1024, '\0');
  cudnnGetLastErrorString(why.data(), why.size());
  why.resize(std::min(why.find('\0'), why.size()));
  while (!why.empty() && why.back() == '\n') why.pop_back();
  why.erase(0, why.rfind('\n') + 1);  // the last line is the last reason
  return cudnnGetErrorString(status) + (why.empty() ? "" : ": " + why);
}

void check(Status status, const char* call) {
  constexpr Status firstFailure = 4000;  // below: bad parameters, and what is not supported
  if (status == 0) return;
  if (status >= firstFailure) ir::fail(ir::ErrorKind::Toolchain, "{} failed: {}", call, reasonOf(status));
  TORCH_CHECK(false, call, " says ", reasonOf(status));
}

DataType dataTypeOf(at::ScalarType type) {
  if (type == at::kFloat) return DataType::Float;
  if (type == at::kDouble) return DataType::Double;
  if (type == at::kHalf) return DataType::Half;
  TORCH_CHECK(type == at::kBFloat16, "cuDNN computes no tensors of ", type, " here");
  return DataType::BFloat16;
}

void requireContiguous(const char* name, const at::Tensor& tensor) {
  TORCH_CHECK(tensor.is_contiguous(), name, " is not contiguous, and cuDNN would need a copy");
  TORCH_CHECK(tensor.numel() > 0, name, " is empty");
}

at::Tensor workspace(size_t bytes, const at::Tensor& beside) {
  return at::empty({static_cast<int64_t>(bytes)}, beside.options().dtype(at::kByte));
}

TensorDescriptor describe(at::ScalarType type, at::IntArrayRef given) {
  constexpr size_t least = 4, most = 8;
  std::vector<int64_t> sizes = given.vec();
  sizes.resize(std::max(sizes.size(), least), 1);
  TORCH_CHECK(sizes.size() <= most, "cuDNN's tensors have ", most, " dimensions at most");
  std::vector<int> extents(sizes.size()), strides(sizes.size());
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) {
    TORCH_CHECK(std::max(stride, sizes[i]) <= std::numeric_limits<int>::max(), "cuDNN's tensors have fewer than 2^31 elements");
    extents[i] = static_cast<int>(sizes[i]);
    strides[i] = static_cast<int>(stride);
  }
  const DataType dataType = dataTypeOf(type);
  cudnnTensorStruct* made = nullptr;
  check(cudnnCreateTensorDescriptor(&made), "cudnnCreateTensorDescriptor");
  TensorDescriptor tensor(made);
  check(cudnnSetTensorNdDescriptor(made, dataType, static_cast<int>(extents.size()), extents.data(), strides.data()),
        "cudnnSetTensorNdDescriptor");
  return tensor;
}

}  // namespace runtime::cudnn
