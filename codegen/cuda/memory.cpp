#include "codegen/cuda/memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/target.h"

namespace codegen {
namespace {

constexpr int64_t workspaceAlignment = 256;
/// What isLastCta has of its own, rounded up.
constexpr int64_t ownSharedBytes = 32;

int64_t roundedUp(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

std::string registerDeclaration(const ir::Local& local, const std::string& name) {
  const int64_t elements = local.buffer.type.storageElements();
  const std::string element = cudaType(local.buffer.type.dtype);
  ir::require(elements % local.lanes == 0, "{} has {} elements in vectors of {}", name, elements, local.lanes);
  const std::string type = local.lanes == 1 ? element : fmt::format("Vec<{}, {}>", element, local.lanes);
  const int64_t count = elements / local.lanes;
  return count == 1 ? fmt::format("{} {};", type, name) : fmt::format("{} {}[{}];", type, name, count);
}

/// `memory + offset`
std::string bytesAt(const char* memory, int64_t offset) { return offset == 0 ? memory : fmt::format("{} + {}", memory, offset); }

/// `T* const array = ...;`
template <typename Array>
std::string pointer(const Array& array, const char* memory) {
  return fmt::format("{0}* const {1} = reinterpret_cast<{0}*>({2});", array.type, array.name, bytesAt(memory, array.offset));
}

}  // namespace

bool hasEpilogue(const ir::Kernel& kernel) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), ir::isGridLoop) && !ir::isGridLoop(kernel.body.back());
}

CudaMemory::CudaMemory(const ir::Kernel& kernel, const std::vector<std::string>& names) {
  for (size_t i = 0; i < kernel.locals.size(); ++i) {
    const ir::Local& local = kernel.locals[i];
    const std::string& name = names[kernel.params.size() + i];
    const ir::DType dtype = local.buffer.type.dtype;
    const int64_t elements = local.buffer.type.storageElements();
    switch (local.space) {
      case ir::Space::Private: registers_.push_back(registerDeclaration(local, name)); break;
      case ir::Space::Shared: addShared(name, dtype, elements); break;
      case ir::Space::Global:
      case ir::Space::Sums: addGlobal(name, dtype, elements); break;  // the workspace starts as zeros
    }
  }
  if (kernel.launch.isPersistent) {
    persistentOffset_ = workspaceBytes_;
    workspaceBytes_ += workspaceAlignment * kernel.launch.grid;
  }
  if (hasEpilogue(kernel) || ir::waitsForGrid(kernel)) {
    counterOffset_ = workspaceBytes_;
    workspaceBytes_ += workspaceAlignment;
  }
}

int64_t CudaMemory::sharedBytes() const { return sharedBytes_ + ownSharedBytes; }

bool CudaMemory::isDynamic() const { return sharedBytes() > ir::Target::staticSharedBytes; }

void CudaMemory::addShared(const std::string& name, ir::DType dtype, int64_t elements) {
  shared_.push_back({name, cudaType(dtype), elements, sharedBytes_});
  sharedBytes_ = roundedUp(sharedBytes_ + elements * ir::sizeOf(dtype), ir::cudaAlignment);
}

void CudaMemory::addGlobal(const std::string& name, ir::DType dtype, int64_t elements) {
  global_.push_back({name, cudaType(dtype), elements, workspaceBytes_});
  workspaceBytes_ = roundedUp(workspaceBytes_ + elements * ir::sizeOf(dtype), workspaceAlignment);
}

void CudaMemory::declare(CudaScope& scope) const {
  if (isDynamic()) scope.line("alignas(16) extern __shared__ u8 shared[];");
  for (const Array& array : shared_)
    scope.line(isDynamic() ? pointer(array, "shared")
                           : fmt::format("__shared__ alignas(16) {} {}[{}];", array.type, array.name, array.elements));
  for (const Array& array : global_) scope.line(pointer(array, "workspace"));
  for (const std::string& declaration : registers_) scope.line(declaration);
}

std::string CudaMemory::counter() const { return bytesAt("workspace", counterOffset_); }
std::string CudaMemory::barrier() const { return bytesAt("workspace", counterOffset_ + workspaceAlignment / 2); }
std::string CudaMemory::arrived() const {
  return fmt::format("{} + block * {}", bytesAt("workspace", persistentOffset_), workspaceAlignment);
}

}  // namespace codegen
