#include "lowering/layout/check_layout.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/row_accesses.h"
#include "lowering/analysis/transposition.h"
#include "lowering/layout/check_persistent.h"
#include "lowering/layout/check_scan.h"
#include "lowering/layout/need.h"

namespace lowering {
namespace {

constexpr int64_t largestGrid = std::numeric_limits<int32_t>::max();  ///< CTAs of a launch
constexpr int64_t mostCovered = int64_t{1} << 48;

class LayoutChecker {
 public:
  LayoutChecker(const LayoutSchedule& schedule, const LoopNest& nest, const MixedOrderReduction* matrix, const ir::Target& target)
      : schedule_(schedule),
        layout_(schedule.layout),
        nest_(nest),
        domain_(domainOf(schedule, nest)),
        matrix_(matrix),
        target_(target) {}

  void check() const {
    checkNumbers();
    checkDims();
    for (std::size_t d = 0; d < layout_.dims.size(); ++d) checkParts(d);
    checkLaunch();
    checkSlots();
    if (schedule_.isPersistentKernel()) return checkPersistent(schedule_, nest_, matrix_, target_);
    if (schedule_.staging == Staging::Crossing) return checkTransposition();
    if (!nest_.reduction) return checkPointwise();
    if (nest_.hasScans()) return checkScan(schedule_, domain_, target_);
    checkReduction();
  }

 private:
  bool isKept(std::size_t d) const { return layout_.dims[d].begin < domain_.elementDims(); }
  int64_t product(Bind bind, bool kept) const {
    int64_t values = 1;
    for (std::size_t d = 0; d < layout_.dims.size(); ++d) values *= isKept(d) == kept ? layout_.extent(d, bind) : 1;
    return values;
  }
  int64_t threads() const { return layout_.extent(Bind::Thread); }
  const ReductionNest& reduction() const { return *nest_.reduction; }

  // -------------------------------------------------------------------------------------------------------------------
  // Any layout.

  /// Whether the numbers are so small that what is made of them is a number.
  void checkNumbers() const {
    int64_t all = 1;
    for (const Part& part : layout_.parts) {
      need(part.extent <= mostCovered / all && part.block <= mostCovered, "its parts count too far");
      need(part.threads <= ir::Target::ctaThreads, "threads are up to {} apart", ir::Target::ctaThreads);
      all *= part.extent;
    }
  }
  void checkDims() const {
    const auto& lane = layout_.dims[layout_.laneDim];
    need(isPowerOfTwo(lane.lanes) && lane.lanes <= target_.vectorBytes, "vectors have 1, 2, 4, 8 or 16 lanes");
    need(lane.begin < lane.end, "dim '{}' has lanes and is empty", nameOfDim(layout_.laneDim));
    const bool mayEndWithin = schedule_.isFlat || schedule_.hasCover || domain_.dims().size() == 1;
    const int64_t along = domain_.dims()[lane.end - 1].extent;
    need(along % lane.lanes == 0 || nest_.hasScans() || (mayEndWithin && (!nest_.reduction || schedule_.hasCover)),
         "{} elements are no vectors of {}", along, lane.lanes);
    if (!nest_.reduction && schedule_.staging == Staging::None) return;
    for (const Layout::Dim& dim : layout_.dims)
      need(dim.begin >= domain_.elementDims() || dim.end <= domain_.elementDims(), "a dim is kept or reduced as a whole");
  }

  /// The parts of a dim count through all of its vectors, those inside a block through the block.
  void checkParts(std::size_t d) const {
    const char name = nameOfDim(d);
    bool isOutermost = true;
    int64_t inside = 1, all = 1;
    int64_t block = 0;
    for (const Part& part : layout_.parts) {
      if (part.dim != d) continue;
      need(part.block == 0 || isOutermost, "only the outermost part of dim '{}' has blocks", name);
      need(part.threads == 0 || part.bind == Bind::Thread, "only threads are so many apart");
      if (part.block > 0) block = part.block;
      all *= part.extent;
      inside *= part.block == 0 ? part.extent : 1;
      isOutermost = false;
    }
    const int64_t extent = layout_.dims[d].extent;
    if (block > 0) {
      need(inside >= block, "the parts of dim '{}' count to {}, its blocks to {}", name, inside, block);
      need(all / inside <= mostCovered / block && all / inside * block >= extent,
           "the blocks of dim '{}' have {} of its {} values", name, all / inside * block, extent);
    } else {
      need(all >= extent, "the parts of dim '{}' count to {} of {}", name, all, extent);
    }
  }

