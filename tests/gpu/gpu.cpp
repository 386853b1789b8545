#include "tests/gpu/gpu.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <unistd.h>

#include <cstring>
#include <iostream>

#include "runtime/devices/open.h"
#include "tests/runtime/cpu_kernel.h"

namespace tests {
namespace {

constexpr int skipped = 77;

/// Bytes of a Memory in a tensor on the GPU; the CUDA allocator aligns them to 512.
at::Tensor upload(const std::vector<std::byte>& bytes) {
  const at::Tensor host = at::empty({static_cast<int64_t>(bytes.size())}, at::TensorOptions(at::kByte));
  std::memcpy(host.mutable_data_ptr(), bytes.data(), bytes.size());
  return host.to(at::Device(gpu().torchName()));
}

std::vector<std::byte> download(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::kCPU);
  std::vector<std::byte> bytes(static_cast<size_t>(host.numel()));
  std::memcpy(bytes.data(), host.const_data_ptr(), bytes.size());
  return bytes;
}

}  // namespace

runtime::Device& gpu() {
  // Not deleted: CUDA may be gone by the time statics are.
  static runtime::Device* const device = [] {
    std::string why;
    if (!runtime::cudaAvailable(&why)) {
      std::cout << "skipped: " << why << std::endl;
      _exit(skipped);
    }
    return runtime::openDevice("cuda", 0).release();
  }();
  return *device;
}

void runOnGpu(const ir::KernelSource& program, std::vector<ir::Memory>& memory, int launches) {
  const runtime::ExecutablePtr executable = gpu().compile(program, runtime::Cache());
  std::vector<at::Tensor> tensors;
  for (int launch = 0; launch < launches; ++launch) {
    std::vector<void*> pointers;
    tensors.clear();
    for (const ir::Memory& one : memory) {
      tensors.push_back(upload(encode(one)));
      pointers.push_back(tensors.back().mutable_data_ptr());
    }
    executable->launch(pointers.data());
  }
  gpu().synchronize();
  for (size_t i = 0; i < memory.size(); ++i) decode(download(tensors[i]), memory[i]);
}

}  // namespace tests
