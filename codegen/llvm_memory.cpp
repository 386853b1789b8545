#include "codegen/llvm_memory.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm_cast.h"
#include "codegen/llvm_flow.h"

namespace codegen {
namespace {

void mark(llvm::Instruction* instruction, unsigned kind, llvm::MDNode* node) { instruction->setMetadata(kind, node); }

llvm::Value* maskOf(llvm::IRBuilderBase& builder, const LaneSet& lanes) {
  const Vec active{&builder, builder.CreateTrunc(lanes.active, builder.getInt32Ty())};
  return (iota(builder, lanes.count, 32) < active).value;
}

Vec toRegister(Vec value, ir::DType dtype) { return dtype == ir::DType::Bool ? value != 0 : value; }
Vec toMemory(Vec value, ir::DType dtype) { return dtype == ir::DType::Bool ? zeroExtend(value, 8) : value; }

}  // namespace

LlvmMemory::LlvmMemory(llvm::IRBuilderBase& builder, const Cpu& cpu, const ir::Kernel& kernel, llvm::Value* params)
    : builder_(builder), cpu_(cpu), kernel_(kernel) {
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    llvm::Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), params, i);
    pointers_.push_back(builder.CreateLoad(builder.getPtrTy(), slot, kernel.params[i].buffer.name));
  }
}

ir::DType LlvmMemory::dtype(int param) const { return kernel_.params[static_cast<size_t>(param)].buffer.type.dtype; }
llvm::Type* LlvmMemory::element(int param) const { return memoryType(builder_, dtype(param)); }
int LlvmMemory::elementBytes(int param) const { return static_cast<int>(ir::sizeOf(dtype(param))); }

llvm::Value* LlvmMemory::address(int param, Vec offset) const {
  return builder_.CreateInBoundsGEP(element(param), pointers_[static_cast<size_t>(param)], offset.value);
}

/// A buffer that is only read aliases none that is written, so its reads may move out of loops.
llvm::Value* LlvmMemory::loaded(int param, llvm::Type* type, llvm::Value* address) const {
  llvm::LoadInst* load = builder_.CreateAlignedLoad(type, address, llvm::Align(static_cast<uint64_t>(elementBytes(param))));
  if (!kernel_.params[static_cast<size_t>(param)].buffer.isWritten)
    mark(load, llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder_.getContext(), {}));
  return load;
}

Vec LlvmMemory::load(int param, Vec offset) const {
  return toRegister({&builder_, loaded(param, element(param), address(param, offset))}, dtype(param));
}

bool LlvmMemory::hasMaskedAccess(int param) const {
  return cpu_.hasAvx512 || (cpu_.vectorBytes == 32 && elementBytes(param) >= 4);
}

Vec LlvmMemory::loadActive(int param, llvm::Value* from, const LaneSet& lanes) const {
  llvm::Type* type = llvm::FixedVectorType::get(element(param), static_cast<unsigned>(lanes.count));
  if (hasMaskedAccess(param)) {
    const llvm::Align alignment(static_cast<uint64_t>(elementBytes(param)));
    return {&builder_,
            builder_.CreateMaskedLoad(type, from, alignment, maskOf(builder_, lanes), llvm::Constant::getNullValue(type))};
  }
  llvm::Value* array = stackArray(builder_, element(param), lanes.count);
  builder_.CreateAlignedStore(llvm::Constant::getNullValue(type), array, llvm::Align(64));
  countedLoop(builder_, builder_.getInt64(0), lanes.active, true, [&](llvm::Value* i) {
    llvm::Value* value = loaded(param, element(param), builder_.CreateInBoundsGEP(element(param), from, i));
    builder_.CreateStore(value, builder_.CreateInBoundsGEP(element(param), array, i));
  });
  return {&builder_, builder_.CreateAlignedLoad(type, array, llvm::Align(64))};
}

Vec LlvmMemory::loadContiguous(int param, Vec offset, const LaneSet& lanes) const {
  if (lanes.count == 1) return load(param, offset);
  llvm::Value* from = address(param, offset);
  if (lanes.active != nullptr) return toRegister(loadActive(param, from, lanes), dtype(param));
  llvm::Type* type = llvm::FixedVectorType::get(element(param), static_cast<unsigned>(lanes.count));
  return toRegister({&builder_, loaded(param, type, from)}, dtype(param));
}