  void checkSlots() const {
    const int64_t slots = layout_.extent(Bind::Unrolled) * layout_.lanes();
    need(slots <= mostHeld, "a thread takes up to {} elements at once, not {}", mostHeld, slots);
  }
  void checkLaunch() const {
    need(layout_.extent(Bind::Grid) <= largestGrid, "its grid is larger than {}", largestGrid);
    const int64_t cluster = layout_.extent(Bind::Cluster);
    need(schedule_.isPersistent || cluster <= target_.clusterCtas, "clusters have up to {} CTAs", target_.clusterCtas);
    need(threads() <= ir::Target::ctaThreads, "CTAs have up to {} threads, not {}", ir::Target::ctaThreads, threads());
    need(int64_t{schedule_.resident} * threads() <= target_.processorThreads, "a multiprocessor has {} threads at once",
         target_.processorThreads);
    const int64_t together = schedule_.isPersistentKernel() ? layout_.extent(Bind::Grid) : cluster;
    need(!schedule_.isPersistent || (nest_.reduction && together <= int64_t{schedule_.resident} * target_.processors),
         "the CTAs of a persistent {} are all resident", schedule_.isPersistentKernel() ? "kernel" : "cluster");
    for (std::size_t i = 0; i < layout_.parts.size(); ++i) checkApart(i);
  }
  /// Threads that are so many apart, where those inside leave some idle.
  void checkApart(std::size_t i) const {
    const Part& part = layout_.parts[i];
    if (part.threads == 0) return;
    int64_t inside = 1, parts = 0, within = 0;
    for (std::size_t j = i + 1; j < layout_.parts.size(); ++j) {
      if (layout_.parts[j].bind != Bind::Thread) continue;
      inside *= layout_.parts[j].extent;
      ++parts;
      within += layout_.parts[j].threads > 0 ? 1 : 0;
    }
    need(within == 0, "threads are so many apart at one place only");
    need(part.threads >= inside, "{} threads are not {} apart", inside, part.threads);
    need(part.threads == 1 || parts > 0, "no threads are between those that are {} apart", part.threads);
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Loops without reductions.

  void checkPointwise() const {
    need(layout_.dims.size() == 1, "loops without reductions have one dim");
    for (const Part& part : layout_.parts) {
      need(part.bind != Bind::Serial && part.bind != Bind::Cluster, "loops without reductions have neither loops nor clusters");
      need(part.threads == 0, "the threads of loops without reductions are all busy");
      need(part.block == 0 || (part.extent == layout_.extent(Bind::Unrolled) && part.bind == Bind::Unrolled &&
                               part.extent * part.block * layout_.lanes() == domain_.numel()),
           "a thread takes a vector of each block, and these are equal");
    }
    need(layout_.block == 0, "loops without reductions have no idle threads");
    need(schedule_.staging == Staging::None, "nothing is reduced that could be staged");
    checkHoldsNothing();
    need(!schedule_.readsAhead || !schedule_.isFlat, "vectors that run over the end of a row are not read ahead");
    need(!schedule_.isFlat || domain_.dims().size() > 1, "loops of one dim are flat already");
    const auto isFlat = [&](const Access& store) { return domain_.isFlat(store, layout_.lanes()); };
    need(!schedule_.isFlat || std::all_of(domain_.stores().begin(), domain_.stores().end(), isFlat),
         "not all results lie in vectors of {}", layout_.lanes());
  }
  void checkHoldsNothing() const {
    need(schedule_.hold == Hold::Nowhere && !schedule_.keepsFunctions && !schedule_.hasCover,
         "nothing is reduced that could be held");
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Tiles in shared memory.

  /// Each kept dim is one of the layout, in blocks of CTAs.
  void checkTiles() const {
    const std::size_t kept = domain_.elementDims();
    need(layout_.dims.size() == kept + 1 && layout_.laneDim + 1 == kept,
         "tiles have a dim for each kept dim, the last with lanes");
    int uneven = 0;
    for (std::size_t d = 0; d < kept; ++d) {
      checkBlocksOfCtas(d);
      need(layout_.extent(d, Bind::Cluster) == 1, "a tile has one CTA");
      uneven += layout_.dims[d].extent % layout_.outermost(d)->block == 0 ? 0 : 1;
    }
    need(product(Bind::Cluster, false) == 1, "a tile has one CTA");
    need(schedule_.staging == Staging::Crossing || uneven <= 1, "one dim at most has a smaller tile at its end");
  }
  /// Each CTA has a block of a dim.
  void checkBlocksOfCtas(std::size_t d) const {
    const Part* grid = layout_.outermost(d);
    need(grid != nullptr && grid->bind == Bind::Grid && grid->block > 0, "tiles are blocks of dim '{}'", nameOfDim(d));
    need(layout_.extent(d, Bind::Grid) == grid->extent, "a tile has one CTA");
    need((grid->extent - 1) * grid->block < layout_.dims[d].extent, "some tiles are empty");
  }
  /// What is written beside tiles is as aligned as the vectors.
  void checkAlignment() const {
    for (const Access& store : domain_.stores())
      need(crosses(domain_, store) || layout_.lanes() == 1 || domain_.isAligned(store, layout_.lanes(), layout_.laneDim),
           "its results have no vectors of {} elements", layout_.lanes());
  }
  void checkTransposition() const {
    need(nest_.transposition.has_value(), "the loops transpose nothing");
    checkHoldsNothing();
    need(!schedule_.isFlat && !schedule_.isBackwards && !schedule_.readsAhead,
         "tiles are neither flat nor backwards nor read ahead");
    checkTiles();
    checkAlignment();
    need(layout_.block == 0, "the threads of a transposition are all busy");
    for (const Part& part : layout_.parts)
      need(part.threads == 0 && part.bind != Bind::Serial, "the threads of a transposition are all busy, without loops");
    const std::size_t across = layout_.dims.size() - 1, along = across - 1;
    const Part* last = layout_.innermost(Bind::Thread);
    need(last != nullptr && last->dim == along, "neighbouring threads take neighbouring vectors of the first result");
    checkBlocksOfCtas(across);
    need(layout_.covered(along) == layout_.extent(along, Bind::Thread), "a thread has one vector along a tile");
    if (nest_.reduction) checkSums(along, across);
  }
  /// Of a transposition's tiles: each has all elements of its columns, which its threads exchange.
  void checkSums(std::size_t along, std::size_t across) const {
    need(layout_.extent(across, Bind::Grid) == 1, "a tile has all elements of its sums");
    checkExchange(along, across);
    need(product(Bind::Thread, true) == layout_.extent(along, Bind::Thread), "a tile has the columns of one outer point");
    for (std::size_t d = 0; d < along; ++d) {
      need(layout_.extent(d, Bind::Grid) == layout_.dims[d].extent, "a tile has the columns of one outer point");
      need(layout_.isInOrder({{d, Bind::Grid}, {d + 1, Bind::Grid}}), "its grid is the outer dims, then columns");
    }
  }
  /// The threads of columns, as ColumnExchange takes them.
  void checkExchange(std::size_t column, std::size_t element) const {
    need(isPowerOfTwo(layout_.extent(column, Bind::Thread)), "the threads across are a power of two");
    need(layout_.extent(element, Bind::Thread) >= layout_.lanes() && threads() % warp == 0,
         "a tile has whole warps, and {} threads down at least", layout_.lanes());
    need(layout_.isInOrder({{element, Bind::Thread}, {column, Bind::Thread}}), "its threads are element, column");
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Reductions.

  void checkReduction() const {
    need(!schedule_.isFlat && !schedule_.isBackwards, "reductions are neither flat nor backwards");
    need(product(Bind::Serial, true) == 1 && product(Bind::Unrolled, true) == 1, "a thread has one row, or those of one vector");
    need(product(Bind::Cluster, true) == 1, "a cluster shares rows, and has not several");
    checkHold();
    if (schedule_.staging == Staging::All) {
      need(domain_.elementDims() > 0, "there are no tiles of one row");
      checkTiles();
    }
    checkBlocks();
    if (schedule_.hasCover) checkCover();
    const Part* last = layout_.innermost(Bind::Thread);
    const bool areThreadsKept = last != nullptr && isKept(last->dim);
    const int64_t shared = product(Bind::Thread, false) * product(Bind::Cluster, false) * product(Bind::Grid, false);
    if (areThreadsKept && shared > 1) return checkColumns();
    checkRows(areThreadsKept);
  }

  void checkHold() const {
    need(schedule_.hold != Hold::Registers || layout_.extent(Bind::Serial) == 1, "what is held in registers is unrolled");
    need(schedule_.hold == Hold::Registers || (!schedule_.readsAhead && !schedule_.keepsFunctions),
         "what is read ahead or kept is held in registers");
    if (schedule_.hold != Hold::Shared) return;
    need(schedule_.staging == Staging::None && !isKept(layout_.laneDim) && product(Bind::Thread, true) == 1,
         "a CTA holds one row in shared memory, without tiles");
  }
  /// Only tiles and splits of runs come in blocks.
  void checkBlocks() const {
    for (const Part& part : layout_.parts)
      need(part.block == 0 || part.bind == Bind::Grid || part.bind == Bind::Cluster, "only CTAs have blocks");
  }
  void checkCover() const {
    need(layout_.dims.size() == 3 && layout_.laneDim == 2 && layout_.dims[2].begin == domain_.innermost() &&
             layout_.dims[1].begin == domain_.elementDims(),
         "covers have the dims rows, runs and vectors");
    need(domain_.runsAlongElements() && schedule_.staging == Staging::None, "covers are for rows");
    need(layout_.lanes() > 1, "single elements need no cover");
    need(largestShift(reduction(), domain_, layout_.lanes()).has_value(), "its tensors start differently");
    need(domain_.inner().extent >= 2 * layout_.lanes(), "runs of {} elements are too short for a cover", domain_.inner().extent);
    for (const Part& part : layout_.parts) need(part.dim != 2 || part.block == 0, "the vectors of a cover have no blocks");
  }

  /// Neighbouring threads share a row, or each has its own.
  void checkRows(bool areThreadsKept) const {
    const int64_t rows = product(Bind::Thread, true), group = layout_.group();
    bool isInside = false;
    for (const Part& part : layout_.parts) {
      if (part.bind != Bind::Thread) continue;
      need(!isInside || !isKept(part.dim), "threads that share a row are neighbours");
      isInside = isInside || !isKept(part.dim) || part.threads > 0;
    }
    need(!areThreadsKept || product(Bind::Thread, false) == 1, "threads that share a row are neighbours");
    if (!areThreadsKept) {
      need(rows == 1 || hasGroups(), "the threads of a row are so many apart from those of the next: 'every'");
      need(isPowerOfTwo(group) || group % warp == 0, "a part of a warp, or whole warps, share a row, not {} threads", group);
      need(group == 1 || threads() % warp == 0, "a CTA has whole warps, not {} threads", threads());
      need(threads() % group == 0, "{} threads are no groups of {}", threads(), group);
    }
    need(layout_.block == 0 || (hasGroups() && layout_.block >= rows * group), "idle threads come after those of all groups");
    need(product(Bind::Cluster, false) == 1 || rows == 1, "a cluster shares one row");
    need(product(Bind::Cluster, false) == 1 || threads() % warp == 0, "a CTA has whole warps");
    if (product(Bind::Grid, false) == 1) return;
    checkSplits();
    need(domain_.numel(0, domain_.elementDims()) == 1 && product(Bind::Thread, true) == 1, "the grid splits one row");
    need(!isKept(layout_.laneDim), "the grid splits one row");
  }
  bool hasGroups() const {
    return std::any_of(layout_.parts.begin(), layout_.parts.end(), [](const Part& part) { return part.threads > 0; });
  }
  /// CTAs of the grid, the last of which combines what the others found.
  void checkSplits() const {
    need(reduction().isReadOnce(), "the grid splits what is read once");
    need(product(Bind::Cluster, false) == 1, "rows are split by a cluster or by the grid");
    need(schedule_.hold != Hold::Shared && schedule_.staging == Staging::None, "the grid splits what is not in shared memory");
  }

  /// Neighbouring threads have different columns, of which others have elements as well.
  void checkColumns() const {
    enum Dims : std::size_t { outer, column, element };
    need(schedule_.staging == Staging::None && schedule_.hold != Hold::Shared && !schedule_.hasCover, "columns are not staged");
    need(layout_.dims.size() == 3 && layout_.laneDim == column && layout_.dims[element].begin == domain_.elementDims() &&
             layout_.dims[column].end - layout_.dims[column].begin == 1,
         "columns have the dims outer, column and element");
    const int64_t across = layout_.extent(column, Bind::Thread);
    need(layout_.extent(outer, Bind::Thread) == 1 && layout_.extent(outer, Bind::Grid) == layout_.dims[outer].extent,
         "a CTA has the columns of one outer point");
    checkExchange(column, element);
    need(layout_.covered(column) == across && !hasGroups() && layout_.block == 0, "a thread has one vector of columns");
    need(layout_.isInOrder({{outer, Bind::Grid}, {column, Bind::Grid}, {element, Bind::Grid}}),
         "its grid is outer, column, element");
    const Part* grid = layout_.outermost(column);
    need(grid != nullptr && (grid->bind != Bind::Grid || grid->block == across), "a tile has as many columns as threads across");
    need(layout_.extent(column, Bind::Grid) == ceilDiv(layout_.dims[column].extent, across), "some tiles are empty");
    if (layout_.extent(element, Bind::Grid) > 1) checkSplits();
  }

  const LayoutSchedule& schedule_;
  const Layout& layout_;
  const LoopNest& nest_;
  const IterationDomain& domain_;
  const MixedOrderReduction* matrix_;
  const ir::Target& target_;
};

}  // namespace

void checkLayout(const LayoutSchedule& schedule, const LoopNest& nest, const MixedOrderReduction* matrix,
                 const ir::Target& target) {
  LayoutChecker(schedule, nest, matrix, target).check();
}

}  // namespace lowering
