#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "ir/interpret/interpret.h"
#include "ir/loops.h"

namespace tests {

/// What random expressions are made of.
struct RandomOptions {
  int depth = 5;            ///< operations in one another, at most
  int maxExtent = 6;        ///< of the axes of loops
  bool exactOnly = false;   ///< no exp, sin, pow and the like, whose last bits differ between libraries
  bool division = true;     ///< integer division, by constants other than zero
  bool reductions = false;  ///< results of reductions beside inputs, and stores over some of the axes
  std::vector<ir::DType> dtypes{ir::DType::F32, ir::DType::F64, ir::DType::F16, ir::DType::BF16,
                                ir::DType::I32, ir::DType::I64, ir::DType::U8,  ir::DType::Bool};
  /// Extents that are drawn from instead of up to maxExtent, so many points in all at most.
  std::vector<int64_t> extents = {};
  int64_t mostPoints = 9000;
};

/// Makes expressions whose value is defined for every input: divisors and shift counts are constants that fit, and what
/// is cast to an integer is bounded first. The same seed gives the same expressions everywhere.
class RandomExpr {
 public:
  RandomExpr(ir::ExprPool& pool, uint64_t seed, RandomOptions options = {})
      : pool_(pool), random_(seed), options_(std::move(options)) {}

  /// An expression of `dtype`; its leaves are constants and, where there is one of the dtype wanted, these.
  const ir::Expr* make(ir::DType dtype, const std::vector<const ir::Expr*>& leaves) {
    return make(dtype, leaves, options_.depth);
  }

  uint64_t below(uint64_t bound) { return random_() % bound; }
  /// Whether a dtype is among those of the options.
  bool draws(ir::DType dtype) const {
    return std::find(options_.dtypes.begin(), options_.dtypes.end(), dtype) != options_.dtypes.end();
  }
  template <typename T>
  const T& pick(const std::vector<T>& of) {
    return of[below(of.size())];
  }

 private:
  using Leaves = std::vector<const ir::Expr*>;

  const ir::Expr* make(ir::DType dtype, const Leaves& leaves, int depth);
  const ir::Expr* leaf(ir::DType dtype, const Leaves& leaves);
  const ir::Expr* cast(ir::DType dtype, const Leaves& leaves, int depth);
  const ir::Expr* apply(ir::Op op, ir::DType dtype, const Leaves& leaves, int depth);
  const ir::Expr* floating(ir::DType dtype, const Leaves& leaves, int depth);
  const ir::Expr* integer(ir::DType dtype, const Leaves& leaves, int depth);
  const ir::Expr* predicate(const Leaves& leaves, int depth);

  ir::ExprPool& pool_;
  std::mt19937_64 random_;
  RandomOptions options_;
};

/// The offset of the element at these axes.
const ir::Expr* elementOffset(ir::ExprPool& pool, const std::vector<const ir::Expr*>& axes, const ir::Strides& strides);

/// Random loops over up to three axes: two or three inputs, permuted, broadcast or dense, and one or two dense outputs. With
/// reductions there are also some of these among the operands, one inside another at times, and an output over fewer axes.
ir::Loops randomLoops(uint64_t seed, const RandomOptions& options = {});

/// Storage for the buffers of loops: small quarters and integers, the same for the same seed.
std::vector<ir::Memory> randomMemory(const ir::Loops& loops, uint64_t seed);

}  // namespace tests
