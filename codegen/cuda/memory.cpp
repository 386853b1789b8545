#include "codegen/cuda/memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "ir/error.h"
#include "ir/target.h"

namespace codegen {
namespace {

constexpr int64_t warp = ir::Target::warp;
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

/// The partial results of one item: one for each element of the array, each warp (or smaller group), and each CTA.
int64_t partElements(const ir::Kernel& kernel, const ir::Combine& combine, const ir::Combine::Item& item) {
  const int64_t units = std::max<int64_t>(1, int64_t{combine.threads} * combine.stride / warp);
  const int64_t groups = kernel.launch.block / combine.threads;
  const int ctas = kernel.launch.isPersistent ? 1 : combine.ctas;
  return kernel.buffer(item.local).type.storageElements() * units * ctas * groups;
}

}  // namespace

std::vector<const ir::Combine*> combinesOf(const ir::Block& block) {
  std::vector<const ir::Combine*> found;
  const auto add = [&](const ir::Block& inner) {
    for (const ir::Combine* combine : combinesOf(inner)) found.push_back(combine);
  };
  for (const ir::Statement& statement : block) {
    if (const auto* combine = std::get_if<ir::Combine>(&statement.node)) found.push_back(combine);
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) add(loop->body);
    if (const auto* branch = std::get_if<ir::If>(&statement.node)) {
      add(branch->then);
      add(branch->otherwise);
    }
  }
  return found;
}

bool exchanges(const ir::Combine& combine) { return combine.threads * combine.stride > warp || combine.ctas > 1; }

int64_t persistentElements(const ir::Kernel& kernel, const ir::Combine& combine, const ir::Combine::Item& item) {
  return kernel.buffer(item.local).type.storageElements() * combine.ctas * (kernel.launch.block / combine.threads);
}

bool hasEpilogue(const ir::Kernel& kernel) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), ir::isGridLoop) && !ir::isGridLoop(kernel.body.back());
}

CudaMemory::CudaMemory(const ir::Kernel& kernel, CudaScope& scope) : kernel_(kernel) {
  const auto firstLocal = static_cast<int>(kernel.params.size());
  for (size_t i = 0; i < kernel.locals.size(); ++i) {
    const ir::Local& local = kernel.locals[i];
    const std::string& name = scope.expressions().buffer(firstLocal + static_cast<int>(i));
    const ir::DType dtype = local.buffer.type.dtype;
    const int64_t elements = local.buffer.type.storageElements();
    switch (local.space) {
      case ir::Space::Private: registers_.push_back(registerDeclaration(local, name)); break;
      case ir::Space::Shared: addShared(name, dtype, elements); break;
      case ir::Space::Global:
      case ir::Space::Sums: addGlobal(name, dtype, elements); break;  // the workspace starts as zeros
    }
  }
  for (const ir::Combine* combine : combinesOf(kernel.body)) {
    if (!exchanges(*combine)) continue;
    numbers_[combine] = static_cast<int>(numbers_.size());
    for (const ir::Combine::Item& item : combine->items) {
      const std::string name = scope.unique(scope.expressions().buffer(item.local) + "_partials");
      partials_[&item] = name;
      const ir::TensorType& type = kernel.buffer(item.local).type;
      addShared(name, type.dtype, partElements(kernel, *combine, item));
      if (!kernel.launch.isPersistent || combine->ctas == 1) continue;
      clusterPartials_[&item] = scope.unique(scope.expressions().buffer(item.local) + "_cluster_partials");
      addGlobal(clusterPartials_[&item], type.dtype, persistentElements(kernel, *combine, item) * kernel.launch.grid);
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
