#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/kernel/statements.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {

/// What counts through the values of a part.
enum class Bind : uint8_t {
  Grid,      ///< clusters; CTAs where a cluster is one
  Cluster,   ///< CTAs of a cluster
  Thread,    ///< threads of a CTA
  Serial,    ///< a loop of a thread
  Unrolled,  ///< a loop of a thread, as straight-line code
};

/// One digit of the index along a dim of a layout.
struct Part {
  std::size_t dim = 0;
  Bind bind = Bind::Serial;
  int64_t extent = 1;  ///< its values
  int64_t block = 0;   ///< of a dim's outermost part: indices from one value to the next, where the parts inside count further
  int threads = 0;     ///< of Bind::Thread: threads from one value to the next, where the parts inside leave some idle
};

/// How the points of a domain are laid over the machine: each dim's index is written in mixed radix, and each digit is bound to
/// CTAs, threads or loops.
struct Layout {
  /// Dims of the domain that are counted as one index, row by row, in vectors of `lanes` elements of the last of them.
  struct Dim {
    std::size_t begin = 0, end = 0;  ///< dims of the domain, none where they are equal
    int64_t extent = 1;              ///< vectors
    int lanes = 1;
  };
  std::vector<Dim> dims;    ///< in the domain's order, all of its dims
  std::vector<Part> parts;  ///< the outermost digit first, of those of a dim and of those with one binding
  std::size_t laneDim = 0;  ///< the dim along whose last one vectors lie
  int block = 0;            ///< threads of a CTA, where the last ones are idle

  int lanes() const { return dims[laneDim].lanes; }
  /// Values of a dim's parts with a binding.
  int64_t extent(std::size_t dim, Bind bind) const;
  /// Values of all parts with a binding; of threads with the idle ones.
  int64_t extent(Bind bind) const;
  /// Values that a dim's parts count through, those of its block where it has one.
  int64_t covered(std::size_t dim) const;
  /// CTAs that share a dim's index.
  int64_t splits(std::size_t dim) const { return extent(dim, Bind::Grid) * extent(dim, Bind::Cluster); }
  /// Vectors that a thread takes one after another along a dim.
  int64_t steps(std::size_t dim) const;
  /// Threads inside the innermost part that has `threads`, or all of a CTA.
  int group() const;
};

/// A layout with a kernel's loop variables: where the thread at hand is.
class Placement {
 public:
  Placement(ir::ExprPool& pool, const IterationDomain& domain, Layout layout);

  const Layout& layout() const { return layout_; }
  /// The cluster, the CTA's rank in it, the thread, and its number in its group; 0 where there is only one.
  Value grid() const { return grid_; }
  Value rank() const { return rank_; }
  Value thread() const { return thread_; }
  Value inGroup() const { return inGroup_; }

  /// The number that all digits with a binding make, and that of a thread's steps along a dim.
  Value digits(Bind bind) const;
  Value step(std::size_t dim) const;
  /// Whether an expression depends on a loop with a binding.
  bool dependsOn(const ir::Expr* expr, Bind bind) const;
  /// Puts another number in the place of a dim's only digit with a binding.
  void replace(std::size_t dim, Bind bind, Value by);
  /// The index along a dim, in vectors.
  Value index(std::size_t dim) const { return start(dim, 1); }
  /// The first element of its block, and the index inside of that.
  Value blockStart(std::size_t dim) const { return blockStart(dim, layout_.dims[dim].lanes); }
  Value inBlock(std::size_t dim) const;
  /// Whether it is one of the dim's, and of its block's.
  Condition isInside(std::size_t dim) const;
  /// Whether the thread is none of the last ones, which are idle, and none of the idle ones of its group.
  Condition hasGroup() const { return hasGroup_; }
  Condition isBusy() const { return isBusy_; }
  /// Where the index, or the first element of its vector, is in the dims of the domain.
  Position position(std::size_t dim) const;
  /// Whether a dim is one of rows' numbers; else it is one of their elements.
  bool isKept(std::size_t dim) const { return layout_.dims[dim].begin < domain_.elementDims(); }
  /// The vector at hand.
  LanePlace vector() const;
  /// The first element of the row at hand, or of those rows that are the lanes of a vector.
  LanePlace row() const;

  /// `body` in a thread's loops with a binding.
  ir::Block loops(Bind bind, ir::Block body) const;
  /// `body` for the threads of all CTAs of a cluster.
  ir::Block onThreads(ir::Block body) const;
  /// The grid, the clusters and the CTAs that the layout asks for.
  ir::Launch launch() const;

 private:
  Value number(int64_t value) const { return {pool_, pool_.integer(ir::DType::I64, value)}; }
  Value axis(int64_t extent) const { return extent == 1 ? number(0) : Value{pool_, pool_.axis(extent)}; }
  /// The part of a dim that has a block.
  std::optional<std::size_t> blocks(std::size_t dim) const;
  /// The index along a dim times `lanes`; of its block.
  Value start(std::size_t dim, int lanes) const;
  Value blockStart(std::size_t dim, int lanes) const;
  /// The number that the digits make for which `counts`.
  template <typename Counts>
  Value numberOf(Counts counts) const;
  /// The position of the row at hand, at the element at hand or at its first one.
  Position positions(bool ofElements) const;
  LanePlace lanesAt(Position base, int lanes) const;
  void spread(Value number, const std::vector<std::size_t>& parts);
  void countOn(Value number, const std::vector<std::size_t>& parts);
  void spreadThreads(Value number, const std::vector<std::size_t>& parts);

  ir::ExprPool& pool_;
  const IterationDomain& domain_;
  Layout layout_;
  Value grid_, rank_, thread_, inGroup_;
  std::vector<Value> digits_;  ///< by part
  Condition hasGroup_, isBusy_;
};

}  // namespace lowering
