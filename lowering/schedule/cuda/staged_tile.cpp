#include "lowering/schedule/cuda/staged_tile.h"

#include <algorithm>
#include <cstdlib>

#include "ir/index/ceil_div.h"

// A tile of 4 rows of 32 f32 that start 1000 elements apart in global memory, copied as vectors of 4:
//
//   runs_     rows {extent 4, step 1000, shared 36}, elements {extent 32, step 1, shared 1}
//   global    0 .. 31             1000 .. 1031          2000 .. 2031
//   shared    0 .. 31, 4 unused,  36 .. 67, 4 unused,   72 .. 103, ..     9 vectors a row: an odd number
//   bank      0                   4                     8                 of each row's first element
//
// Where a thread has 2 rows as lanes (rows_), these stay together, and the unused vector, their `gap`, follows both: rows start
// at 0, 32, 68, 100. Rows of 30 elements are no whole vectors: where they follow one another in global memory, rows and elements
// are one run of 120.

namespace lowering {

namespace {

std::vector<int64_t> tileOf(const IterationDomain& domain, const Layout& layout) {
  std::vector<int64_t> extents;
  for (const Dim& dim : domain.dims()) extents.push_back(dim.extent);
  for (const Part& part : layout.parts) {
    int64_t& extent = extents[layout.dims[part.dim].begin];
    if (part.block > 0) extent = std::min(extent, part.block * layout.dims[part.dim].lanes);
  }
  return extents;
}

}  // namespace

StagedTile::StagedTile(const IterationDomain& domain, const Layout& layout, const Access& access, int vectorBytes)
    : domain_(domain),
      access_(access),
      rows_(layout.lanes()),
      tile_(tileOf(domain, layout)),
      unit_(std::max<int>(1, vectorBytes / static_cast<int>(access.elementBytes))) {
  addRuns();
  lanes_ = unit_;
  while (!canCopy(lanes_)) lanes_ /= 2;
  spread();
}

/// Dims in memory order; the innermost ones as one where they are no whole vectors.
void StagedTile::addRuns() {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < domain_.dims().size(); ++d)
    if (extent(d) > 1 && domain_.stride(access_, d) != 0) dims.push_back(d);
  const auto step = [&](std::size_t d) { return domain_.stride(access_, d); };
  std::stable_sort(dims.begin(), dims.end(), [&](std::size_t a, std::size_t b) { return std::abs(step(a)) > std::abs(step(b)); });
  runs_.push_back({});
  for (std::size_t i = dims.size(); i-- > 0;) {
    Run& inner = runs_.front();
    const bool isFirst = i + 1 == dims.size();
    const bool runsOn = !isFirst && runs_.size() == 1 && !access_.isMasked() && inner.extent % unit_ != 0 &&
                        step(dims[i]) == inner.step * inner.extent && !isUneven(inner.dims.front());
    if (isFirst || runsOn) {
      inner.dims.insert(inner.dims.begin(), dims[i]);
      inner.extent *= extent(dims[i]);
      if (isFirst) inner.step = step(dims[i]);
    } else {
      runs_.insert(runs_.begin(), {{dims[i]}, extent(dims[i]), step(dims[i]), 0, 0});
    }
  }
}

/// Extents of a run's dims inside of one of them.
int64_t StagedTile::inside(const Run& run, std::size_t dim) const {
  int64_t count = 1;
  for (auto d = run.dims.rbegin(); *d != dim; ++d) count *= extent(*d);
  return count;
}

bool StagedTile::canCopy(int lanes) const {
  if (lanes == 1) return true;
  const Run& inner = runs_.back();
  if (inner.step != 1 || inner.extent % lanes != 0 || access_.form->constant % lanes != 0) return false;
  for (std::size_t d = 0; d < tile_.size(); ++d)
    if (tile_[d] < domain_.dims()[d].extent && domain_.stride(access_, d) * tile_[d] % lanes != 0) return false;
  if (!inner.dims.empty() && isUneven(inner.dims.front())) {
    const std::size_t outer = inner.dims.front();
    if (domain_.dims()[outer].extent * inside(inner, outer) % lanes != 0) return false;
  }
  return std::all_of(runs_.begin(), runs_.end() - 1, [&](const Run& run) { return run.step % lanes == 0; });
}

