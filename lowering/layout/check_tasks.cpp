#include "lowering/layout/check_tasks.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "lowering/analysis/ownership.h"
#include "lowering/layout/alignment.h"
#include "lowering/layout/need.h"

namespace lowering {
namespace {

constexpr int64_t mostUnrolled = 64, mostElements = 4096;  // of a task's straight-line code, and of its tile

class TaskChecker {
 public:
  TaskChecker(const TaskSchedule& schedule, const LoopNest& nest, const ir::Target& target)
      : schedule_(schedule), nest_(nest), domain_(nest.domain), target_(target) {}

  void check() const {
    checkNumbers();
    need(!schedule_.streams || canStream(nest_, schedule_, target_), "results that bypass the caches are aligned vectors");
    if (schedule_.isTransposed) return checkTransposed();
    if (nest_.hasScans()) return checkScan();
    if (nest_.reduction && !domain_.runsAlongElements()) return checkColumns();
    const ElementStores stores = ElementStores(domain_.stores()).subspan(nest_.reduction ? nest_.reduction->rowStores.size() : 0);
    need(!schedule_.hasHead || canHaveHead(domain_, stores, schedule_.lanes, target_), "no head aligns all results");
    need(!schedule_.takesAll && !schedule_.storesAcross, "only columns are shared tile by tile, or stored across");
    nest_.reduction ? checkRows() : checkElements();
  }

 private:
  void checkNumbers() const {
    need(isPowerOfTwo(schedule_.lanes) && schedule_.lanes <= target_.vectorBytes,
         "vectors have a power of two of lanes, up to {}", target_.vectorBytes);
    need(schedule_.rows >= 1 && schedule_.splits >= 1 && schedule_.grain >= 1, "rows, splits and grain begin with 1");
    need(schedule_.unroll >= 1 && schedule_.unroll <= mostUnrolled, "1 to {} vectors are unrolled", mostUnrolled);
    need(schedule_.atOnce >= 1 && schedule_.atOnce <= mostUnrolled, "1 to {} elements are taken together", mostUnrolled);
    need(schedule_.tile * schedule_.lanes <= mostElements || !nest_.reduction, "a tile has up to {} columns", mostElements);
    need(schedule_.heldBytes <= mostHeldBytes, "a task holds up to {} bytes", mostHeldBytes);
  }

  /// Tasks that share elements, which is possible where these are only summed.
  void checkSplits(int64_t most) const {
    if (schedule_.splits == 1) return;
    need(nest_.reduction->isReadOnce(), "tasks share elements that are only reduced, once");
    need(schedule_.rows == 1 && schedule_.splits <= most, "there are no {} splits of {}", schedule_.splits, most);
  }
  void checkElements() const {
    const int64_t elements = schedule_.isFlat ? domain_.numel() : domain_.inner().extent;
    checkTile(elements);
    need(schedule_.splits == 1, "without reductions nothing is split");
    need(schedule_.rows <= domain_.numel() / elements, "there are no {} rows", schedule_.rows);
    need(!schedule_.hasHead || (schedule_.rows == 1 && !schedule_.isFlat), "a head is of one row");
  }
  /// Squares of the transposition, whose tensors are on the stack meanwhile.
  void checkTransposed() const {
    need(nest_.transposition && bytesReadAcross(*nest_.transposition) > 0, "nothing that is read crosses the first result");
    const IterationDomain& domain = nest_.transposition->domain;
    checkTile(domain.dims()[domain.elementDims() - 1].extent);
    need(schedule_.lanes > 1 && schedule_.rows % schedule_.lanes == 0 && schedule_.rows - schedule_.lanes < domain.inner().extent,
         "a square has 2 lanes or more, and a task the rows of whole squares");
    need(schedule_.unroll == 1 && !schedule_.isFlat && schedule_.splits == 1 && !schedule_.takesAll && !schedule_.hasHead &&
             !schedule_.storesAcross,
         "tasks of squares are neither unrolled, flat, shared nor stored across, and have no head");
    need(bytesReadAcross(*nest_.transposition) * schedule_.lanes * schedule_.lanes <= mostHeldBytes,
         "its squares exceed {} bytes", mostHeldBytes);
  }
  void checkRows() const {
    const int64_t runs = domain_.numel(domain_.elementDims(), domain_.innermost());
    need(schedule_.tile == 0 && !schedule_.isFlat, "rows are reduced whole");
    need(schedule_.rows <= domain_.numel(0, domain_.elementDims()), "there are no {} rows", schedule_.rows);
    need(schedule_.rows == 1 || schedule_.block == 0, "blocks of elements are added up of one row a task");
    checkSplits(runs > 1 ? runs : domain_.inner().extent / schedule_.lanes);
  }
  void checkColumns() const {
    checkTile(domain_.runsAlongElements() ? 1 : domain_.dims()[domain_.elementDims() - 1].extent);
    need(schedule_.rows == 1 && !schedule_.isFlat && !schedule_.hasHead, "a task has the columns of one tile, without a head");
    checkSplits(domain_.numel(domain_.elementDims(), domain_.dims().size()));
    need(!schedule_.storesAcross || canStoreAcross(*nest_.reduction, domain_), "its results do not run along the columns");
  }
  void checkScan() const {
    checkColumns();
    need(!schedule_.takesAll && !schedule_.storesAcross, "scans are neither shared tile by tile nor stored across");
    need(!domain_.runsAlongElements() || schedule_.lanes == 1, "the elements of a scanned row come one by one");
  }
  void checkTile(int64_t elements) const {
    const int64_t most = ceilDiv(elements, schedule_.lanes);
    need(schedule_.tile >= 1 && schedule_.tile <= most, "a tile has 1 to {} vectors of {}", most, schedule_.lanes);
  }

