#include "codegen/llvm/values/vec.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/NoFolder.h>
#include <llvm/IR/ValueSymbolTable.h>

#include <algorithm>

#include "ir/error.h"

namespace codegen {
namespace {

llvm::Type* shaped(Vec shape, llvm::Type* element) {
  return shape.isVector() ? llvm::FixedVectorType::get(element, static_cast<unsigned>(shape.lanes())) : element;
}
llvm::Type* integerType(Vec shape, int bits) { return shaped(shape, shape.builder->getIntNTy(static_cast<unsigned>(bits))); }
llvm::Type* floatType(Vec shape, int bits) {
  llvm::IRBuilderBase& builder = *shape.builder;
  ir::require(bits == 16 || bits == 32 || bits == 64, "no floating type of {} bits", bits);
  return shaped(shape, bits == 16 ? builder.getHalfTy() : bits == 32 ? builder.getFloatTy() : builder.getDoubleTy());
}

/// A constant in every lane, made once, in the entry block: LLVM prints constant vectors element by element, and a value
/// named by its number reads better. The optimiser makes it a constant again.
llvm::Value* splatConstant(llvm::IRBuilderBase& builder, llvm::Constant* scalar, int lanes, const std::string& name) {
  if (scalar->isNullValue())
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(static_cast<unsigned>(lanes)), scalar);
  llvm::BasicBlock& entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  if (llvm::Value* made = entry.getParent()->getValueSymbolTable()->lookup(name)) return made;
  llvm::IRBuilder<llvm::NoFolder> atEntry(&entry, entry.begin());
  llvm::Value* splat = atEntry.CreateVectorSplat(static_cast<unsigned>(lanes), scalar);
  splat->setName(name);
  return splat;
}

/// The operands with one shape.
std::pair<Vec, Vec> matched(Vec a, Vec b) { return {splat(a, b.lanes()), splat(b, a.lanes())}; }

using Binary = llvm::Value* (*)(llvm::IRBuilderBase&, llvm::Value*, llvm::Value*);
Vec binary(Vec a, Vec b, Binary floating, Binary integer) {
  const auto [x, y] = matched(a, b);
  return {x.builder, (x.isFloat() ? floating : integer)(*x.builder, x.value, y.value)};
}

using Predicate = llvm::CmpInst::Predicate;
Vec compare(Vec a, Vec b, Predicate floating, Predicate integer) {
  const auto [x, y] = matched(a, b);
  llvm::IRBuilderBase& builder = *x.builder;
  return {&builder, x.isFloat() ? builder.CreateFCmp(floating, x.value, y.value) : builder.CreateICmp(integer, x.value, y.value)};
}

/// Lanes first, first + 1, ... of a vector; lanes past its end repeat lane `first`, so that they are no new special values.
Vec padded(Vec a, int first, int width) {
  llvm::SmallVector<int, 64> mask;
  for (int i = first; i < first + width; ++i) mask.push_back(i < a.lanes() ? i : first);
  return {a.builder, a.builder->CreateShuffleVector(a.value, mask)};
}

Vec joined(Vec low, Vec high) {
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < low.lanes() + high.lanes(); ++i) mask.push_back(i);
  return {low.builder, low.builder->CreateShuffleVector(low.value, high.value, mask)};
}

Vec cast(llvm::Instruction::CastOps op, Vec a, llvm::Type* type) { return {a.builder, a.builder->CreateCast(op, a.value, type)}; }

}  // namespace

bool Vec::isVector() const { return value->getType()->isVectorTy(); }
int Vec::lanes() const {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
}
bool Vec::isFloat() const { return value->getType()->isFPOrFPVectorTy(); }
int Vec::bits() const { return static_cast<int>(value->getType()->getScalarSizeInBits()); }
Vec Vec::like(double x) const {
  llvm::Constant* scalar = llvm::ConstantFP::get(value->getType()->getScalarType(), x);
  return {builder, isVector() ? splatConstant(*builder, scalar, lanes(), fmt::format("c{}.f{}x{}", x, bits(), lanes())) : scalar};
}
Vec Vec::like(int64_t x) const {
  if (isFloat()) return like(static_cast<double>(x));
  llvm::Constant* scalar = llvm::ConstantInt::get(value->getType()->getScalarType(), static_cast<uint64_t>(x), /*IsSigned=*/true);
  return {builder, isVector() ? splatConstant(*builder, scalar, lanes(), fmt::format("c{}.i{}x{}", x, bits(), lanes())) : scalar};
}

