#include "codegen/llvm/math/erf.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <array>

#include "codegen/llvm/math/constants.h"

namespace codegen {
namespace {

/// Intervals of [0, 4]: number n is about n / intervalsPerUnit.
constexpr double intervalsPerUnit = 0x1.ef5c28p+1;

/// erf(x) / x in each interval as a polynomial of |x| * intervalsPerUnit - n: the coefficients by degree, the first as a sum
/// of two. Minimax fits (Remez' algorithm, coefficients rounded to f32); 2^-28 relative.
using Table = std::array<float, 16>;
constexpr std::array<Table, 7> coefficients{{
    {{0x1.20dd74p+0F, 0x1.1a900cp+0F, 0x1.0915a4p+0F, 0x1.e0335ap-1F, 0x1.a81e46p-1F, 0x1.7177ep-1F, 0x1.40e1bap-1F,
      0x1.18153cp-1F, 0x1.eda524p-2F, 0x1.b7e086p-2F, 0x1.8c2f9p-2F, 0x1.683da6p-2F, 0x1.4a3c74p-2F, 0x1.30d616p-2F,
      0x1.1b101p-2F, 0x1.083124p-2F}},
    {{0x1.0429b6p-24F, 0x1.2c4812p-24F, 0x1.2a8d78p-24F, 0x1.87dadcp-25F, 0x1.b509c2p-29F, 0x1.4f3e42p-25F, 0x1.39b0f4p-29F,
      0x1.3854a2p-27F, 0x1.c4e3dep-26F, 0x1.529a2ap-26F, 0x1.cea254p-35F, 0x1.57d7c4p-29F, 0x1.29046ep-26F, 0x1.7b3404p-26F,
      0x1.11c1a8p-26F, 0x1.ab990ep-26F}},
    {{-0x1.27a2bcp-27F, -0x1.8b5dccp-5F, -0x1.5f679ep-4F, -0x1.b3cf74p-4F, -0x1.c33bf4p-4F, -0x1.a101c4p-4F, -0x1.66384ap-4F,
      -0x1.270b18p-4F, -0x1.dd8ac6p-5F, -0x1.8266c4p-5F, -0x1.3bc8c6p-5F, -0x1.05bb9cp-5F, -0x1.b8364ap-6F, -0x1.772a4ep-6F,
      -0x1.437f6p-6F, -0x1.19cdeep-6F}},
    {{-0x1.9b75fp-6F, -0x1.6bed7ep-6F, -0x1.e483eep-7F, -0x1.7efa04p-8F, 0x1.b1beb8p-10F, 0x1.943972p-8F, 0x1.fcfb62p-8F,
      0x1.e70c4p-8F, 0x1.98bb8ep-8F, 0x1.415a86p-8F, 0x1.ecd136p-9F, 0x1.79a44cp-9F, 0x1.24d0cap-9F, 0x1.cd7e4p-10F,
      0x1.71ab96p-10F, 0x1.2c95d4p-10F}},
    {{-0x1.cd8e72p-20F, 0x1.e7091ep-10F, 0x1.7e046cp-9F, 0x1.78be08p-9F, 0x1.0b273ap-9F, 0x1.00ae68p-10F, 0x1.3225cap-13F,
      -0x1.41fefap-12F, -0x1.d743acp-12F, -0x1.baa3eap-12F, -0x1.6146ecp-12F, -0x1.0766fcp-12F, -0x1.811526p-13F,
      -0x1.1ae5cep-13F, -0x1.a61688p-14F, -0x1.409038p-14F}},
    {{0x1.0b3b04p-11F, 0x1.96fdf4p-12F, 0x1.07881ep-13F, -0x1.102cfcp-13F, -0x1.0f955ep-12F, -0x1.046574p-12F, -0x1.5238c4p-13F,
      -0x1.229d4ap-14F, -0x1.30447ap-17F, 0x1.2210f2p-16F, 0x1.7c196ep-16F, 0x1.457b36p-16F, 0x1.e35f16p-17F, 0x1.55c8p-17F,
      0x1.e07e36p-18F, 0x1.560716p-18F}},
    {{-0x1.8eb494p-17F, -0x1.616088p-15F, -0x1.dfdf68p-15F, -0x1.55a284p-15F, -0x1.601cecp-17F, 0x1.a401bap-17F, 0x1.4cfdb4p-16F,
      0x1.080fd8p-16F, 0x1.17313ep-17F, 0x1.67033p-19F, -0x1.fbcec8p-24F, -0x1.0366eep-20F, -0x1.00da9ep-20F, -0x1.832a68p-21F,
      -0x1.0b4d9ap-21F, -0x1.6a2402p-22F}},
}};

/// Entry `index` (its low 4 bits) of the table in each of 16 lanes.
Vec lookUp(const std::string& name, const Table& table, Vec index) {
  llvm::IRBuilderBase& builder = *index.builder;
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::GlobalVariable* global = module.getGlobalVariable(name, /*AllowInternal=*/true);
  if (global == nullptr) {
    llvm::Constant* values = llvm::ConstantDataVector::get(builder.getContext(), table);
    global = new llvm::GlobalVariable(module, values->getType(), true, llvm::GlobalValue::PrivateLinkage, values, name);
  }
  llvm::Value* entries = builder.CreateAlignedLoad(global->getValueType(), global, llvm::Align(64));
  return {&builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_avx512_permvar_sf_512, {}, {entries, index.value})};
}

Vec ofSixteen(Vec x) {
  // Beyond 4 the result is 1 all the same.
  const Vec inside = atLeast(atMost(x, 4.0), -4.0);
  const Vec magnitude = abs(inside);
  const Vec shifted = fma(magnitude, magnitude.like(intervalsPerUnit), toNearest);
  const Vec u = fma(magnitude, magnitude.like(intervalsPerUnit), shifted.like(toNearest) - shifted);
  const Vec index = asBits(shifted);
  const auto c = [&](size_t i) { return lookUp("erf.c" + std::to_string(i), coefficients.at(i), index); };
  Vec sum = c(coefficients.size() - 1);
  for (size_t i = coefficients.size() - 1; i-- > 1;) sum = fma(sum, u, c(i));
  return fma(inside, c(0), inside * sum);
}

}  // namespace

Vec erfByTable(Vec x) {
  return inPieces({x}, 16, [](const std::vector<Vec>& pieces) { return ofSixteen(pieces[0]); });
}

}  // namespace codegen