Vec LlvmMemory::gather(int param, Vec base, Vec offsets) const {
  llvm::Value* from = address(param, base);
  if (elementBytes(param) >= 4 && cpu_.vectorBytes >= 32) {
    llvm::Type* type = llvm::FixedVectorType::get(element(param), static_cast<unsigned>(offsets.lanes()));
    llvm::Value* addresses = builder_.CreateInBoundsGEP(element(param), from, offsets.value);
    return {&builder_, builder_.CreateMaskedGather(type, addresses, llvm::Align(static_cast<uint64_t>(elementBytes(param))))};
  }
  // No gather of these: element by element.
  llvm::Value* vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(element(param), static_cast<unsigned>(offsets.lanes())));
  for (int i = 0; i < offsets.lanes(); ++i) {
    llvm::Value* at = builder_.CreateInBoundsGEP(element(param), from, lane(offsets, i).value);
    vector = builder_.CreateInsertElement(vector, loaded(param, element(param), at), static_cast<uint64_t>(i));
  }
  return toRegister({&builder_, vector}, dtype(param));
}

void LlvmMemory::store(int param, Vec offset, Vec value) const {
  const llvm::Align alignment(static_cast<uint64_t>(elementBytes(param)));
  builder_.CreateAlignedStore(toMemory(value, dtype(param)).value, address(param, offset), alignment);
}

/// Whether a whole vector may be stored around the caches, which takes alignment to the store's size or the register's.
bool LlvmMemory::streams(int param, Vec value) const {
  const int bytes = value.lanes() * elementBytes(param);
  const int needed = std::min(bytes, cpu_.vectorBytes);
  return kernel_.streamStores && bytes >= 16 && kernel_.params[static_cast<size_t>(param)].alignment % needed == 0;
}

void LlvmMemory::storeActive(int param, llvm::Value* to, Vec value, const LaneSet& lanes) const {
  if (hasMaskedAccess(param)) {
    const llvm::Align alignment(static_cast<uint64_t>(elementBytes(param)));
    builder_.CreateMaskedStore(value.value, to, alignment, maskOf(builder_, lanes));
    return;
  }
  llvm::Value* array = stackArray(builder_, element(param), lanes.count);
  builder_.CreateAlignedStore(value.value, array, llvm::Align(64));
  countedLoop(builder_, builder_.getInt64(0), lanes.active, true, [&](llvm::Value* i) {
    llvm::Value* one = builder_.CreateLoad(element(param), builder_.CreateInBoundsGEP(element(param), array, i));
    builder_.CreateStore(one, builder_.CreateInBoundsGEP(element(param), to, i));
  });
}

void LlvmMemory::storeContiguous(int param, Vec offset, Vec value, const LaneSet& lanes) const {
  if (lanes.count == 1) return store(param, offset, value);
  llvm::Value* to = address(param, offset);
  const Vec stored = toMemory(splat(value, lanes.count), dtype(param));
  if (lanes.active != nullptr) return storeActive(param, to, stored, lanes);
  const bool streaming = streams(param, stored);
  const int alignment = streaming ? kernel_.params[static_cast<size_t>(param)].alignment : elementBytes(param);
  llvm::StoreInst* made = builder_.CreateAlignedStore(stored.value, to, llvm::Align(static_cast<uint64_t>(alignment)));
  if (!streaming) return;
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
  mark(made, llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(builder_.getContext(), {one}));
}

void LlvmMemory::scatter(int param, Vec offsets, Vec value, const LaneSet& lanes) const {
  const Vec stored = toMemory(splat(value, lanes.count), dtype(param));
  const Vec at = splat(offsets, lanes.count);
  if (lanes.active == nullptr) {
    // In the lanes' order: where two lanes write one element, the later one stays.
    for (int i = 0; i < lanes.count; ++i)
      builder_.CreateAlignedStore(lane(stored, i).value, address(param, lane(at, i)),
                                  llvm::Align(static_cast<uint64_t>(elementBytes(param))));
    return;
  }
  llvm::Value* values = stackArray(builder_, element(param), lanes.count);
  llvm::Value* places = stackArray(builder_, builder_.getInt64Ty(), lanes.count);
  builder_.CreateAlignedStore(stored.value, values, llvm::Align(64));
  builder_.CreateAlignedStore(at.value, places, llvm::Align(64));
  countedLoop(builder_, builder_.getInt64(0), lanes.active, true, [&](llvm::Value* i) {
    llvm::Value* one = builder_.CreateLoad(element(param), builder_.CreateInBoundsGEP(element(param), values, i));
    llvm::Value* place = builder_.CreateLoad(builder_.getInt64Ty(), builder_.CreateInBoundsGEP(builder_.getInt64Ty(), places, i));
    builder_.CreateStore(one, address(param, {&builder_, place}));
  });
}

}  // namespace codegen
