#pragma once

#include <vector>

#include "codegen/llvm_cpu.h"
#include "codegen/llvm_vec.h"
#include "ir/kernel.h"

namespace codegen {

/// The vector of a Lanes statement: its lane numbers, and which of them are active.
struct LaneSet {
  int count = 1;
  llvm::Value* active = nullptr;  ///< an i64 in [1, count], or all
};

/// Reads and writes of a kernel's parameters. Values are as they are held in registers (llvm_cast.h).
class LlvmMemory {
 public:
  LlvmMemory(llvm::IRBuilderBase& builder, const Cpu& cpu, const ir::Kernel& kernel, llvm::Value* params);

  /// The element at a scalar offset.
  Vec load(int param, Vec offset) const;
  /// The elements from a scalar offset on; what lanes that are not active hold is undefined.
  Vec loadContiguous(int param, Vec offset, const LaneSet& lanes) const;
  /// The elements at `base + offsets`, every one of them inside the buffer.
  Vec gather(int param, Vec base, Vec offsets) const;

  void store(int param, Vec offset, Vec value) const;
  void storeContiguous(int param, Vec offset, Vec value, const LaneSet& lanes) const;
  void scatter(int param, Vec offsets, Vec value, const LaneSet& lanes) const;

 private:
  ir::DType dtype(int param) const;
  llvm::Type* element(int param) const;
  int elementBytes(int param) const;
  llvm::Value* address(int param, Vec offset) const;
  llvm::Value* loaded(int param, llvm::Type* type, llvm::Value* address) const;
  Vec loadActive(int param, llvm::Value* from, const LaneSet& lanes) const;
  void storeActive(int param, llvm::Value* to, Vec value, const LaneSet& lanes) const;
  bool hasMaskedAccess(int param) const;
  bool streams(int param, Vec value) const;

  llvm::IRBuilderBase& builder_;
  const Cpu& cpu_;
  const ir::Kernel& kernel_;
  std::vector<llvm::Value*> pointers_;
};

}  // namespace codegen
