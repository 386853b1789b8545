#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/kernel.h"

namespace lowering {

/// Whether two kernels can be one, and none loses much by its math: relaxed math is allowed in both or in neither; or makes no
/// difference to the one that does not allow it; or would make little to the other one, which has roots and quotients at most.
bool agreeOnMath(const ir::Kernel& a, const ir::Kernel& b);

/// Whether a CTA may run statements of both of two kernels that become one, or runs one of them alone.
enum class Sharing : uint8_t { Both, Either };

/// A kernel in the making that has the parameters and locals of two; where both stand for one value they are one.
class KernelMerger {
 public:
  /// `intermediates` names what `first` leaves for `second`, whose parameters they are: local arrays of `first`, or parameters of
  /// it too, which become arrays in global memory.
  /// Where a CTA runs either, arrays in its shared memory are one as well.
  KernelMerger(const ir::Kernel& first, const ir::Kernel& second, std::vector<std::string> intermediates = {},
               Sharing sharing = Sharing::Both);

  ir::Kernel kernel;  ///< without statements, launched as `first` is

  /// The statements of `first`.
  ir::Block first() const;
  /// What is in the Grid or Task loop that either starts with, for the iteration of this number.
  ir::Block first(const ir::Expr* number) const { return body(first_, numbers_[0], number); }
  ir::Block second(const ir::Expr* number) const { return body(second_, numbers_[1], number); }
  /// The statements that follow this loop of `second`.
  ir::Block epilogueOfSecond() const;

 private:
  bool isIntermediate(const ir::Buffer& buffer) const;
  ir::Block body(const ir::Kernel& of, const std::vector<int>& numbers, const ir::Expr* number) const;
  void addParam(const ir::Param& param);
  int addLocal(ir::Local local);
  int numberOf(const ir::Param& param) const;
  int numberOf(const std::string& local) const;
  /// A free array of `first` in shared memory, which becomes this one too, as large as either; its place among the locals.
  std::optional<int> sharedLocal(const ir::Local& local, const std::vector<bool>& isFree);
  std::vector<int> numbersOfFirst();
  std::vector<int> numbersOfSecond();

  const ir::Kernel& first_;
  const ir::Kernel& second_;
  std::vector<std::string> intermediates_;
  Sharing sharing_;
  std::array<std::vector<int>, 2> numbers_;
};

}  // namespace lowering
