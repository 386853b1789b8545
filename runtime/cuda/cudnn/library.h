#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct cudnnContext;
struct cudnnTensorStruct;
struct cudnnReduceTensorStruct;

namespace runtime::cudnn {

// The part of cuDNN 9 that is called, by hand: machines have the library, which comes with torch, and rarely its headers.

using Handle = cudnnContext*;
using Status = int;  ///< 0 is success
enum class DataType : int { Float = 0, Double = 1, Half = 2, BFloat16 = 9 };
enum class SoftmaxAlgorithm : int { Accurate = 1, Log = 2 };
enum class SoftmaxMode : int { Instance = 0, Channel = 1 };  ///< over all that is behind the first dimension, or the second alone
enum class ReduceOp : int { Add = 0, Min = 2, Max = 3, Average = 5 };
enum class NanRule : int { Propagate = 1 };
enum class Indices : int { None = 0 };
enum class IndexType : int { U32 = 0 };

// Null where torch is built without cuDNN.
extern "C" {
[[gnu::weak]] const char* cudnnGetErrorString(Status status);
[[gnu::weak]] void cudnnGetLastErrorString(char* message, size_t size);
[[gnu::weak]] Status cudnnCreateTensorDescriptor(cudnnTensorStruct** made);
[[gnu::weak]] Status cudnnDestroyTensorDescriptor(cudnnTensorStruct* tensor);
[[gnu::weak]] Status cudnnSetTensorNdDescriptor(cudnnTensorStruct* tensor, DataType type, int dimensions, const int* sizes,
                                                const int* strides);
[[gnu::weak]] Status cudnnSoftmaxForward(Handle handle, SoftmaxAlgorithm algorithm, SoftmaxMode mode, const void* alpha,
                                         const cudnnTensorStruct* x, const void* xData, const void* beta,
                                         const cudnnTensorStruct* y, void* yData);
[[gnu::weak]] Status cudnnSoftmaxBackward(Handle handle, SoftmaxAlgorithm algorithm, SoftmaxMode mode, const void* alpha,
                                          const cudnnTensorStruct* y, const void* yData, const cudnnTensorStruct* dy,
                                          const void* dyData, const void* beta, const cudnnTensorStruct* dx, void* dxData);
[[gnu::weak]] Status cudnnCreateReduceTensorDescriptor(cudnnReduceTensorStruct** made);
[[gnu::weak]] Status cudnnDestroyReduceTensorDescriptor(cudnnReduceTensorStruct* reduction);
[[gnu::weak]] Status cudnnSetReduceTensorDescriptor(cudnnReduceTensorStruct* reduction, ReduceOp op, DataType computed,
                                                    NanRule rule, Indices indices, IndexType type);
[[gnu::weak]] Status cudnnGetReductionWorkspaceSize(Handle handle, const cudnnReduceTensorStruct* reduction,
                                                    const cudnnTensorStruct* from, const cudnnTensorStruct* to, size_t* bytes);
[[gnu::weak]] Status cudnnReduceTensor(Handle handle, const cudnnReduceTensorStruct* reduction, void* indices,
                                       size_t indicesBytes, void* workspace, size_t workspaceBytes, const void* alpha,
                                       const cudnnTensorStruct* from, const void* fromData, const void* beta,
                                       const cudnnTensorStruct* to, void* toData);
[[gnu::weak]] Status cudnnBackendCreateDescriptor(int kind, void** made);
[[gnu::weak]] Status cudnnBackendDestroyDescriptor(void* descriptor);
[[gnu::weak]] Status cudnnBackendFinalize(void* descriptor);
[[gnu::weak]] Status cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t elements, const void* values);
[[gnu::weak]] Status cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t asked, int64_t* elements,
                                              void* values);
[[gnu::weak]] Status cudnnBackendExecute(Handle handle, void* plan, void* pack);
}

/// The handle that torch has for the current device and thread, on the current stream. c10::Error where torch has no cuDNN.
Handle handle();

/// What cuDNN says of a call that has failed: the status, and why where it tells.
std::string reasonOf(Status status);
/// Ends the call that cuDNN refuses with c10::Error, which says why. ir::Error, Toolchain, where the device or cuDNN failed.
void check(Status status, const char* call);

/// c10::Error where cuDNN has no such type.
DataType dataTypeOf(at::ScalarType type);
/// c10::Error for a tensor that is not contiguous, or empty: cuDNN would need a copy, or has nothing to do.
void requireContiguous(const char* name, const at::Tensor& tensor);
/// The bytes of a workspace, from torch's allocator.
at::Tensor workspace(size_t bytes, const at::Tensor& beside);

/// Ends what cuDNN has made.
struct Destroy {
  void operator()(cudnnTensorStruct* tensor) const { cudnnDestroyTensorDescriptor(tensor); }
  void operator()(cudnnReduceTensorStruct* reduction) const { cudnnDestroyReduceTensorDescriptor(reduction); }
};
using TensorDescriptor = std::unique_ptr<cudnnTensorStruct, Destroy>;
using ReduceDescriptor = std::unique_ptr<cudnnReduceTensorStruct, Destroy>;

/// The descriptor of a contiguous tensor.
TensorDescriptor describe(at::ScalarType type, at::IntArrayRef sizes);

/// What cuDNN multiplies results with, in the type that it computes with: 1 for the new ones, 0 for those before.
class Scale {
 public:
  Scale(double value, at::ScalarType type) : float_(static_cast<float>(value)), double_(value), isDouble_(type == at::kDouble) {}
  const void* get() const { return isDouble_ ? static_cast<const void*>(&double_) : &float_; }

 private:
  float float_;
  double double_;
  bool isDouble_;
};

}  // namespace runtime::cudnn
