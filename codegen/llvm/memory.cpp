#include "codegen/llvm/memory.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "codegen/llvm/locals.h"
#include "codegen/llvm/values/cast.h"
#include "codegen/llvm/values/flow.h"
#include "codegen/llvm/values/transpose.h"

namespace codegen {
namespace {

void mark(llvm::Instruction* instruction, unsigned kind, llvm::MDNode* node) { instruction->setMetadata(kind, node); }

Vec toRegister(Vec value, ir::DType dtype) { return dtype == ir::DType::Bool ? value != 0 : value; }
Vec toMemory(Vec value, ir::DType dtype) { return dtype == ir::DType::Bool ? zeroExtend(value, 8) : value; }

}  // namespace

Vec maskOf(llvm::IRBuilderBase& builder, const LaneSet& lanes) {
  const auto bound = [&](llvm::Value* x) { return Vec{&builder, builder.CreateTrunc(x, builder.getInt32Ty())}; };
  const Vec number = iota(builder, lanes.count, 32);
  if (lanes.first == nullptr) return number < bound(lanes.active);
  const Vec isLate = bound(lanes.first) <= number;
  return lanes.active == nullptr ? isLate : isLate & (number < bound(lanes.active));
}

LlvmMemory::LlvmMemory(llvm::IRBuilderBase& builder, const Cpu& cpu, const ir::Kernel& kernel, llvm::Value* params)
    : builder_(builder), cpu_(cpu), kernel_(kernel) {
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    llvm::Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), params, i);
    pointers_.push_back(builder.CreateLoad(builder.getPtrTy(), slot, kernel.params[i].buffer.name));
  }
  for (llvm::Value* local : localPointers(builder, kernel, params)) pointers_.push_back(local);
}

ir::DType LlvmMemory::dtype(int buffer) const { return kernel_.buffer(buffer).type.dtype; }
llvm::Type* LlvmMemory::element(int buffer) const { return memoryType(builder_, dtype(buffer)); }
int LlvmMemory::elementBytes(int buffer) const { return static_cast<int>(ir::sizeOf(dtype(buffer))); }

/// Lane 0's element, which is in the buffer unless the first active lane is a later one.
llvm::Value* LlvmMemory::address(int buffer, Vec offset, const LaneSet& lanes) const {
  llvm::Value* start = pointers_[static_cast<size_t>(buffer)];
  return lanes.first == nullptr ? builder_.CreateInBoundsGEP(element(buffer), start, offset.value)
                                : builder_.CreateGEP(element(buffer), start, offset.value);
}

/// Of an element that need not be in the buffer.
llvm::Value* LlvmMemory::anyAddress(int buffer, Vec offset) const {
  return builder_.CreateGEP(element(buffer), pointers_[static_cast<size_t>(buffer)], offset.value);
}

/// A buffer that is only read aliases none that is written, so its reads may move out of loops.
llvm::Value* LlvmMemory::loaded(int buffer, llvm::Type* type, llvm::Value* address) const {
  llvm::LoadInst* load = builder_.CreateAlignedLoad(type, address, llvm::Align(static_cast<uint64_t>(elementBytes(buffer))));
  if (kernel_.local(buffer) == nullptr && !kernel_.buffer(buffer).isWritten)
    mark(load, llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder_.getContext(), {}));
  return load;
}

Vec LlvmMemory::load(int buffer, Vec offset) const {
  return toRegister({&builder_, loaded(buffer, element(buffer), address(buffer, offset))}, dtype(buffer));
}

Vec LlvmMemory::loadWhole(int buffer, llvm::Value* from, int count) const {
  return {&builder_, loaded(buffer, llvm::FixedVectorType::get(element(buffer), static_cast<unsigned>(count)), from)};
}

/// Whether lanes that are not active may be read and written back.
bool LlvmMemory::holdsWhole(int buffer, Vec offset, const LaneSet& lanes) const {
  const ir::Local* local = kernel_.local(buffer);
  return local != nullptr && codegen::holdsWhole(*local, offset, lanes.count);
}

