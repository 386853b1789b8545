#pragma once

#include "lowering/tensor/context.h"

namespace lowering {

/// The random numbers of a call, one or more for each element of its first output. All are functions of the call's generator and
/// of where the element lies in memory, so that four neighbours share a counter wherever vectors are taken of them. What is asked
/// for twice is the same twice.
class Draws {
 public:
  explicit Draws(const Context& context);

  /// 32 random bits, as u32: of so many words that each element draws, the one of this number.
  Tensor bits(int word = 0, int words = 1) const;
  /// 64 random bits, as u64.
  Tensor wideBits() const;
  /// Uniform in [0, 1), in f32 or f64 (the dtype's opmath): of as many bits as the dtype holds, so that none rounds to 1.
  Tensor uniform(ir::DType dtype) const;
  /// Uniform in (0, 1), whose logarithms are finite, in f32 or f64.
  Tensor openUniform(ir::DType dtype) const { return openUniform(dtype, 0, 1); }
  /// Standard normal, by Box and Muller's formula, in f32 or f64.
  Tensor normal(ir::DType dtype) const;

 private:
  /// Of so many numbers that each element draws, the one of this number.
  Tensor openUniform(ir::DType dtype, int number, int numbers) const;
  Tensor wideBits(int number, int numbers) const;

  ir::ExprPool& pool_;
  Tensor generator_;
  ir::TensorType type_;  ///< dense: an offset is the number of an element
};

}  // namespace lowering
