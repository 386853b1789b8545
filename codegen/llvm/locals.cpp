#include "codegen/llvm/locals.h"

#include <llvm/IR/IRBuilder.h>

#include "codegen/llvm/values/cast.h"
#include "codegen/llvm/values/flow.h"

namespace codegen {
namespace {

int64_t roundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

int64_t bytesInWorkspace(const ir::Local& local) {
  if (local.space != ir::Space::Global) return 0;
  return roundUp(local.buffer.type.storageElements() * ir::sizeOf(local.buffer.type.dtype), 256);
}

/// Elements of a Register local's memory.
int64_t heldElements(const ir::Local& local) { return roundUp(local.buffer.type.storageElements(), local.lanes); }

llvm::Value* onStack(llvm::IRBuilderBase& builder, const ir::Local& local) {
  llvm::Type* element = memoryType(builder, local.buffer.type.dtype);
  llvm::Value* array = stackArray(builder, element, static_cast<int>(heldElements(local)));
  array->setName(local.buffer.name);
  return array;
}

}  // namespace

int64_t workspaceBytes(const ir::Kernel& kernel) {
  int64_t bytes = 0;
  for (const ir::Local& local : kernel.locals) bytes += bytesInWorkspace(local);
  return bytes;
}

std::vector<llvm::Value*> localPointers(llvm::IRBuilderBase& builder, const ir::Kernel& kernel, llvm::Value* params) {
  llvm::Value* workspace = nullptr;
  if (workspaceBytes(kernel) > 0) {
    llvm::Value* slot = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), params, kernel.params.size());
    workspace = builder.CreateLoad(builder.getPtrTy(), slot, "workspace");
  }
  std::vector<llvm::Value*> pointers;
  uint64_t offset = 0;
  for (const ir::Local& local : kernel.locals) {
    if (local.space == ir::Space::Private) {
      pointers.push_back(onStack(builder, local));
    } else {
      pointers.push_back(builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), workspace, offset, local.buffer.name));
      offset += static_cast<uint64_t>(bytesInWorkspace(local));
    }
  }
  return pointers;
}

bool holdsWhole(const ir::Local& local, Vec offset, int count) {
  const auto* known = llvm::dyn_cast<llvm::ConstantInt>(offset.value);
  return local.space == ir::Space::Private && known != nullptr && known->getSExtValue() >= 0 &&
         known->getSExtValue() + count <= heldElements(local);
}

}  // namespace codegen