#define CODEGEN_BINARY(op, Floating, Integer)                                                                              \
  Vec operator op(Vec a, Vec b) {                                                                                          \
    return binary(                                                                                                         \
        a, b, [](llvm::IRBuilderBase& builder, llvm::Value* x, llvm::Value* y) { return builder.Create##Floating(x, y); }, \
        [](llvm::IRBuilderBase& builder, llvm::Value* x, llvm::Value* y) { return builder.Create##Integer(x, y); });       \
  }
CODEGEN_BINARY(+, FAdd, Add)
CODEGEN_BINARY(-, FSub, Sub)
CODEGEN_BINARY(*, FMul, Mul)
CODEGEN_BINARY(/, FDiv, SDiv)
CODEGEN_BINARY(&, And, And)
CODEGEN_BINARY(|, Or, Or)
CODEGEN_BINARY(^, Xor, Xor)
CODEGEN_BINARY(<<, Shl, Shl)
CODEGEN_BINARY(>>, LShr, LShr)
#undef CODEGEN_BINARY

Vec operator<(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_OLT, Predicate::ICMP_SLT); }
Vec operator<=(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_OLE, Predicate::ICMP_SLE); }
Vec operator>(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_OGT, Predicate::ICMP_SGT); }
Vec operator==(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_OEQ, Predicate::ICMP_EQ); }
Vec operator!=(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_UNE, Predicate::ICMP_NE); }
Vec lessUnsigned(Vec a, Vec b) { return compare(a, b, Predicate::FCMP_OLT, Predicate::ICMP_ULT); }
Vec isNan(Vec a) { return compare(a, a, Predicate::FCMP_UNO, Predicate::ICMP_NE); }
Vec operator-(Vec a) { return {a.builder, a.isFloat() ? a.builder->CreateFNeg(a.value) : a.builder->CreateNeg(a.value)}; }
Vec operator!(Vec a) { return {a.builder, a.builder->CreateNot(a.value)}; }

Vec shiftRightSigned(Vec a, Vec b) {
  const auto [x, y] = matched(a, b);
  return {x.builder, x.builder->CreateAShr(x.value, y.value)};
}

Vec select(Vec condition, Vec a, Vec b) {
  auto [x, y] = matched(a, b);
  x = splat(x, condition.lanes());
  y = splat(y, condition.lanes());
  return {x.builder, x.builder->CreateSelect(condition.value, x.value, y.value)};
}

Vec intrinsic(const char* name, std::initializer_list<Vec> operands) {
  const llvm::Intrinsic::ID id = llvm::Function::lookupIntrinsicID(name);
  ir::require(id != llvm::Intrinsic::not_intrinsic, "llvm has no intrinsic {}", name);
  llvm::SmallVector<llvm::Value*, 3> values;
  for (const Vec& operand : operands) values.push_back(operand.value);
  llvm::IRBuilderBase& builder = *operands.begin()->builder;
  return {&builder, builder.CreateIntrinsic(id, {values.front()->getType()}, values)};
}

Vec fma(Vec a, Vec b, Vec c) {
  const int lanes = std::max({a.lanes(), b.lanes(), c.lanes()});
  return intrinsic("llvm.fmuladd", {splat(a, lanes), splat(b, lanes), splat(c, lanes)});
}

Vec polynomial(Vec x, std::initializer_list<double> coefficients) {
  const double* c = coefficients.end() - 1;
  Vec sum = x.like(*c);
  while (c != coefficients.begin()) sum = fma(sum, x, *--c);
  return sum;
}

