#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/cuda/scope.h"

namespace codegen {

/// The Combines of a block, those of inner blocks included, in order.
std::vector<const ir::Combine*> combinesOf(const ir::Block& block);
/// Whether a Combine combines more than the threads of one warp.
bool exchanges(const ir::Combine& combine);
/// The values of an item that the CTAs of one persistent cluster exchange in global memory.
int64_t persistentElements(const ir::Kernel& kernel, const ir::Combine& combine, const ir::Combine::Item& item);
/// Whether statements other than grid loops follow the last grid loop.
bool hasEpilogue(const ir::Kernel& kernel);

/// Where the arrays of a kernel's own lie: its locals, the partial results that its Combines exchange, and counts of the CTAs
/// that have met or are done. A kernel may declare 48 KiB of shared memory; one that needs more gets it as a single dynamic array
/// when it is launched, and its shared arrays are pieces of that.
class CudaMemory {
 public:
  /// Takes names from `scope`, which has those of the kernel's buffers.
  CudaMemory(const ir::Kernel& kernel, CudaScope& scope);

  /// The lines that declare them.
  void declare(CudaScope& scope) const;
  /// The name of the partial results that an item of a Combine exchanges.
  const std::string& partials(const ir::Combine::Item& item) const { return partials_.at(&item); }
  /// The place of a Combine that exchanges among all that do.
  int number(const ir::Combine& combine) const { return numbers_.at(&combine); }
  /// The name of the partial results that the CTAs of a persistent cluster exchange.
  const std::string& clusterPartials(const ir::Combine::Item& item) const { return clusterPartials_.at(&item); }
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

  const ir::Kernel& kernel_;
  std::vector<std::string> registers_;
  std::vector<Array> shared_;
  std::vector<Array> global_;
  std::map<const ir::Combine::Item*, std::string> partials_, clusterPartials_;
  std::map<const ir::Combine*, int> numbers_;
  int64_t sharedBytes_ = 0;
  int64_t counterOffset_ = 0, persistentOffset_ = 0;
  int64_t workspaceBytes_ = 0;
};

}  // namespace codegen
