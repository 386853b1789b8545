#include "codegen/llvm/values/cpu.h"

#include <string>

namespace codegen {
namespace {

bool hasFeature(const std::string& features, const std::string& feature) {
  return ("," + features + ",").find(",+" + feature + ",") != std::string::npos;
}

}  // namespace

Cpu::Cpu(const ir::Target& target)
    : vectorBytes(target.vectorBytes),
      hasAvx512(target.vectorBytes == 64),
      hasHalf(hasFeature(target.features, "f16c")),
      hasBrain(hasAvx512 && hasFeature(target.features, "avx512bf16")),
      hasFma(hasFeature(target.features, "fma")) {}

}  // namespace codegen
