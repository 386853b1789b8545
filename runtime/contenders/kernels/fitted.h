#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/kernel_source.h"
#include "runtime/contenders/kernels/kernel_file.h"

namespace runtime {

/// An argument of a kernel: the address of a tensor or of scratch memory, or a number.
struct KernelArgument {
  std::optional<int> value;          ///< of the graph, whose address it is
  std::optional<int> scratch;        ///< the scratch memory whose address it is
  std::array<std::byte, 8> bytes{};  ///< of the number that it else is, as its type has it
  std::size_t size = sizeof(void*);  ///< how many bytes the kernel takes of it
  std::string type = "pointer";      ///< its type's name, for messages
  Place place;
};

/// A launch of one kernel.
struct KernelLaunch {
  std::string kernel;
  Place place;
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
  int dynamicSharedBytes = 0;
  std::vector<KernelArgument> arguments;
};

/// How the kernels of a file compute one call.
struct FittedKernels {
  std::vector<int64_t> scratchBytes;
  std::vector<KernelLaunch> launches;
};

/// Fits a file to a call's graph. Error: Unsupported, with the place in the file, for a call that it is not made for.
FittedKernels fitted(const KernelFile& file, const ir::Graph& graph);

/// The CUDA program of a file's source for a call: before it stand the types of the call's tensors, `self_t`, `out0_t`.
ir::KernelSource programOf(const KernelFile& file, const ir::Graph& graph, const std::string& arch);

/// Compares a launch's arguments with the sizes of its kernel's parameters in bytes. Error: Input, with the place.
void checkParameters(const KernelLaunch& launch, const std::vector<std::size_t>& parameterBytes);

/// The first error in what NVRTC said of a program, in one line: `my_softmax.cu(12): error: identifier "foo" is undefined`.
std::string firstError(std::string_view log);

}  // namespace runtime