void LlvmMemory::forActive(const LaneSet& lanes, const std::function<void(llvm::Value*)>& body) const {
  llvm::Value* first = lanes.first == nullptr ? builder_.getInt64(0) : lanes.first;
  llvm::Value* end = lanes.active == nullptr ? builder_.getInt64(static_cast<uint64_t>(lanes.count)) : lanes.active;
  countedLoop(builder_, first, end, true, body);
}

bool LlvmMemory::hasMaskedAccess(int buffer) const {
  return cpu_.hasAvx512 || (cpu_.vectorBytes == 32 && elementBytes(buffer) >= 4);
}

/// From an address on, under a mask (hasMaskedAccess). LLVM 19 compiles a masked load for AVX2 wrongly whose mask is known to be
/// false in all lanes of a register and is no constant as a whole: it reads that register without a mask. Such loads are the
/// instruction.
Vec LlvmMemory::loadMasked(int buffer, llvm::Value* from, Vec mask, Vec other) const {
  const int bytes = elementBytes(buffer), lanes = other.lanes();
  if (cpu_.hasAvx512 || llvm::isa<llvm::Constant>(mask.value)) {
    const llvm::Align alignment(static_cast<uint64_t>(bytes));
    return {&builder_, builder_.CreateMaskedLoad(other.value->getType(), from, alignment, mask.value, other.value)};
  }
  const bool isWide = lanes * bytes >= 32;
  const int width = (isWide ? 32 : 16) / bytes;
  if (lanes % width != 0) return loadLanes(buffer, from, iota(builder_, lanes, 64), mask, other);
  const llvm::Intrinsic::ID instruction =
      bytes == 4 ? (isWide ? llvm::Intrinsic::x86_avx2_maskload_d_256 : llvm::Intrinsic::x86_avx2_maskload_d)
                 : (isWide ? llvm::Intrinsic::x86_avx2_maskload_q_256 : llvm::Intrinsic::x86_avx2_maskload_q);
  int64_t first = 0;
  const Vec read = inPieces({signExtend(mask, 8 * bytes)}, width, [&](const std::vector<Vec>& piece) {
    llvm::Value* at = builder_.CreateGEP(element(buffer), from, builder_.getInt64(static_cast<uint64_t>(first)));
    first += width;
    return Vec{&builder_, builder_.CreateIntrinsic(instruction, {}, {at, piece[0].value})};
  });
  return select(mask, {&builder_, builder_.CreateBitCast(read.value, other.value->getType())}, other);
}

Vec LlvmMemory::loadActive(int buffer, llvm::Value* from, const LaneSet& lanes) const {
  llvm::Type* type = llvm::FixedVectorType::get(element(buffer), static_cast<unsigned>(lanes.count));
  if (hasMaskedAccess(buffer))
    return loadMasked(buffer, from, maskOf(builder_, lanes), {&builder_, llvm::Constant::getNullValue(type)});
  llvm::Value* array = stackArray(builder_, element(buffer), lanes.count);
  builder_.CreateAlignedStore(llvm::Constant::getNullValue(type), array, llvm::Align(64));
  forActive(lanes, [&](llvm::Value* i) {
    llvm::Value* value = loaded(buffer, element(buffer), builder_.CreateGEP(element(buffer), from, i));
    builder_.CreateStore(value, builder_.CreateInBoundsGEP(element(buffer), array, i));
  });
  return {&builder_, builder_.CreateAlignedLoad(type, array, llvm::Align(64))};
}

Vec LlvmMemory::loadContiguous(int buffer, Vec offset, const LaneSet& lanes) const {
  if (lanes.count == 1) return load(buffer, offset);
  llvm::Value* from = address(buffer, offset, lanes);
  const bool isMasked = lanes.isPartial() && !holdsWhole(buffer, offset, lanes);
  return toRegister(isMasked ? loadActive(buffer, from, lanes) : loadWhole(buffer, from, lanes.count), dtype(buffer));
}