/// Steps in shared memory: from one inner run to the next an odd number of vectors, so that 8 threads that are so far apart
/// reach all banks.
void StagedTile::spread() {
  const std::size_t laneDim = domain_.elementDims() - 1;
  int64_t elements = runs_.back().extent;
  for (std::size_t i = runs_.size() - 1; i-- > 0;) {
    Run& run = runs_[i];
    run.shared = elements;
    const bool hasLanes = run.dims.front() == laneDim && rows_ > 1;
    const int64_t blockOf = hasLanes ? rows_ : 1;
    const bool isEven = run.shared * blockOf % (2 * unit_) == 0 && run.shared * blockOf >= 4 * unit_;
    if (i + 2 == runs_.size() && isEven) (hasLanes ? run.gap : run.shared) += unit_;
    elements = run.shared * run.extent + run.gap * ceilDiv(run.extent, blockOf);
  }
}

int64_t StagedTile::elements() const {
  const Run& outer = runs_.front();
  return outer.shared * outer.extent + (outer.gap == 0 ? 0 : outer.gap * ceilDiv(outer.extent, rows_));
}

bool StagedTile::isContiguous() const {
  const Run& inner = runs_.back();
  if (rows_ == 1) return true;
  if (inner.step != 1 || inner.dims.empty() || inner.dims.back() != domain_.elementDims() - 1) return false;
  return std::all_of(runs_.begin(), runs_.end() - 1, [&](const Run& run) { return run.shared % rows_ == 0; });
}

Value StagedTile::offset(const TilePosition& at) const {
  Value sum = at.laneBlock * 0;
  for (const Run& run : runs_) {
    for (const std::size_t d : run.dims) sum = sum + at.dims[d] * (run.shared * inside(run, d));
    if (run.gap > 0) sum = sum + at.laneBlock * run.gap;
  }
  return sum;
}

int64_t StagedTile::vectors() const {
  int64_t count = 1;
  for (const Run& run : runs_) count *= run.extent;
  return count / lanes_;
}

StagedTile::Copy StagedTile::copy(Value vector, const Position& start) const {
  Copy found{{vector.pool(), domain_.offset(access_, start)}, vector * 0, Guard::always(), start};
  Value rest = vector;
  for (std::size_t i = runs_.size(); i-- > 0;) {
    const Run& run = runs_[i];
    const int64_t lanes = i + 1 == runs_.size() ? lanes_ : 1;
    const int64_t count = run.extent / lanes;
    const Value at = (i == 0 ? rest : mod(rest, count)) * lanes;
    if (i > 0) rest = floorDiv(rest, count);
    found.global = found.global + at * run.step;
    found.shared = found.shared + at * run.shared;
    for (const std::size_t d : run.dims) {
      const Value inDim = run.dims.size() == 1 ? at : mod(floorDiv(at, inside(run, d)), extent(d));
      found.position[d] = (Value{vector.pool(), start[d]} + inDim).expr();
    }
    if (run.gap > 0) found.shared = found.shared + floorDiv(at, rows_) * run.gap;
    if (run.dims.empty() || !isUneven(run.dims.front())) continue;
    const std::size_t outer = run.dims.front();
    const int64_t of = inside(run, outer);
    const Value first{vector.pool(), start[outer]};
    found.isInside = found.isInside & (first * of + at < domain_.dims()[outer].extent * of);
  }
  return found;
}

bool StagedTile::operator==(const StagedTile& other) const {
  return access_.elementBytes == other.access_.elementBytes && runs_ == other.runs_;
}

}  // namespace lowering
