#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/target.h"

namespace ir {

/// A kernel as text, and all else that its compiler is given. Equal ones compile to equal code, so a cache is keyed by
/// `source`, `options`, `arch`, `features` and the compiler's version.
struct KernelSource {
  std::string name;  ///< the symbol
  Backend backend = Backend::Cpu;
  std::string source;                ///< CUDA C++ (prelude included), or LLVM assembly
  std::vector<std::string> options;  ///< NVRTC's; empty for LLVM
  std::string arch;                  ///< Target::arch
  std::string features;              ///< Target::features
  Launch launch;
  std::vector<Param> params;  ///< the pointers it is called with, in order
  /// Memory for the kernel's Global locals, passed as one more pointer after the parameters where it is not 0: a multiple of
  /// 256 bytes, aligned to as many, zero before the first launch; every launch leaves what the next one needs.
  int64_t workspaceBytes = 0;
  /// CUDA: whether all pointers are one parameter, an array: of a kernel that takes a list of tensors.
  bool takesList = false;
  /// CUDA: bytes of shared memory that the launch has to ask for.
  int dynamicSharedBytes = 0;
  /// CUDA: whether its CTAs wait for one another, so that all of them must start together. Of persistent clusters
  /// (Launch::isPersistent) as many CTAs are started as the device has room for, one cluster's at least, and these do the others'
  /// work in turn.
  bool waitsForGrid = false;
  /// CPU: whether statements follow the Task loop, its epilogue: iteration number Launch::tasks, called when all others are done.
  bool hasEpilogue = false;
};

}  // namespace ir
