#pragma once

#include <functional>
#include <vector>

#include "codegen/llvm/values/cpu.h"
#include "codegen/llvm/values/vec.h"
#include "ir/kernel.h"

namespace codegen {

/// The vector of a Lanes statement: its lane numbers, and which of them are active, one at least.
struct LaneSet {
  int count = 1;
  llvm::Value* active = nullptr;  ///< an i64 in [1, count]: lanes from it on are not active
  llvm::Value* first = nullptr;   ///< an i64 in [0, active): nor are those below it

  /// Whether some lanes may not be active.
  bool isPartial() const { return count > 1 && (active != nullptr || first != nullptr); }
};
/// Which lanes of a partial set are active.
Vec maskOf(llvm::IRBuilderBase& builder, const LaneSet& lanes);

/// What lanes read where a mask holds, and what they are elsewhere; each of them a vector or the same for all lanes.
struct MaskedRead {
  Vec mask, other;
};

/// Reads and writes of a kernel's parameters and locals, by buffer number. Values are as they are held in registers
/// (llvm_cast.h).
class LlvmMemory {
 public:
  LlvmMemory(llvm::IRBuilderBase& builder, const Cpu& cpu, const ir::Kernel& kernel, llvm::Value* params);

  /// The element at a scalar offset.
  Vec load(int buffer, Vec offset) const;
  /// The elements from a scalar offset on; what lanes that are not active hold is undefined.
  Vec loadContiguous(int buffer, Vec offset, const LaneSet& lanes) const;
  /// The elements at `base + offsets`, every one of them inside the buffer.
  Vec gather(int buffer, Vec base, Vec offsets) const;

  // The same under masks: where these do not hold, offsets may be any numbers.
  Vec load(int buffer, Vec offset, const MaskedRead& read) const;
  Vec loadContiguous(int buffer, Vec offset, const LaneSet& lanes, const MaskedRead& read) const;
  Vec gather(int buffer, Vec base, Vec offsets, const MaskedRead& read) const;

  void store(int buffer, Vec offset, Vec value) const;
  void storeContiguous(int buffer, Vec offset, Vec value, const LaneSet& lanes) const;
  void scatter(int buffer, Vec offsets, Vec value, const LaneSet& lanes) const;

  /// Exchanges the rows and the columns of a square, which is all of a private array.
  void transpose(int buffer, int side) const;

  /// The element at a scalar offset becomes what `next` makes of it, though other threads may change it at the same time.
  void update(int buffer, Vec offset, const std::function<Vec(Vec)>& next) const;

 private:
  ir::DType dtype(int buffer) const;
  llvm::Type* element(int buffer) const;
  int elementBytes(int buffer) const;
  llvm::Value* address(int buffer, Vec offset, const LaneSet& lanes = {}) const;
  llvm::Value* anyAddress(int buffer, Vec offset) const;
  llvm::Value* loaded(int buffer, llvm::Type* type, llvm::Value* address) const;
  Vec loadWhole(int buffer, llvm::Value* from, int count) const;
  Vec loadMasked(int buffer, llvm::Value* from, Vec mask, Vec other) const;
  Vec loadActive(int buffer, llvm::Value* from, const LaneSet& lanes) const;
  void storeActive(int buffer, llvm::Value* to, Vec value, const LaneSet& lanes) const;
  void forActive(const LaneSet& lanes, const std::function<void(llvm::Value*)>& body) const;
  bool holdsWhole(int buffer, Vec offset, const LaneSet& lanes) const;
  bool hasMaskedAccess(int buffer) const;
  bool hasGather(int buffer) const;
  Vec loadLanes(int buffer, llvm::Value* from, Vec offsets, Vec mask, Vec other) const;
  int streamAlignment(int buffer, Vec value) const;
  bool streams(int buffer, Vec value) const;

  llvm::IRBuilderBase& builder_;
  const Cpu& cpu_;
  const ir::Kernel& kernel_;
  std::vector<llvm::Value*> pointers_;
};

}  // namespace codegen
