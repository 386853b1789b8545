#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lowering {

/// What counts through the values of a part.
enum class Bind : uint8_t {
  Grid,      ///< clusters; CTAs where a cluster is one
  Cluster,   ///< CTAs of a cluster
  Thread,    ///< threads of a CTA
  Serial,    ///< a loop of a thread
  Unrolled,  ///< a loop of a thread, as straight-line code
};

inline bool isLoop(Bind bind) { return bind == Bind::Serial || bind == Bind::Unrolled; }

/// One digit of the index along a dim of a layout.
struct Part {
  std::size_t dim = 0;
  Bind bind = Bind::Serial;
  int64_t extent = 1;  ///< its values
  int64_t block = 0;   ///< of a dim's outermost part: indices from one value to the next, where the parts inside count further
  int threads = 0;     ///< of Bind::Thread: threads from one value to the next, where the parts inside leave some idle

  bool operator==(const Part&) const = default;
};

/// How the points of a domain are laid over the machine: each dim's index is written in mixed radix, and each digit is bound to
/// CTAs, threads or loops.
struct Layout {
  /// Dims of the domain that are counted as one index, row by row, in vectors of `lanes` elements of the last of them.
  struct Dim {
    std::size_t begin = 0, end = 0;  ///< dims of the domain, none where they are equal
    int64_t extent = 1;              ///< vectors
    int lanes = 1;

    bool operator==(const Dim&) const = default;
  };
  std::vector<Dim> dims;    ///< in the domain's order, all of its dims
  std::vector<Part> parts;  ///< the outermost digit first, among a dim's parts and among the parts with one binding
  std::size_t laneDim = 0;  ///< the dim along whose last one vectors lie
  int block = 0;            ///< threads of a CTA, where the last ones are idle

  int lanes() const { return dims[laneDim].lanes; }
  /// The outermost part of a dim, and the innermost one with a binding; null where there is none.
  const Part* outermost(std::size_t dim) const;
  const Part* innermost(Bind bind) const;
  /// Whether a dim's outermost part has blocks.
  bool hasBlocks(std::size_t dim) const { return outermost(dim) != nullptr && outermost(dim)->block > 0; }
  /// Values of a dim's parts with a binding.
  int64_t extent(std::size_t dim, Bind bind) const;
  /// Values of all parts with a binding; of threads with the idle ones.
  int64_t extent(Bind bind) const;
  /// Values that a dim's parts count through, or the parts of its block where it has one.
  int64_t covered(std::size_t dim) const;
  /// CTAs that share a dim's index.
  int64_t splits(std::size_t dim) const { return extent(dim, Bind::Grid) * extent(dim, Bind::Cluster); }
  /// Vectors that a thread takes one after another along a dim.
  int64_t steps(std::size_t dim) const;
  /// Whether parts of these dims and bindings that share a dim or a binding come in this order.
  bool isInOrder(const std::vector<std::pair<std::size_t, Bind>>& wanted) const;
  /// Threads inside the innermost part that has `threads`, or all of a CTA.
  int group() const;

  bool operator==(const Layout&) const = default;
};

/// The letter that stands for a dim of a layout: `a` for the first one.
inline char nameOfDim(std::size_t dim) { return static_cast<char>('a' + dim); }

/// The same layout without parts of one value that say nothing. `keepsGroup` keeps the one whose threads all work on a row.
Layout simplified(Layout layout, bool keepsGroup = false);

}  // namespace lowering
