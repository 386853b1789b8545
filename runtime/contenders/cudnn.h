#pragma once

#include <span>

namespace runtime {

/// The namespace of the operators that cuDNN computes; they have the names and schemas of ATen's.
inline constexpr const char* cudnnNamespace = "cudnn";

/// The schemas of these operators, without the namespace. Their kernels for a GPU are in runtime/cuda/cudnn.
std::span<const char* const> cudnnOperators();

}  // namespace runtime