bool LlvmMemory::hasGather(int buffer) const {
  const ir::Local* local = kernel_.local(buffer);
  const bool isPrivate = local != nullptr && local->space == ir::Space::Private;
  return elementBytes(buffer) >= 4 && cpu_.vectorBytes >= 32 && !isPrivate;
}

Vec LlvmMemory::gather(int buffer, Vec base, Vec offsets) const {
  llvm::Value* from = address(buffer, base);
  if (hasGather(buffer)) {
    llvm::Type* type = llvm::FixedVectorType::get(element(buffer), static_cast<unsigned>(offsets.lanes()));
    llvm::Value* addresses = builder_.CreateInBoundsGEP(element(buffer), from, offsets.value);
    return {&builder_, builder_.CreateMaskedGather(type, addresses, llvm::Align(static_cast<uint64_t>(elementBytes(buffer))))};
  }
  // There is no gather of small elements or of registers: element by element.
  llvm::Value* vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(element(buffer), static_cast<unsigned>(offsets.lanes())));
  for (int i = 0; i < offsets.lanes(); ++i) {
    llvm::Value* at = builder_.CreateInBoundsGEP(element(buffer), from, lane(offsets, i).value);
    vector = builder_.CreateInsertElement(vector, loaded(buffer, element(buffer), at), static_cast<uint64_t>(i));
  }
  return toRegister({&builder_, vector}, dtype(buffer));
}

Vec LlvmMemory::load(int buffer, Vec offset, const MaskedRead& read) const {
  return unless(read.mask, read.other, [&] {
    return toRegister({&builder_, loaded(buffer, element(buffer), anyAddress(buffer, offset))}, dtype(buffer));
  });
}

Vec LlvmMemory::loadContiguous(int buffer, Vec offset, const LaneSet& lanes, const MaskedRead& read) const {
  if (lanes.count == 1) return load(buffer, offset, read);
  llvm::Value* from = anyAddress(buffer, offset);
  const Vec other = toMemory(splat(read.other, lanes.count), dtype(buffer));
  if (!read.mask.isVector() && !lanes.isPartial())
    return toRegister(unless(read.mask, other, [&] { return loadWhole(buffer, from, lanes.count); }), dtype(buffer));
  Vec mask = splat(read.mask, lanes.count);
  if (lanes.isPartial()) mask = mask & maskOf(builder_, lanes);
  if (!hasMaskedAccess(buffer))
    return toRegister(loadLanes(buffer, from, iota(builder_, lanes.count, 64), mask, other), dtype(buffer));
  return toRegister(loadMasked(buffer, from, mask, other), dtype(buffer));
}

Vec LlvmMemory::gather(int buffer, Vec base, Vec offsets, const MaskedRead& read) const {
  llvm::Value* from = anyAddress(buffer, base);
  const Vec mask = splat(read.mask, offsets.lanes()), other = toMemory(splat(read.other, offsets.lanes()), dtype(buffer));
  if (!hasGather(buffer)) return toRegister(loadLanes(buffer, from, offsets, mask, other), dtype(buffer));
  llvm::Value* addresses = builder_.CreateGEP(element(buffer), from, offsets.value);
  const llvm::Align alignment(static_cast<uint64_t>(elementBytes(buffer)));
  return {&builder_, builder_.CreateMaskedGather(other.value->getType(), addresses, alignment, mask.value, other.value)};
}

