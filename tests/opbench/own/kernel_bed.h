#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "opbench/own/kernel_reader.h"
#include "tests/opbench/temporary_folder.h"

namespace tests {

/// The softmax that docs/contenders.md shows.
inline const std::string documentedSoftmax = R"cuda(// my_softmax.cu
/* opbench
requires: dim == -1 || dim == dim(self) - 1, is_contiguous(self)
launches:
  - kernel: softmax_rows
    grid: ceil_div(numel(self), size(self, -1) * 4)
    block: 32, 4
    arguments: out0, self, size(self, -1), numel(self) / size(self, -1)
*/

// A warp computes a row.
__device__ float most(float x) {
  for (int lane = 16; lane > 0; lane /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, lane));
  return x;
}

__device__ float sum(float x) {
  for (int lane = 16; lane > 0; lane /= 2) x += __shfl_xor_sync(0xffffffff, x, lane);
  return x;
}

extern "C" __global__ void softmax_rows(out0_t* out, const self_t* in, long long columns, long long rows) {
  const long long row = blockIdx.x * 4ll + threadIdx.y;
  if (row >= rows) return;
  in += row * columns;
  out += row * columns;
  float maximum = __int_as_float(0xff800000), terms = 0;
  for (long long i = threadIdx.x; i < columns; i += 32) maximum = fmaxf(maximum, float(in[i]));
  maximum = most(maximum);
  for (long long i = threadIdx.x; i < columns; i += 32) terms += expf(float(in[i]) - maximum);
  terms = sum(terms);
  for (long long i = threadIdx.x; i < columns; i += 32) out[i] = out0_t(expf(float(in[i]) - maximum) / terms);
}
)cuda";

/// A text with one piece of it replaced.
inline std::string with(std::string text, std::string_view piece, std::string_view by) {
  const size_t at = text.find(piece);
  REQUIRE(at != std::string::npos);
  return text.replace(at, piece.size(), by);
}

/// A folder of kernels' files. Messages about these begin with the folder's path, which place() leaves out.
class KernelBed {
 public:
  /// A file of that name and content, read.
  runtime::KernelFile read(const std::string& text, const std::string& name = "my_kernel.cu") const {
    write(text, name);
    return opbench::readKernelFile(path(name));
  }
  void write(const std::string& text, const std::string& name) const { std::ofstream(path(name), std::ios::binary) << text; }
  std::string path(const std::string& name) const { return folder.path / name; }
  /// A message without the folder.
  std::string place(std::string message) const {
    const std::string prefix = folder.path.string() + "/";
    for (size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) message.erase(at, prefix.size());
    return message;
  }

  TemporaryFolder folder;
};

}  // namespace tests
