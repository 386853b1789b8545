#include "codegen/llvm/math/math.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/math/erf.h"
#include "codegen/llvm/math/exp.h"
#include "codegen/llvm/math/log.h"
#include "codegen/llvm/math/trig.h"
#include "codegen/llvm/values/call.h"
#include "codegen/llvm/values/cast.h"

namespace codegen {
namespace {

bool isF32(Vec x) { return x.bits() == 32; }

/// The hardware's guess of 14 bits and one step of Newton's, which leaves infinity, of 0, and 0, of infinity, as they are.
Vec relaxedRsqrt(Vec x) {
  llvm::IRBuilderBase& builder = *x.builder;
  const Vec guess = inPieces({x}, 16, [&](const std::vector<Vec>& piece) -> Vec {
    llvm::Value* none = llvm::Constant::getNullValue(piece[0].value->getType());
    return {&builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_rsqrt14_ps_512, {},
                                              {piece[0].value, none, builder.getInt16(0xffff)})};
  });
  const Vec better = guess * fma(x * -0.5 * guess, guess, x.like(1.5));
  return select(isNan(better), guess, better);
}

}  // namespace

Vec LlvmMath::rsqrt(Vec x) const {
  const bool hasGuess = relaxed_ && cpu_.hasAvx512 && isF32(x) && x.isVector();
  return hasGuess ? relaxedRsqrt(x) : x.like(1.0) / intrinsic("llvm.sqrt", {x});
}
Vec LlvmMath::exp(Vec x) const { return isF32(x) ? expF32(cpu_, x, relaxed_) : callLibmvec(cpu_, "exp", {x}); }
Vec LlvmMath::expm1(Vec x) const { return isF32(x) ? expm1F32(x) : callLibmvec(cpu_, "expm1", {x}); }
Vec LlvmMath::log(Vec x) const { return isF32(x) ? logF32(x, relaxed_) : callLibmvec(cpu_, "log", {x}); }
Vec LlvmMath::log2(Vec x) const { return isF32(x) ? log2F32(x, relaxed_) : callLibmvec(cpu_, "log2", {x}); }
Vec LlvmMath::log1p(Vec x) const { return isF32(x) ? log1pF32(x, relaxed_) : callLibmvec(cpu_, "log1p", {x}); }
Vec LlvmMath::sin(Vec x) const { return isF32(x) ? sinF32(cpu_, x) : callLibmvec(cpu_, "sin", {x}); }
Vec LlvmMath::cos(Vec x) const { return isF32(x) ? cosF32(cpu_, x) : callLibmvec(cpu_, "cos", {x}); }
Vec LlvmMath::tanh(Vec x) const { return isF32(x) ? tanhF32(x) : callLibmvec(cpu_, "tanh", {x}); }
Vec LlvmMath::erf(Vec x) const {
  if (!isF32(x)) return callLibmvec(cpu_, "erf", {x});
  return cpu_.hasAvx512 && x.isVector() && !relaxed_ ? erfByTable(x) : erfF32(x, relaxed_);
}
Vec LlvmMath::pow(Vec x, Vec y) const { return isF32(x) ? powF32(x, y) : callLibmvec(cpu_, "pow", {x, y}); }
Vec LlvmMath::logAddExp(Vec x, Vec y) const {
  const LlvmMath exact(cpu_, false);  // long chains of it add up what each one errs
  // The difference of equal infinities is 0 here; a NaN gets into the sum through it.
  const Vec isFirst = x > y, top = select(isFirst, x, y), bottom = select(isFirst, y, x);
  return top + exact.log1p(exact.exp(select(x == y, x.like(0.0), bottom - top)));
}
Vec LlvmMath::rem(Vec x, Vec y) const { return isF32(x) ? remF32(x, y) : callLibm("fmod", {x, y}); }
Vec LlvmMath::library(const std::string& symbol, Form form, const std::vector<Vec>& operands) const {
  return form == Vectors ? callLibmvec(cpu_, symbol, operands) : callLibm(symbol, operands);
}
Vec LlvmMath::routine(const std::string& symbol, Vec x, Vec y) const {
  if (!isF32(x)) return callLibm(symbol, {x, y});
  const auto wide = [this](Vec v) { return convert(cpu_, v, ir::DType::F32, ir::DType::F64); };
  return convert(cpu_, callLibm(symbol, {wide(x), wide(y)}), ir::DType::F64, ir::DType::F32);
}

}  // namespace codegen
