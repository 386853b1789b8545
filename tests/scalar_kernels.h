#pragma once

#include <vector>

#include "ir/error.h"
#include "ir/interpret/interpret.h"
#include "ir/kernel.h"

namespace tests {

/// A CUDA kernel that computes each element of each output from the elements at its place of the inputs.
struct ScalarKernel {
  ir::Kernel kernel;
  std::vector<ir::Op> ops;         ///< by output, of scalarKernel
  std::vector<ir::DType> results;  ///< by output
  int inputs = 0;
};

/// The start of a kernel over `elements`, a multiple of 128, one a thread; finishScalarKernel adds the outputs.
inline ScalarKernel startScalarKernel(const std::string& name, const std::vector<ir::DType>& inputs, int64_t elements) {
  ScalarKernel made;
  made.kernel.name = name;
  made.kernel.backend = ir::Backend::Cuda;
  made.kernel.pool = std::make_shared<ir::ExprPool>();
  made.kernel.launch.block = 128;
  made.kernel.launch.grid = elements / 128;
  made.kernel.index32 = true;
  made.inputs = static_cast<int>(inputs.size());
  for (const ir::DType dtype : inputs) {
    const std::string buffer = "in" + std::to_string(made.kernel.params.size());
    made.kernel.params.push_back({{buffer, ir::TensorType::contiguous(dtype, {elements}), -1, true, false}, 16});
  }
  return made;
}

inline void finishScalarKernel(ScalarKernel& made, const ir::Expr* block, const ir::Expr* thread,
                               const std::vector<const ir::Expr*>& values) {
  ir::ExprPool& pool = *made.kernel.pool;
  const ir::Expr* at = pool.make(ir::Op::Add, {pool.make(ir::Op::Mul, {block, pool.integer(ir::DType::I64, 128)}), thread});
  const ir::Expr* lane = pool.axis(1);
  ir::Lanes lanes{lane, nullptr, {}};
  for (const ir::Expr* value : values) {
    made.results.push_back(value->dtype);
    lanes.stores.push_back({static_cast<int>(made.kernel.params.size()), at, value, false});
    const std::string buffer = "out" + std::to_string(made.kernel.params.size());
    made.kernel.params.push_back(
        {{buffer, ir::TensorType::contiguous(value->dtype, made.kernel.params[0].buffer.type.sizes), -1, false, true}, 16});
  }
  ir::Block body{{std::move(lanes)}};
  body = {{ir::For{thread, ir::LoopKind::Thread, std::move(body)}}};
  made.kernel.body = {{ir::For{block, ir::LoopKind::Grid, std::move(body)}}};
}

/// The operation on operands for which it is defined: divisors are not 0, shift counts are below the number of bits.
inline const ir::Expr* applied(ir::ExprPool& pool, ir::Op op, const ir::Expr* x, const ir::Expr* y, const ir::Expr* condition) {
  using ir::Op;
  const bool divides = op == Op::Div || op == Op::FloorDiv || op == Op::Mod || op == Op::Rem;
  if (divides && ir::isIntegral(y->dtype)) {
    const ir::Expr* isZero = pool.make(Op::Eq, {y, pool.integer(y->dtype, 0)});
    y = pool.make(Op::Where, {isZero, pool.integer(y->dtype, 3), y});
  }
  if (op == Op::Shl || op == Op::Shr) y = pool.make(Op::And, {y, pool.integer(y->dtype, 8 * ir::sizeOf(y->dtype) - 1)});
  if (op == Op::Where) return pool.make(op, {condition, x, y});
  return ir::arity(op) == 1 ? pool.make(op, {x}) : pool.make(op, {x, y});
}

/// One output for every operation that takes `dtype`, of inputs x, y of that dtype and a condition.
inline ScalarKernel scalarKernel(ir::DType dtype, int64_t elements, bool relaxed = false) {
  using ir::Op;
  ScalarKernel made = startScalarKernel("scalar_" + std::string(ir::name(dtype)), {dtype, dtype, ir::DType::Bool}, elements);
  made.kernel.math = relaxed ? ir::Math::Relaxed : ir::Math::Exact;
  ir::ExprPool& pool = *made.kernel.pool;
  const ir::Expr* block = pool.axis(made.kernel.launch.grid);
  const ir::Expr* thread = pool.axis(128);
  const ir::Expr* at = pool.make(Op::Add, {pool.make(Op::Mul, {block, pool.integer(ir::DType::I64, 128)}), thread});
  std::vector<const ir::Expr*> values;
  for (int i = static_cast<int>(Op::Load) + 1; i <= static_cast<int>(Op::Where); ++i) {
    const Op op = static_cast<Op>(i);
    if (op == Op::Cast) continue;
    try {
      values.push_back(applied(pool, op, pool.load(0, dtype, at), pool.load(1, dtype, at), pool.load(2, ir::DType::Bool, at)));
      made.ops.push_back(op);
    } catch (const ir::Error&) {
      // the operation does not take this dtype
    }
  }
  finishScalarKernel(made, block, thread, values);
  return made;
}

/// One output for every dtype that `from` can be cast to.
inline ScalarKernel castKernel(ir::DType from, int64_t elements) {
  ScalarKernel made = startScalarKernel("cast_" + std::string(ir::name(from)), {from}, elements);
  ir::ExprPool& pool = *made.kernel.pool;
  const ir::Expr* block = pool.axis(made.kernel.launch.grid);
  const ir::Expr* thread = pool.axis(128);
  const ir::Expr* at = pool.make(ir::Op::Add, {pool.make(ir::Op::Mul, {block, pool.integer(ir::DType::I64, 128)}), thread});
  std::vector<const ir::Expr*> values;
  for (int i = 0; i < ir::dtypeCount; ++i)
    if (const auto to = static_cast<ir::DType>(i); !ir::isComplex(to)) values.push_back(pool.cast(to, pool.load(0, from, at)));
  finishScalarKernel(made, block, thread, values);
  return made;
}

/// Every dtype that scalar code is generated for.
inline std::vector<ir::DType> scalarDTypes() {
  std::vector<ir::DType> dtypes;
  for (int i = 0; i < ir::dtypeCount; ++i)
    if (const auto dtype = static_cast<ir::DType>(i); !ir::isComplex(dtype)) dtypes.push_back(dtype);
  return dtypes;
}

}  // namespace tests
