#pragma once

#include <functional>

#include "runtime/contenders/library/arguments.h"

namespace runtime::library {

/// A setting of ATen's that decides which library it calls.
enum class Setting {
  CublasLt,         ///< cuBLASLt is preferred to cuBLAS
  WholeSums,        ///< cuBLAS rounds no partial sums to halves
  WithoutCudnn,     ///< cuDNN is not used
  WithoutOneDnn,    ///< oneDNN is not used
  BenchmarkedCudnn  ///< cuDNN measures its algorithms for each new shape
};

/// What `compute` gives while ATen has a setting, which is put back afterwards. Other threads
/// see it meanwhile.
Results under(Setting setting, const std::function<Results()>& compute);

/// What `compute` gives on a thread of its own, the same for all calls, which has this one's stream of the device. ATen keeps by
/// thread which algorithms cuDNN has measured: those found there are not taken for the calls of others.
Results apart(at::Device device, const std::function<Results()>& compute);

}  // namespace runtime::library