Vec abs(Vec a) { return intrinsic("llvm.fabs", {a}); }
Vec copySign(Vec a, Vec b) { return intrinsic("llvm.copysign", {a, b}); }
Vec atMost(Vec a, double limit) { return select(a.like(limit) < a, a.like(limit), a); }
Vec atLeast(Vec a, double limit) { return select(a < limit, a.like(limit), a); }

Vec asBits(Vec a) { return {a.builder, a.builder->CreateBitCast(a.value, integerType(a, a.bits()))}; }
Vec asFloat(Vec a) { return {a.builder, a.builder->CreateBitCast(a.value, floatType(a, a.bits()))}; }
Vec truncate(Vec a, int bits) { return {a.builder, a.builder->CreateTrunc(a.value, integerType(a, bits))}; }
Vec zeroExtend(Vec a, int bits) { return {a.builder, a.builder->CreateZExt(a.value, integerType(a, bits))}; }
Vec signExtend(Vec a, int bits) { return {a.builder, a.builder->CreateSExt(a.value, integerType(a, bits))}; }
Vec resizeFloat(Vec a, int bits) { return {a.builder, a.builder->CreateFPCast(a.value, floatType(a, bits))}; }
Vec toFloat(Vec a, int bits, bool isSigned) {
  return cast(isSigned ? llvm::Instruction::SIToFP : llvm::Instruction::UIToFP, a, floatType(a, bits));
}
Vec toInteger(Vec a, int bits, bool isSigned) {
  // Out of range is poison in LLVM: freeze makes it some integer.
  const Vec made = cast(isSigned ? llvm::Instruction::FPToSI : llvm::Instruction::FPToUI, a, integerType(a, bits));
  return {a.builder, a.builder->CreateFreeze(made.value)};
}

Vec splat(Vec a, int lanes) {
  if (a.isVector() || lanes == 1) return a;
  return {a.builder, a.builder->CreateVectorSplat(static_cast<unsigned>(lanes), a.value)};
}

Vec lane(Vec a, int index) {
  if (!a.isVector()) return a;
  return {a.builder, a.builder->CreateExtractElement(a.value, static_cast<uint64_t>(index))};
}

Vec slice(Vec a, int first, int count) {
  if (a.lanes() == count) return a;
  llvm::SmallVector<int, 64> mask;
  for (int i = first; i < first + count; ++i) mask.push_back(i < a.lanes() ? i : -1);
  return {a.builder, a.builder->CreateShuffleVector(a.value, mask)};
}

Vec strided(Vec a, int first, int step, int count) {
  if (first == 0 && step == 1 && a.lanes() == count) return a;
  llvm::SmallVector<int, 64> mask;
  for (int i = 0; i < count; ++i) mask.push_back(first + step * i);
  return {a.builder, a.builder->CreateShuffleVector(a.value, mask)};
}

Vec inPieces(const std::vector<Vec>& operands, int width, const std::function<Vec(const std::vector<Vec>&)>& body) {
  const int lanes = operands.front().lanes();
  std::vector<Vec> done;
  for (int first = 0; first < lanes; first += width) {
    std::vector<Vec> pieces;
    for (const Vec& operand : operands) pieces.push_back(padded(operand, first, width));
    done.push_back(body(pieces));
  }
  while (done.size() > 1) {
    if (done.size() % 2 != 0) done.push_back(done.back());
    for (size_t i = 0; i < done.size() / 2; ++i) done[i] = joined(done[2 * i], done[2 * i + 1]);
    done.resize(done.size() / 2);
  }
  return slice(done.front(), 0, lanes);
}

Vec any(Vec condition) {
  if (!condition.isVector()) return condition;
  return {condition.builder, condition.builder->CreateOrReduce(condition.value)};
}

Vec iota(llvm::IRBuilderBase& builder, int lanes, int bits) {
  llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(bits));
  if (lanes == 1) return {&builder, llvm::ConstantInt::get(type, 0)};
  llvm::SmallVector<llvm::Constant*, 64> values;
  for (int i = 0; i < lanes; ++i) values.push_back(llvm::ConstantInt::get(type, static_cast<uint64_t>(i)));
  return {&builder, llvm::ConstantVector::get(values)};
}

}  // namespace codegen
