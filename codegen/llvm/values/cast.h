#pragma once

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"
#include "ir/expr.h"

namespace codegen {

/// How values of a dtype are held in registers: Bool as i1, f16, bf16 and f8 as their bits, the others as themselves.
llvm::Type* registerType(llvm::IRBuilderBase& builder, ir::DType dtype);
/// As registerType, but Bool is an i8 of 0 or 1.
llvm::Type* memoryType(llvm::IRBuilderBase& builder, ir::DType dtype);
/// A constant expression's value, a scalar.
Vec constant(llvm::IRBuilderBase& builder, const ir::Expr* expr);

/// A value of a floating dtype as what arithmetic on it is done in (ir::opmath: f32 or f64), exactly.
Vec toOpmath(const Cpu& cpu, Vec x, ir::DType dtype);
/// The opmath value rounded to `dtype`, ties to even.
Vec fromOpmath(const Cpu& cpu, Vec x, ir::DType dtype);
/// ops.def's Cast.
Vec convert(const Cpu& cpu, Vec x, ir::DType from, ir::DType to);

}  // namespace codegen
