#pragma once

#include <string>
#include <vector>

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"

namespace codegen {

/// The mathematical functions of ops.def on f32 and f64 values. Largest errors, in units in the last place of the f32
/// result, where the CPU fuses multiply and add: Exp 1, Expm1 1.5, Log 1, Log2 2, Log1p 1, Sin and Cos 2, Tanh 2.5,
/// Erf 1.5, Pow 1, Rsqrt 1.5; Rem is exact. Zeros, subnormals, infinities and NaN have the results of C's annex F. f64 has
/// the errors of libm (scalars) and libmvec (vectors, up to 4 ULP). With `relaxed`, f32 functions may err by 2^-16
/// relative or 2^-20 absolute.
class LlvmMath {
 public:
  LlvmMath(const Cpu& cpu, bool relaxed) : cpu_(cpu), relaxed_(relaxed) {}

  Vec rsqrt(Vec x) const;
  Vec exp(Vec x) const;
  Vec expm1(Vec x) const;
  Vec log(Vec x) const;
  Vec log2(Vec x) const;
  Vec log1p(Vec x) const;
  Vec sin(Vec x) const;
  Vec cos(Vec x) const;
  Vec tanh(Vec x) const;
  Vec erf(Vec x) const;
  Vec pow(Vec x, Vec y) const;
  Vec logAddExp(Vec x, Vec y) const;
  Vec rem(Vec x, Vec y) const;
  /// Which operands a library has a function for.
  enum Form { Scalars, Vectors };
  /// A FUNCTION of ops.def: libm's for each lane, or libmvec's for vectors, up to 4 ULP of f32 or f64.
  Vec library(const std::string& symbol, Form form, const std::vector<Vec>& operands) const;
  /// A ROUTINE of ops.def, in f64.
  Vec routine(const std::string& symbol, Vec x, Vec y) const;

 private:
  Cpu cpu_;
  bool relaxed_;
};

}  // namespace codegen
