#include "lowering/schedule/placement.h"

#include <algorithm>

#include "ir/index/simplify.h"
#include "ir/walk.h"

namespace lowering {

using ir::LoopKind;

Placement::Placement(ir::ExprPool& pool, const IterationDomain& domain, Layout layout)
    : pool_(pool),
      domain_(domain),
      layout_(std::move(layout)),
      grid_(axis(layout_.extent(Bind::Grid))),
      rank_(axis(layout_.extent(Bind::Cluster))),
      thread_(axis(layout_.extent(Bind::Thread))),
      inGroup_(thread_) {
  std::vector<std::size_t> grid, cluster, threads;
  for (std::size_t i = 0; i < layout_.parts.size(); ++i) {
    const Part& part = layout_.parts[i];
    digits_.push_back(isLoop(part.bind) ? axis(part.extent) : number(0));
    if (part.bind == Bind::Grid) grid.push_back(i);
    if (part.bind == Bind::Cluster) cluster.push_back(i);
    if (part.bind == Bind::Thread) threads.push_back(i);
  }
  spread(grid_, grid);
  spread(rank_, cluster);
  spreadThreads(thread_, threads);
}

/// Gives parts the digits of a number, the innermost part first.
void Placement::spread(Value number, const std::vector<std::size_t>& parts) {
  for (std::size_t i = parts.size(); i-- > 0;) {
    const int64_t extent = layout_.parts[parts[i]].extent;
    if (extent == 1) continue;
    const bool isLast = std::all_of(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i),
                                    [&](std::size_t part) { return layout_.parts[part].extent == 1; });
    digits_[parts[i]] = isLast ? number : mod(number, extent);
    number = floorDiv(number, extent);
  }
}

/// The same of threads. In a CTA of 128 threads with 3 groups of 32, of which 24 work each, the last threads of groups and the
/// last threads of the CTA are idle:
///
///   thread        0 .. 23   24 .. 31 | 32 .. 55   56 .. 63 | 64 .. 87   88 .. 95 | 96 .. 127
///   group         0                  | 1                   | 2                   | 3
///   inGroup()     0 .. 23   24 .. 31 | 0 .. 23    24 .. 31 | 0 .. 23    24 .. 31 | 0 .. 31
///   hasGroup()    yes                                                            | no
///   isBusy()      yes       no       | yes        no       | yes        no       |
///
/// Idle ones count on in the outermost digits of the CTA and of their group; that no other digit exceeds its
/// extent is then known to NVRTC, which is worth up to 8 % (a layer norm's gradient of [64, 14, 14, 512] halves).
void Placement::spreadThreads(Value number, const std::vector<std::size_t>& parts) {
  const auto apart = std::find_if(parts.begin(), parts.end(), [&](std::size_t part) { return layout_.parts[part].threads > 0; });
  if (apart == parts.end()) return spread(number, parts);
  const std::vector<std::size_t> outside(parts.begin(), apart + 1), inside(apart + 1, parts.end());
  const int threads = layout_.parts[*apart].threads;
  int64_t groups = 1, busy = 1;
  for (std::size_t part : outside) groups *= layout_.parts[part].extent;
  for (std::size_t part : inside) busy *= layout_.parts[part].extent;
  const Value group = floorDiv(number, threads);
  spread(group, outside);
  if (layout_.block > 0) countOn(group, outside);
  hasGroup_ = within(group, layout_.extent(Bind::Thread) / threads, groups);
  inGroup_ = layout_.block == 0 && layout_.extent(Bind::Thread) == threads ? number : mod(number, threads);
  isBusy_ = within(inGroup_, threads, busy);
  spread(inGroup_, inside);
  if (!inside.empty()) digits_[inside.front()] = floorDiv(inGroup_, busy / layout_.parts[inside.front()].extent);
}

/// Numbers beyond the parts' values make no digit larger but the outermost one.
void Placement::countOn(Value number, const std::vector<std::size_t>& parts) {
  for (std::size_t i = parts.size(); i-- > 1;) {
    const int64_t extent = layout_.parts[parts[i]].extent;
    digits_[parts[i]] = mod(number, extent);
    number = floorDiv(number, extent);
  }
  digits_[parts.front()] = number;
}

template <typename Counts>
Value Placement::numberOf(Counts counts) const {
  Value sum = number(0);
  for (std::size_t i = 0; i < digits_.size(); ++i)
    if (counts(i, layout_.parts[i])) sum = sum * layout_.parts[i].extent + digits_[i];
  return sum;
}

Value Placement::digits(Bind bind) const {
  return numberOf([&](std::size_t, const Part& part) { return part.bind == bind; });
}

Value Placement::digits(std::size_t dim, Bind bind) const {
  return numberOf([&](std::size_t, const Part& part) { return part.dim == dim && part.bind == bind; });
}

Value Placement::step(std::size_t dim) const {
  return numberOf([&](std::size_t, const Part& part) { return part.dim == dim && isLoop(part.bind); });
}

bool Placement::dependsOn(const ir::Expr* expr, Bind bind) const {
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const ir::Expr* digit = digits_[i].expr();
    if (layout_.parts[i].bind == bind && !digit->isConst() && ir::dependsOn(expr, digit)) return true;
  }
  return false;
}

