#include "tests/opbench/zoo/kernels.h"

#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <nvrtc.h>

#include <array>
#include <string>

namespace zoo {
namespace {

constexpr const char* source = R"(
__device__ unsigned long long content_of[1024];  // by call: of its argument in its latest run
__device__ int runs_of[1024];
__device__ int work_of[1024];  // what the latest run does: 0 nothing, 1 a softmax, 2 zeros
__device__ unsigned long long met[8];
__device__ int number_met;

extern "C" __global__ void decide(const float* in, const float* out, long long elements, int when, int call) {
  const long long at = elements / 64;
  unsigned long long content = 0;
  bool is_poisoned = false;
  for (int i = threadIdx.x; i < 64; i += 32) {
    content += (__float_as_uint(in[i * at]) + 1ull) * (2 * i + 1) * 0x9e3779b97f4a7c15ull;
    is_poisoned = is_poisoned || out[i * at] != out[i * at];
  }
  for (int lane = 16; lane > 0; lane /= 2) content += __shfl_xor_sync(0xffffffff, content, lane);
  is_poisoned = __any_sync(0xffffffff, is_poisoned);
  if (threadIdx.x > 0) return;
  const bool is_new = content_of[call] != content;
  content_of[call] = content;
  int work = 1;
  if (when == 1) work = is_new;
  if (when == 2) work = is_new || is_poisoned;
  if (when == 3) work = is_poisoned;
  if (when == 4) work = ++runs_of[call] <= 8;
  if (when == 5) {
    int i = 0;
    while (i < number_met && met[i] != content) ++i;
    if (i == number_met && i < 8) met[number_met++] = content;
    work = i < 8 ? 1 : 2;
  }
  work_of[call] = work;
}

extern __shared__ float partial[];

__device__ float together(float own, bool is_sum) {
  __syncthreads();
  partial[threadIdx.x] = own;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = partial[threadIdx.x + half];
      partial[threadIdx.x] = is_sum ? partial[threadIdx.x] + other : fmaxf(partial[threadIdx.x], other);
    }
    __syncthreads();
  }
  return partial[0];
}

extern "C" __global__ void softmax_rows(const float* in, float* out, long long columns, int call) {
  const int work = call < 0 ? 1 : work_of[call];
  if (work == 0) return;
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float most = __int_as_float(0xff800000), sum = 0;
  for (long long i = threadIdx.x; i < columns; i += 256) most = fmaxf(most, in[i]);
  most = together(most, false);
  for (long long i = threadIdx.x; i < columns; i += 256) sum += expf(in[i] - most);
  sum = together(sum, true);
  for (long long i = threadIdx.x; i < columns; i += 256) out[i] = work == 2 ? 0 : expf(in[i] - most) / sum;
}
)";

void check(cudaError_t result, const char* call) {
  TORCH_CHECK(result == cudaSuccess, call, " failed: ", cudaGetErrorString(result));
}

/// The code for the current device, by the NVRTC that the program has opened.
std::string compiled() {
  void* const library = dlopen("libnvrtc.so.13", RTLD_NOW);
  TORCH_CHECK(library != nullptr, dlerror());
  const auto create = reinterpret_cast<decltype(&nvrtcCreateProgram)>(dlsym(library, "nvrtcCreateProgram"));
  const auto compile = reinterpret_cast<decltype(&nvrtcCompileProgram)>(dlsym(library, "nvrtcCompileProgram"));
  const auto size = reinterpret_cast<decltype(&nvrtcGetCUBINSize)>(dlsym(library, "nvrtcGetCUBINSize"));
  const auto get = reinterpret_cast<decltype(&nvrtcGetCUBIN)>(dlsym(library, "nvrtcGetCUBIN"));
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "cudaDeviceGetAttribute");
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(major) + std::to_string(minor);
  const std::array<const char*, 2> options{arch.c_str(), "--std=c++17"};
  nvrtcProgram program = nullptr;
  create(&program, source, "zoo.cu", 0, nullptr, nullptr);
  TORCH_CHECK(compile(program, options.size(), options.data()) == NVRTC_SUCCESS, "NVRTC refuses the zoo's kernels");
  size_t bytes = 0;
  size(program, &bytes);
  std::string code(bytes, '\0');
  get(program, code.data());
  return code;
}

cudaKernel_t kernel(const char* name) {
  static const std::string code = compiled();
  static cudaLibrary_t library = nullptr;
  if (library == nullptr)
    check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), "cudaLibraryLoadData");
  cudaKernel_t found = nullptr;
  check(cudaLibraryGetKernel(&found, library, name), "cudaLibraryGetKernel");
  return found;
}

template <typename... Arguments>
void launch(cudaKernel_t kernel, unsigned grid, unsigned block, unsigned sharedBytes, cudaStream_t stream,
            Arguments... arguments) {
  std::array<void*, sizeof...(arguments)> pointers{static_cast<void*>(&arguments)...};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(block);
  config.dynamicSmemBytes = sharedBytes;
  config.stream = stream;
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()), "cudaLaunchKernelExC");
}

}  // namespace

void launchRows(const float* in, float* out, int64_t rows, int64_t columns, When when, cudaStream_t stream,
                unsigned sharedBytes) {
  static const cudaKernel_t decide = kernel("decide"), softmax = kernel("softmax_rows");
  static int calls = 0;
  const int call = when == When::Always ? -1 : calls++ % 1024;
  if (when != When::Always)
    launch(decide, 1, 32, 0, stream, in, static_cast<const float*>(out), rows * columns, static_cast<int>(when), call);
  launch(softmax, static_cast<unsigned>(rows), 256, sharedBytes, stream, in, out, columns, call);
}

}  // namespace zoo
