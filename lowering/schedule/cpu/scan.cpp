// Scans on a CPU: a task a row, or a tile of columns in vectors; elements one after another.
#include <algorithm>
#include <bit>

#include "ir/index/ceil_div.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class CpuScanKernel {
 public:
  CpuScanKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target)
      : kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        isColumns_(!domain.runsAlongElements()),
        columns_(isColumns_ ? domain.dims()[domain.elementDims() - 1].extent : 1),
        elements_(domain.inner().extent) {
    if (isColumns_)
      lanes_ = std::min(cpuLanes(loops, domain, domain.elementDims() - 1, target),
                        static_cast<int>(std::bit_ceil(static_cast<uint64_t>(columns_))));
    outer_ = domain.numel(0, domain.elementDims()) / columns_;
    const int64_t vectors = ceilDiv(columns_, lanes_);
    tile_ = std::min(columns_, lanes_ * std::clamp<int64_t>(outer_ * vectors / target.processors, 1,
                                                            std::min(vectors, limits::cpu::scanTileVectors)));
    tiles_ = ceilDiv(columns_, tile_);
    launch_.tasks = outer_ * tiles_;
    launch_.grain = cpuGrain(loops, domain, tile_ * elements_);
    task_ = kernel_.pool().axis(launch_.tasks);
  }

  ir::Kernel build() {
    const int64_t held = ceilDiv(tile_, lanes_) * lanes_;
    kernel_.addAccumulators(held, lanes_);
    for (const Reduction& scan : nest_.reductions)
      if (isBlocked()) blocks_.push_back(kernel_.addLocal("block", scan.body->dtype, held, ir::Space::Private, lanes_));
    ir::Block body;
    body.push_back({ir::For{task_, LoopKind::Task, forTile()}});
    return kernel_.assemble(launch_, std::move(body));
  }

 private:
  /// Blocks cost an operation an element, which is worth it where operations are cheap.
  bool isBlocked() const {
    return std::none_of(nest_.reductions.begin(), nest_.reductions.end(),
                        [](const Reduction& scan) { return scan.op == ir::Op::LogAddExp; });
  }
  Value task() const { return {kernel_.pool(), task_}; }
  Value tile() const { return tiles_ == 1 ? kernel_.number(0) : mod(task(), tiles_); }
  Value outer() const { return tiles_ == 1 ? task() : floorDiv(task(), tiles_); }
  int running(std::size_t scan) const { return isBlocked() ? blocks_[scan] : kernel_.accumulator(scan); }

  /// The body of a tile of `tile_` columns, or of what is left for the last one.
  ir::Block forTile() const {
    const int64_t last = columns_ - (tiles_ - 1) * tile_;
    if (last == tile_) return line(tile_);
    ir::Block block;
    block.push_back({ir::If{(tile() < tiles_ - 1).expr(), line(tile_), line(last)}});
    return block;
  }

  /// All elements of the task's row or columns.
  ir::Block line(int64_t columns) const {
    ir::Block block = reset(columns, false);
    const int64_t each = isBlocked() ? limits::cpu::scanBlock : 1, whole = elements_ / each, rest = elements_ % each;
    const Value number = kernel_.axis(whole);
    if (whole > 0) append(block, loop(LoopKind::Serial, number, elements(columns, number * each, each)));
    if (rest > 0) append(block, elements(columns, kernel_.number(whole * each), rest));
    return block;
  }
  ir::Block elements(int64_t columns, Value start, int64_t count) const {
    if (!isBlocked()) return vectors(columns, [&](Value at, int64_t active) { return element(at, active, start); });
    ir::Block block = reset(columns, true);
    const Value inside = kernel_.axis(count);
    append(block, loop(lanes_ == 1 ? LoopKind::Unrolled : LoopKind::Serial, inside,
                       vectors(columns, [&](Value at, int64_t active) { return element(at, active, start + inside); })));
    append(block, vectors(columns, [&](Value at, int64_t) {
             return forScans([&](std::size_t i) {
               return ir::Store{kernel_.accumulator(i), at.expr(), read(blocks_[i], i, at), true, nest_.reductions[i].op};
             });
           }));
    return block;
  }

  /// `use` for every vector of columns: where it is in the tile, and its active lanes.
  ir::Block vectors(int64_t columns, const std::function<ir::Block(Value at, int64_t active)>& use) const {
    const int64_t whole = columns / lanes_;
    const Value vector = kernel_.axis(std::max<int64_t>(1, whole));
    ir::Block block;
    if (whole > 0) append(block, loop(LoopKind::Unrolled, vector, use(vector * lanes_, lanes_)));
    if (columns % lanes_ != 0) append(block, use(kernel_.number(whole * lanes_), columns % lanes_));
    return block;
  }

  LanePlace place(Value at, Value element) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes_)};
    place.lane = lane.expr();
    place.dim = isColumns_ ? domain_.elementDims() - 1 : domain_.innermost();
    const std::size_t outerDims = isColumns_ ? place.dim : domain_.elementDims();
    if (outerDims > 0) place.base = domain_.unflatten(outer().expr(), 0, outerDims);
    place.each = place.base;
    const Value column = tile() * tile_ + at;
    if (isColumns_) place.base.push_back(column.expr());
    if (isColumns_) place.each.push_back((column + lane).expr());
    place.base.push_back(element.expr());
    place.each.push_back(element.expr());
    return place;
  }

  /// One element of a vector of columns: combined with what is before it, then stored.
  ir::Block element(Value at, int64_t active, Value element) const {
    ir::Block block;
    const LanePlace here = place(at, element);
    const Expr* some = active < lanes_ ? kernel_.number(active).expr() : nullptr;
    LoadMap loads = readLanes(kernel_.pool(), domain_, here);
    ir::Lanes combines = kernel_.lanes(here), stores = kernel_.lanes(here);
    combines.active = stores.active = some;
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      combines.stores.push_back({running(i), at.expr(), domain_.at(scan.body, here.each, loads), true, scan.op});
    }
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      const Expr* value = read(running(i), i, at);
      if (isBlocked()) value = kernel_.pool().make(scan.op, {read(kernel_.accumulator(i), i, at), value});
      loads[scan.result] = value;
    }
    stores.stores = kernel_.elementStores(here, loads);
    block.push_back({std::move(combines)});
    block.push_back({std::move(stores)});
    return block;
  }

  const Expr* read(int local, std::size_t scan, Value at) const {
    return kernel_.pool().load(local, nest_.reductions[scan].body->dtype, at.expr(), ir::LoadMode::Contiguous);
  }
  ir::Block forScans(const std::function<ir::Store(std::size_t)>& store) const {
    ir::Lanes all;
    all.axis = kernel_.pool().axis(lanes_);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) all.stores.push_back(store(i));
    return {{std::move(all)}};
  }
  ir::Block reset(int64_t columns, bool ofBlock) const {
    return vectors(columns, [&](Value at, int64_t) {
      return forScans([&](std::size_t i) {
        const Expr* identity = kernel_.pool().identity(nest_.reductions[i].op, nest_.reductions[i].body->dtype);
        return ir::Store{ofBlock ? blocks_[i] : kernel_.accumulator(i), at.expr(), identity, true, {}};
      });
    });
  }

  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  bool isColumns_;
  int lanes_ = 1;
  int64_t columns_, elements_;
  int64_t outer_ = 1, tile_ = 1, tiles_ = 1;
  ir::Launch launch_;
  const Expr* task_ = nullptr;
  std::vector<int> blocks_;
};

}  // namespace

ir::Kernel applyCpuScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                        const ir::Target& target) {
  return CpuScanKernel(loops, nest, domain, target).build();
}

}  // namespace lowering