/// One lane after another, where its mask holds.
Vec LlvmMemory::loadLanes(int buffer, llvm::Value* from, Vec offsets, Vec mask, Vec other) const {
  const int count = other.lanes();
  const Vec places = signExtend(offsets, 64), holds = zeroExtend(mask, 8);
  const auto arrayOf = [&](Vec vector) {
    llvm::Type* type = vector.value->getType()->getScalarType();
    llvm::Value* array = stackArray(builder_, type, count);
    builder_.CreateAlignedStore(vector.value, array, llvm::Align(64));
    return [this, type, array](llvm::Value* i) { return builder_.CreateInBoundsGEP(type, array, i); };
  };
  const auto value = arrayOf(other), place = arrayOf(places), hold = arrayOf(holds);
  countedLoop(builder_, builder_.getInt64(0), builder_.getInt64(static_cast<uint64_t>(count)), true, [&](llvm::Value* i) {
    llvm::Value* isRead = builder_.CreateIsNotNull(builder_.CreateLoad(builder_.getInt8Ty(), hold(i)));
    const auto read = [&] {
      llvm::Value* offset = builder_.CreateLoad(builder_.getInt64Ty(), place(i));
      builder_.CreateStore(loaded(buffer, element(buffer), builder_.CreateGEP(element(buffer), from, offset)), value(i));
    };
    branch(builder_, isRead, read, nullptr);
  });
  llvm::Value* all = value(builder_.getInt64(0));
  return {&builder_, builder_.CreateAlignedLoad(other.value->getType(), all, llvm::Align(64))};
}

void LlvmMemory::store(int buffer, Vec offset, Vec value) const {
  const llvm::Align alignment(static_cast<uint64_t>(elementBytes(buffer)));
  builder_.CreateAlignedStore(toMemory(value, dtype(buffer)).value, address(buffer, offset), alignment);
}

/// The alignment that storing a whole vector around the caches takes: the store's size or the register's.
int LlvmMemory::streamAlignment(int buffer, Vec value) const {
  return std::min(value.lanes() * elementBytes(buffer), cpu_.vectorBytes);
}

/// Whether a whole vector may be stored around the caches.
bool LlvmMemory::streams(int buffer, Vec value) const {
  const int needed = streamAlignment(buffer, value);
  return kernel_.streamStores && kernel_.local(buffer) == nullptr && needed >= 16 &&
         kernel_.params[static_cast<size_t>(buffer)].alignment % needed == 0;
}

void LlvmMemory::storeActive(int buffer, llvm::Value* to, Vec value, const LaneSet& lanes) const {
  if (hasMaskedAccess(buffer)) {
    const llvm::Align alignment(static_cast<uint64_t>(elementBytes(buffer)));
    builder_.CreateMaskedStore(value.value, to, alignment, maskOf(builder_, lanes).value);
    return;
  }
  llvm::Value* array = stackArray(builder_, element(buffer), lanes.count);
  builder_.CreateAlignedStore(value.value, array, llvm::Align(64));
  forActive(lanes, [&](llvm::Value* i) {
    llvm::Value* one = builder_.CreateLoad(element(buffer), builder_.CreateInBoundsGEP(element(buffer), array, i));
    builder_.CreateStore(one, builder_.CreateGEP(element(buffer), to, i));
  });
}

void LlvmMemory::storeContiguous(int buffer, Vec offset, Vec value, const LaneSet& lanes) const {
  if (lanes.count == 1) return store(buffer, offset, value);
  llvm::Value* to = address(buffer, offset, lanes);
  const bool isWhole = holdsWhole(buffer, offset, lanes);
  Vec stored = toMemory(splat(value, lanes.count), dtype(buffer));
  if (lanes.isPartial() && !isWhole) return storeActive(buffer, to, stored, lanes);
  if (lanes.isPartial()) stored = select(maskOf(builder_, lanes), stored, loadWhole(buffer, to, lanes.count));
  const bool streaming = streams(buffer, stored);
  const int alignment = streaming ? streamAlignment(buffer, stored) : elementBytes(buffer);
  llvm::StoreInst* made = builder_.CreateAlignedStore(stored.value, to, llvm::Align(static_cast<uint64_t>(alignment)));
  if (!streaming) return;
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(builder_.getInt32(1));
  mark(made, llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(builder_.getContext(), {one}));
}

