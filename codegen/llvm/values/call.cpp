#include "codegen/llvm/values/call.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "codegen/llvm/values/flow.h"
#include "ir/error.h"

namespace codegen {
namespace {

/// A function without side effects: calls of it may move and go.
Vec callPure(const std::string& name, const std::vector<Vec>& operands) {
  llvm::IRBuilderBase& builder = *operands.front().builder;
  std::vector<llvm::Value*> values;
  for (const Vec& operand : operands) values.push_back(operand.value);
  llvm::Type* type = values.front()->getType();
  const std::vector<llvm::Type*> types(values.size(), type);
  llvm::Module* module = builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, llvm::FunctionType::get(type, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return {&builder, builder.CreateCall(callee, values)};
}

/// The operands as vectors if one of them is.
std::vector<Vec> sameLanes(std::vector<Vec> operands) {
  int lanes = 1;
  for (const Vec& operand : operands) lanes = std::max(lanes, operand.lanes());
  for (Vec& operand : operands) operand = splat(operand, lanes);
  return operands;
}

std::string scalarName(const std::string& name, Vec operand) { return operand.bits() == 32 ? name + "f" : name; }

llvm::Value* spill(Vec operand) {
  llvm::IRBuilderBase& builder = *operand.builder;
  llvm::Value* array = stackArray(builder, operand.value->getType()->getScalarType(), operand.lanes());
  builder.CreateAlignedStore(operand.value, array, llvm::Align(64));
  return array;
}

}  // namespace

Vec callLibm(const std::string& name, const std::vector<Vec>& given) {
  const std::vector<Vec> operands = sameLanes(given);
  const Vec first = operands.front();
  if (!first.isVector()) return callPure(scalarName(name, first), operands);
  llvm::IRBuilderBase& builder = *first.builder;
  llvm::Type* element = first.value->getType()->getScalarType();
  std::vector<llvm::Value*> arrays;
  for (const Vec& operand : operands) arrays.push_back(spill(operand));
  llvm::Value* result = stackArray(builder, element, first.lanes());
  countedLoop(builder, builder.getInt64(0), builder.getInt64(static_cast<uint64_t>(first.lanes())), true, [&](llvm::Value* i) {
    std::vector<Vec> scalars;
    for (llvm::Value* array : arrays)
      scalars.push_back({&builder, builder.CreateLoad(element, builder.CreateGEP(element, array, i))});
    builder.CreateStore(callPure(scalarName(name, first), scalars).value, builder.CreateGEP(element, result, i));
  });
  return {&builder, builder.CreateAlignedLoad(first.value->getType(), result, llvm::Align(64))};
}

Vec callLibmvec(const Cpu& cpu, const std::string& name, const std::vector<Vec>& given) {
  const std::vector<Vec> operands = sameLanes(given);
  const std::string scalar = scalarName(name, operands.front());
  if (!operands.front().isVector()) return callPure(scalar, operands);
  const int width = cpu.vectorBytes * 8 / operands.front().bits();
  const char isa = cpu.vectorBytes == 64 ? 'e' : cpu.vectorBytes == 32 ? 'd' : 'b';
  const std::string symbol = fmt::format("_ZGV{}N{}{}_{}", isa, width, std::string(operands.size(), 'v'), scalar);
  return inPieces(operands, width, [&](const std::vector<Vec>& pieces) { return callPure(symbol, pieces); });
}

Vec orLibm(Vec fast, Vec rare, const std::string& name, const std::vector<Vec>& operands) {
  return unlessAny(rare, fast, [&] { return select(rare, callLibm(name, operands), fast); });
}

}  // namespace codegen
