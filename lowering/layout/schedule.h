#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "lowering/analysis/loop_nest.h"
#include "lowering/layout/layout.h"

namespace lowering {

inline constexpr int warp = ir::Target::warp;  ///< threads

/// Where a row's elements are held between two traversals.
enum class Hold : uint8_t {
  Nowhere,    ///< each traversal reads them again, from the L2 cache if they fit
  Registers,  ///< every thread keeps its vectors
  Shared,     ///< in the shared memory of its CTAs
};

/// Which accesses go through tiles in shared memory; each kept dim is then a dim of the layout, in blocks.
enum class Staging : uint8_t {
  None,
  All,       ///< accesses that move from row to row and from element to element
  Crossing,  ///< accesses that cross the first store of a transposition
};

/// How the points of a nest are laid over a GPU, and what its threads keep of them. Where a reduced dim is bound says how it is
/// reduced: lanes and loops by a thread alone, threads and CTAs of a cluster by exchange, CTAs of the grid by the last of them.
struct LayoutSchedule {
  Layout layout;                ///< its dims are kept or reduced as a whole
  Hold hold = Hold::Nowhere;    ///< where elements are held between traversals
  bool readsAhead = false;      ///< whether a thread reads all of its vectors before the first traversal, or before it stores any
  bool keepsFunctions = false;  ///< functions of elements, such as exponentials, are held in registers for later traversals
  bool hasCover = false;        ///< runs start anywhere: their vectors are aligned, with lanes left out at the ends
  Staging staging = Staging::None;
  bool isFlat = false;        ///< without reductions: vectors may run over the end of a row
  bool isBackwards = false;   ///< without reductions: CTAs start with the last elements
  bool isAtomic = false;      ///< threads, or the CTAs of a persistent kernel, share the elements that they accumulate in
  bool isPersistent = false;  ///< CTAs stay until all is done: Launch::isPersistent of clusters, or a persistent kernel
  int resident = 0;           ///< Launch::resident

  /// Whether it lays a mixed-order reduction over as many CTAs as run at once: groups of threads take rows, one after another,
  /// and hold the sums of columns meanwhile.
  bool isPersistentKernel() const { return isPersistent && layout.extent(Bind::Cluster) == 1; }

  bool operator==(const LayoutSchedule&) const = default;
};

/// How a CPU cuts loops into tasks, and how a task goes through its part. Vectors run along rows where memory does, and else
/// along neighbouring columns. Without reductions a row is one of the innermost dim.
struct TaskSchedule {
  int lanes = 1;          ///< elements of a vector
  bool isFlat = false;    ///< without reductions: vectors may run over the end of a row
  int64_t rows = 1;       ///< neighbouring rows of a task; without reductions each vector is taken of all of them
  int64_t tile = 0;       ///< neighbouring vectors of a task, of columns or of a row without reductions; 0: all
  int64_t splits = 1;     ///< tasks that share the elements of a row or a tile
  bool takesAll = false;  ///< columns: these share the elements of all tiles, which each takes one after another
  int unroll = 1;     ///< vectors as straight-line code: of a row so many, each with an accumulator of its own; of a tile all,
                      ///< or one if there are more
  int atOnce = 1;     ///< columns: elements that are combined before they are added to an accumulator
  int64_t block = 0;  ///< elements, of a row in one run, that are combined before they are added to the total; 0: all
  int64_t heldBytes = 0;      ///< the largest array that is kept for later traversals: of function results (rows), or of elements
                              ///< across memory (columns)
  bool isTransposed = false;  ///< without reductions: squares of `lanes` points a side; of tensors that cross the first store
                              ///< they are read along these, and then transposed. A row is one of the first store
  bool hasHead = false;       ///< long rows begin with a masked vector, after which stores are aligned
  bool storesAcross = false;  ///< columns: elements are stored in vectors along each column in turn
  bool streams = false;       ///< Kernel::streamStores
  bool isAtomic = false;      ///< without reductions: tasks share the elements that they accumulate in
  int64_t grain = 1;          ///< Launch::grain

  bool operator==(const TaskSchedule&) const = default;
};

/// How the loops of a nest are mapped to the threads and the memory of a target; a plain value.
using Schedule = std::variant<LayoutSchedule, TaskSchedule>;

/// All of it, as in docs/schedules.md: `a b*8: grid a 64, thread b 32; hold registers, ahead`.
std::string toText(const Schedule& schedule);
/// The schedule of a text, for a nest. Error: Input, for what is no schedule of it; whether the nest can have it is for `check`
/// to say.
Schedule parseSchedule(std::string_view text, const LoopNest& nest);

/// Error: Input, for a text that is a schedule of no nest, whatever its loops.
void checkSyntax(std::string_view text);

/// The schedule of two loops in one persistent kernel, nothing where each has its own; what becomes of columns concerns only one
/// of them.
std::optional<LayoutSchedule> commonSchedule(const Schedule& first, const Schedule& second);

/// The nest's domain that a schedule lays out.
const IterationDomain& domainOf(const LayoutSchedule& schedule, const LoopNest& nest);

}  // namespace lowering