  const TaskSchedule& schedule_;
  const LoopNest& nest_;
  const IterationDomain& domain_;
  const ir::Target& target_;
};

}  // namespace

void checkTasks(const TaskSchedule& schedule, const LoopNest& nest, const ir::Target& target) {
  TaskChecker(schedule, nest, target).check();
}

bool areTasksApart(const IterationDomain& domain, const TaskSchedule& schedule) {
  const std::vector<bool> owned = ownedDims(domain);
  const std::size_t inner = domain.innermost();
  const int64_t elements = schedule.isFlat ? domain.numel() : domain.inner().extent;
  const bool isWhole = schedule.tile * schedule.lanes >= elements;
  if (schedule.isFlat) return isWhole || firstShared(owned) == owned.size();
  const std::size_t shared = std::min(inner, firstShared(owned));
  return (isWhole || owned[inner]) && (shared == inner || schedule.rows % domain.numel(shared, inner) == 0);
}

bool canStream(const LoopNest& nest, const TaskSchedule& schedule, const ir::Target& target) {
  const auto& [loops, reduction, domain, mixedOrder, transposition] = nest;
  if (schedule.isTransposed)
    return transposition && areAligned(transposition->domain, transposition->domain.stores(),
                                       transposition->domain.elementDims() - 1, schedule.lanes, target);
  ElementStores stores = domain.stores();
  if (domain.accumulates()) return false;
  if (reduction && (reduction->scans || reduction->elementStores.empty() || schedule.storesAcross)) return false;
  if (reduction && !domain.runsAlongElements())
    return areAligned(domain, stores, domain.elementDims() - 1, schedule.lanes, target);
  if (reduction) stores = stores.subspan(reduction->rowStores.size());
  const int64_t elements = schedule.isFlat ? domain.numel() : domain.inner().extent, tile = schedule.tile * schedule.lanes;
  const int64_t last = tile > 0 ? elements - (ceilDiv(elements, tile) - 1) * tile : elements;
  return areAligned(domain, stores, domain.innermost(), schedule.lanes, target) ||
         (schedule.hasHead && hasRoomForHead(stores, last, schedule.lanes, target));
}

bool runsAcross(const IterationDomain& domain, const Access& access) {
  return domain.isContiguous(access, domain.innermost()) && !domain.isContiguous(access, domain.elementDims() - 1);
}

bool canStoreAcross(const ReductionNest& nest, const IterationDomain& domain) {
  const ElementStores stores = ElementStores(domain.stores()).subspan(nest.rowStores.size());
  return !stores.empty() &&
         std::all_of(stores.begin(), stores.end(), [&](const Access& store) { return runsAcross(domain, store); });
}

}  // namespace lowering
