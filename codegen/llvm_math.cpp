#include "codegen/llvm_math.h"

#include "codegen/llvm_call.h"
#include "codegen/llvm_math_erf.h"
#include "codegen/llvm_math_exp.h"
#include "codegen/llvm_math_log.h"
#include "codegen/llvm_math_trig.h"

namespace codegen {
namespace {

bool isF32(Vec x) { return x.bits() == 32; }

}  // namespace

Vec LlvmMath::rsqrt(Vec x) const { return x.like(1.0) / intrinsic("llvm.sqrt", {x}); }
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
Vec LlvmMath::rem(Vec x, Vec y) const { return isF32(x) ? remF32(x, y) : callLibm("fmod", {x, y}); }

}  // namespace codegen
