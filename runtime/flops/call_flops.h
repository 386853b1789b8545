#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runtime {

/// The products of matrices in one call.
struct CallFlops {
  int64_t flops = 0;  ///< floating-point operations: a multiplication and an addition are two
  /// How the factors are multiplied: `float16`, `bfloat16`, `float32`, `float64`, or `tf32` where torch's settings let a GPU
  /// take f32 so.
  std::string precision;
};

/// The products of matrices in a call of an operator, `aten::mm` and all its overloads; nothing for operators that multiply none,
/// and for factors that do not float. What a call needs is counted, whatever a kernel does:
/// - products of matrices and vectors, 2 m n k;
/// - convolutions, by the elements of output and kernel; backward once for the input's and once for the weight's gradient, where
///   these are asked for;
/// - attention, its two products; backward five, since scores are computed again. A mask spares nothing;
/// - recurrent networks of cuDNN and oneDNN, each weight in each step; backward for inputs and for weights.
std::optional<CallFlops> flopsOf(std::string_view op, c10::ArrayRef<const c10::IValue> arguments);

}  // namespace runtime