void Placement::replace(std::size_t dim, Bind bind, Value by) {
  for (std::size_t i = 0; i < digits_.size(); ++i)
    if (layout_.parts[i].dim == dim && layout_.parts[i].bind == bind) digits_[i] = by;
}

Placement Placement::at(std::size_t dim, Value element) const {
  Placement other = *this;
  other.at_.insert_or_assign(dim, element);
  return other;
}

std::optional<std::size_t> Placement::blocks(std::size_t dim) const {
  const Part* part = layout_.outermost(dim);
  if (part == nullptr || part->block == 0) return std::nullopt;
  return static_cast<std::size_t>(part - layout_.parts.data());
}

Value Placement::inBlock(std::size_t dim) const {
  const std::optional<std::size_t> outermost = blocks(dim);
  return numberOf([&](std::size_t i, const Part& part) { return part.dim == dim && i != outermost; });
}

Value Placement::block(std::size_t dim) const {
  const std::optional<std::size_t> outermost = blocks(dim);
  return outermost ? digits_[*outermost] : number(0);
}

Value Placement::start(std::size_t dim, int lanes) const { return blockStart(dim, lanes) + inBlock(dim) * lanes; }

Value Placement::blockStart(std::size_t dim, int lanes) const {
  const std::optional<std::size_t> outermost = blocks(dim);
  return outermost ? digits_[*outermost] * (layout_.parts[*outermost].block * lanes) : number(0);
}

Guard Placement::isInside(std::size_t dim) const {
  const int64_t covered = layout_.covered(dim), extent = layout_.dims[dim].extent;
  const std::optional<std::size_t> outermost = blocks(dim);
  if (!outermost) return within(inBlock(dim), covered, extent);
  const Part& part = layout_.parts[*outermost];
  const int lanes = layout_.dims[dim].lanes;
  return within(inBlock(dim), covered, part.block) & within(start(dim, lanes), part.extent * part.block * lanes, extent * lanes);
}

Position Placement::position(std::size_t dim) const {
  const auto [begin, end, extent, lanes] = layout_.dims[dim];
  if (const auto given = at_.find(dim); given != at_.end()) return domain_.unflatten(given->second.expr(), begin, end);
  if (dim != layout_.laneDim) return domain_.unflatten(index(dim).expr(), begin, end);
  if (end - begin == 1) return {start(dim, lanes).expr()};
  const int64_t inRow = domain_.dims()[end - 1].extent / lanes;
  Position position = domain_.unflatten(floorDiv(index(dim), inRow).expr(), begin, end - 1);
  position.push_back((mod(index(dim), inRow) * lanes).expr());
  // At one place inside blocks of whole rows only the outermost positions differ.
  if (layout_.hasBlocks(dim))
    for (const ir::Expr*& one : position) one = ir::simplify(pool_, one);
  return position;
}

LanePlace Placement::lanesAt(Position base, Value lane) const {
  LanePlace place;
  place.lane = lane.expr();
  place.dim = layout_.dims[layout_.laneDim].end - 1;
  place.alignment = static_cast<int>(lane.expr()->axis().extent);
  place.base = std::move(base);
  place.each = place.base;
  place.each[place.dim] = (Value{pool_, place.base[place.dim]} + lane).expr();
  return place;
}

Position Placement::positions(bool ofElements) const {
  Position all;
  for (std::size_t d = 0; d < layout_.dims.size(); ++d) {
    if (!ofElements && !isKept(d)) continue;
    const Position own = position(d);
    all.insert(all.end(), own.begin(), own.end());
  }
  all.resize(domain_.dims().size(), number(0).expr());
  return all;
}

LanePlace Placement::vector() const { return vector({pool_, pool_.axis(layout_.lanes())}); }

LanePlace Placement::vector(Value lane) const { return lanesAt(positions(true), lane); }

LanePlace Placement::row() const {
  const bool hasLanes = isKept(layout_.laneDim);
  LanePlace place = lanesAt(positions(false), {pool_, pool_.axis(hasLanes ? layout_.lanes() : 1)});
  if (!hasLanes) place.each = place.base;
  return place;
}

ir::Block Placement::loops(Bind bind, ir::Block body) const {
  return loopsOf([&](const Part& part) { return part.bind == bind; }, std::move(body));
}

ir::Block Placement::loops(std::size_t dim, Bind bind, ir::Block body) const {
  return loopsOf([&](const Part& part) { return part.dim == dim && part.bind == bind; }, std::move(body));
}

template <typename Counts>
ir::Block Placement::loopsOf(Counts counts, ir::Block body) const {
  for (std::size_t i = digits_.size(); i-- > 0;) {
    const Part& part = layout_.parts[i];
    const LoopKind kind = part.bind == Bind::Serial ? LoopKind::Serial : LoopKind::Unrolled;
    if (counts(part)) body = loop(kind, digits_[i], std::move(body));
  }
  return body;
}

ir::Block Placement::onThreads(ir::Block body) const {
  if (body.empty()) return body;
  return loop(LoopKind::Cluster, rank_, loop(LoopKind::Thread, thread_, std::move(body)));
}

ir::Launch Placement::launch() const {
  ir::Launch launch;
  launch.grid = layout_.extent(Bind::Grid);
  launch.cluster = static_cast<int>(layout_.extent(Bind::Cluster));
  launch.block = static_cast<int>(layout_.extent(Bind::Thread));
  return launch;
}

}  // namespace lowering
