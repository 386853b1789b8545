#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/scope.h"

namespace codegen {

/// Whether statements other than grid loops follow the last grid loop.
bool hasEpilogue(const ir::Kernel& kernel);

/// Where the arrays of a kernel's own lie: its locals, and counts of the CTAs that have met or are done. A kernel may declare 48
/// KiB of shared memory; one that needs more gets it as a single dynamic array when it is launched, and its shared arrays are
/// pieces of that.
class CudaMemory {
 public:
  /// `names`: of the kernel's buffers, in their order.
  CudaMemory(const ir::Kernel& kernel, const std::vector<std::string>& names);

  /// The lines that declare them.
  void declare(CudaScope& scope) const;
  /// The addresses of the counts for isLastCta and gridBarrier.
  std::string counter() const;
  std::string barrier() const;
  /// The address of the count of a persistent cluster's CTAs that have come to its barrier.
  std::string arrived() const;

  int64_t workspaceBytes() const { return workspaceBytes_; }
  /// Of a CTA, static or dynamic.
  int64_t sharedBytes() const;
  int dynamicSharedBytes() const { return isDynamic() ? static_cast<int>(sharedBytes_) : 0; }

 private:
  struct Array {
    std::string name;
    std::string type;
    int64_t elements = 0;
    int64_t offset = 0;  ///< in bytes
  };

  bool isDynamic() const;
  void addShared(const std::string& name, ir::DType dtype, int64_t elements);
  void addGlobal(const std::string& name, ir::DType dtype, int64_t elements);

  std::vector<std::string> registers_;
  std::vector<Array> shared_;
  std::vector<Array> global_;
  int64_t sharedBytes_ = 0;
  int64_t counterOffset_ = 0, persistentOffset_ = 0;
  int64_t workspaceBytes_ = 0;
};

}  // namespace codegen
