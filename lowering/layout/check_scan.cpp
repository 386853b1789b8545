#include "lowering/layout/check_scan.h"

#include "lowering/layout/need.h"

namespace lowering {
namespace {

enum Dims : std::size_t { kept, scanned };

class ScanChecker {
 public:
  ScanChecker(const LayoutSchedule& schedule, const IterationDomain& domain, const ir::Target& target)
      : schedule_(schedule), layout_(schedule.layout), domain_(domain), target_(target) {}

  void check() const {
    LayoutSchedule plain;
    plain.layout = layout_;
    plain.resident = schedule_.resident;
    need(schedule_ == plain, "of a scan there is nothing to say but 'resident'");
    need(layout_.dims.size() == 2 && layout_.dims[scanned].begin == domain_.elementDims(),
         "scans have the dims kept and scanned");
    need(isOfRows() == domain_.runsAlongElements(), "memory runs along the {}", isOfRows() ? "columns" : "elements");
    checkVectors();
    checkParts();
    isOfRows() ? checkRows() : checkColumns();
  }

 private:
  bool isOfRows() const { return layout_.laneDim == scanned; }
  int64_t group() const { return layout_.extent(scanned, Bind::Thread); }
  int64_t cluster() const { return layout_.extent(scanned, Bind::Cluster); }
  int64_t gridSplits() const { return layout_.extent(scanned, Bind::Grid); }

  /// What runs along the lanes is aligned; a row may end within a vector if all of it is read at once.
  void checkVectors() const {
    const std::size_t dim = layout_.dims[layout_.laneDim].end - 1;
    const int lanes = layout_.lanes();
    bool areRead = true;
    const auto add = [&](const Access& access) {
      if (domain_.isContiguous(access, dim))
        need(domain_.isAligned(access, lanes, dim) && lanes * access.elementBytes <= 2 * target_.vectorBytes,
             "its tensors have no vectors of {} elements", lanes);
      else if (access.node != nullptr && !domain_.isUniform(access, dim))
        areRead = false;
      if (lanes * access.elementBytes > target_.vectorBytes) areRead = false;
    };
    for (const Access& access : domain_.stores()) add(access);
    for (const Access& access : domain_.loads()) add(access);
    const int64_t along = domain_.dims()[dim].extent;
    need(along % lanes == 0 || (isOfRows() && areRead), "{} elements are no vectors of {}", along, lanes);
  }

  void checkParts() const {
    for (const Part& part : layout_.parts) {
      need(part.block == 0 && part.threads == 0, "scans have no blocks");
      need(part.dim == scanned || part.bind == Bind::Grid || part.bind == Bind::Thread,
           "a thread has one row, or those of one vector");
    }
    checkGroups(group(), layout_);
    need(isPowerOfTwo(cluster()), "the CTAs of a cluster are a power of two");
  }

  /// Neighbouring threads take neighbouring vectors of a row, each several in turn.
  void checkRows() const {
    need(layout_.isInOrder({{kept, Bind::Grid},
                            {scanned, Bind::Grid},
                            {scanned, Bind::Serial},
                            {scanned, Bind::Unrolled},
                            {scanned, Bind::Cluster},
                            {kept, Bind::Thread},
                            {scanned, Bind::Thread}}),
         "a row is cut for the grid, loops, unrolled loops, the cluster and threads in turn");
    need(layout_.splits(scanned) == 1 || (layout_.extent(kept, Bind::Thread) == 1 && group() >= warp),
         "rows that CTAs share take all threads of each");
    if (gridSplits() == 1) return;
    // Splits of a row wait for each other.
    need(cluster() == 1, "a row is split by a cluster or by the grid");
    need(layout_.extent(Bind::Grid) <= int64_t{schedule_.resident} * target_.processors, "its CTAs do not run at once");
  }

  /// Each thread takes several neighbouring elements of a column.
  void checkColumns() const {
    need(layout_.isInOrder({{kept, Bind::Grid},
                            {scanned, Bind::Serial},
                            {scanned, Bind::Cluster},
                            {scanned, Bind::Thread},
                            {kept, Bind::Thread},
                            {scanned, Bind::Unrolled}}),
         "a column is cut for loops, the cluster, threads and unrolled loops in turn");
    need(isPowerOfTwo(layout_.extent(kept, Bind::Thread)) && isPowerOfTwo(group()),
         "the threads across and down are powers of two");
    need(gridSplits() == 1, "columns are not split over the grid");
    need(cluster() == 1 || group() > 1, "a column of one thread needs no cluster");
  }

  const LayoutSchedule& schedule_;
  const Layout& layout_;
  const IterationDomain& domain_;
  const ir::Target& target_;
};

}  // namespace

void checkScan(const LayoutSchedule& schedule, const IterationDomain& domain, const ir::Target& target) {
  ScanChecker(schedule, domain, target).check();
}

}  // namespace lowering