void LlvmMemory::transpose(int buffer, int side) const {
  const auto row = [&](int number) {
    return builder_.CreateConstInBoundsGEP1_64(element(buffer), pointers_[static_cast<size_t>(buffer)],
                                               static_cast<uint64_t>(number * side));
  };
  std::vector<Vec> rows;
  for (int i = 0; i < side; ++i) rows.push_back(loadWhole(buffer, row(i), side));
  rows = transposed(std::move(rows));
  for (int i = 0; i < side; ++i)
    builder_.CreateAlignedStore(rows[static_cast<size_t>(i)].value, row(i),
                                llvm::Align(static_cast<uint64_t>(elementBytes(buffer))));
}

/// Compared with what was read, and exchanged if it is still that; else again.
void LlvmMemory::update(int buffer, Vec offset, const std::function<Vec(Vec)>& next) const {
  llvm::Value* at = address(buffer, offset);
  llvm::Type* type = builder_.getIntNTy(static_cast<unsigned>(8 * elementBytes(buffer)));
  const llvm::Align alignment(static_cast<uint64_t>(elementBytes(buffer)));
  llvm::LoadInst* first = builder_.CreateAlignedLoad(type, at, alignment);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  llvm::Function* function = builder_.GetInsertBlock()->getParent();
  llvm::BasicBlock* before = builder_.GetInsertBlock();
  llvm::BasicBlock* loop = llvm::BasicBlock::Create(builder_.getContext(), "exchange", function);
  llvm::BasicBlock* after = llvm::BasicBlock::Create(builder_.getContext(), "exchanged", function);
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  llvm::PHINode* old = builder_.CreatePHI(type, 2);
  old->addIncoming(first, before);
  const Vec held{&builder_, builder_.CreateBitCast(old, element(buffer))};
  const Vec changed = toMemory(next(toRegister(held, dtype(buffer))), dtype(buffer));
  llvm::Value* bits = builder_.CreateBitCast(changed.value, type);
  llvm::Value* seen =
      builder_.CreateAtomicCmpXchg(at, old, bits, alignment, llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  old->addIncoming(builder_.CreateExtractValue(seen, 0), builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateExtractValue(seen, 1), after, loop);
  after->moveAfter(builder_.GetInsertBlock());
  builder_.SetInsertPoint(after);
}

void LlvmMemory::scatter(int buffer, Vec offsets, Vec value, const LaneSet& lanes) const {
  const Vec stored = toMemory(splat(value, lanes.count), dtype(buffer));
  const Vec at = splat(offsets, lanes.count);
  if (!lanes.isPartial()) {
    // In the lanes' order: where two lanes write one element, the later one stays.
    for (int i = 0; i < lanes.count; ++i)
      builder_.CreateAlignedStore(lane(stored, i).value, address(buffer, lane(at, i)),
                                  llvm::Align(static_cast<uint64_t>(elementBytes(buffer))));
    return;
  }
  llvm::Value* values = stackArray(builder_, element(buffer), lanes.count);
  llvm::Value* places = stackArray(builder_, builder_.getInt64Ty(), lanes.count);
  builder_.CreateAlignedStore(stored.value, values, llvm::Align(64));
  builder_.CreateAlignedStore(at.value, places, llvm::Align(64));
  forActive(lanes, [&](llvm::Value* i) {
    llvm::Value* one = builder_.CreateLoad(element(buffer), builder_.CreateInBoundsGEP(element(buffer), values, i));
    llvm::Value* place = builder_.CreateLoad(builder_.getInt64Ty(), builder_.CreateInBoundsGEP(builder_.getInt64Ty(), places, i));
    builder_.CreateStore(one, address(buffer, {&builder_, place}));
  });
}

}  // namespace codegen
