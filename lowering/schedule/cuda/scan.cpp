// Scans: threads take neighbouring vectors of a row, or elements of a column, and start from what those before them came to.
#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"
#include "lowering/schedule/placement.h"

namespace lowering {
namespace {

using ir::DType;
using ir::Expr;
using ir::LoopKind;

/// Register arrays of one scan. A row's vectors are apart from each other, so that each has a total of its own; what a thread has
/// of columns follows one another, and has one a column.
struct ScanLocals {
  int scanned = 0;  ///< every element a thread takes at once, combined with those before it in its total
  int total = 0;    ///< the accumulator of the nest: what a thread has, then what all threads of the line have
  int start = 0;    ///< what the threads before this one have
  int carry = 0;    ///< what earlier chunks have
  int partial = 0;  ///< in global memory: the total of each split of a row
};

class ScanKernel {
 public:
  ScanKernel(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
             const LayoutSchedule& schedule)
      : kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        at_(kernel_.pool(), domain, schedule.layout),
        layout_(at_.layout()),
        resident_(schedule.resident) {}

  ir::Kernel build() {
    addLocals();
    ir::Block body;
    if (isSplit()) append(body, gridLoop(at_.grid(), totalOfSplit()));
    ir::Block grid = at_.onThreads(isSplit() ? splitsBefore() : resetCarry());
    if (isSplit()) grid.push_back({combineCarries()});
    ir::Block chunk = at_.onThreads(scanOwn());
    if (!isAlone()) {
      chunk.push_back({combineTotals()});
      append(chunk, at_.onThreads(storeAll()));
    }
    append(grid, at_.loops(Bind::Serial, std::move(chunk)));
    append(body, gridLoop(at_.grid(), std::move(grid)));
    ir::Launch launch = at_.launch();
    launch.resident = resident_;
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  enum Dims : std::size_t { kept, scanned };

  /// Whether lanes are different columns, each with a scan of its own.
  bool areLanesKept() const { return layout_.laneDim == kept; }
  /// Threads of a CTA that work on one row, or one vector of columns.
  int group() const { return static_cast<int>(layout_.extent(scanned, Bind::Thread)); }
  /// CTAs of the grid that share a row, and wait for each other's totals.
  int64_t gridSplits() const { return layout_.extent(scanned, Bind::Grid); }
  bool isSplit() const { return gridSplits() > 1; }
  /// Whether one thread has all of a row: what it found before goes on in `total`.
  bool isAlone() const { return group() * layout_.splits(scanned) == 1; }
  /// Vectors that a thread takes at once, and where the one at hand begins among their elements.
  int64_t slots() const { return layout_.extent(Bind::Unrolled); }
  Value slot() const { return at_.digits(Bind::Unrolled) * layout_.lanes(); }
  /// Whether anything comes after what a thread has at once, or before its first.
  bool hasCarry() const {
    return !isAlone() && (layout_.extent(Bind::Serial) > 1 || isSplit() || (!areLanesKept() && slots() > 1));
  }
  /// Elements of `total` and `start`, and how many of them one statement has.
  int64_t totals() const { return areLanesKept() ? layout_.lanes() : isAlone() ? 1 : slots(); }
  int totalLanes() const { return areLanesKept() ? layout_.lanes() : 1; }
  Value totalPlace() const { return areLanesKept() || isAlone() ? kernel_.number(0) : at_.digits(Bind::Unrolled); }

  /// One element of a row's vector, or one of each column of a vector.
  LanePlace elementPlace(Value element) const {
    if (areLanesKept()) return at_.vector();
    return at_.at(scanned, at_.index(scanned) * layout_.lanes() + element).vector({kernel_.pool(), kernel_.pool().axis(1)});
  }
  ir::Block eachVector(ir::Block body) const {
    return when(at_.isInside(kept), at_.loops(Bind::Unrolled, when(at_.isInside(scanned), std::move(body))));
  }

  void addLocals() {
    const int64_t elements = slots() * layout_.lanes();
    kernel_.addAccumulators(totals(), totalLanes());
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const DType dtype = nest_.reductions[i].body->dtype;
      const auto add = [&](const char* stem, int64_t count, int lanes) {
        return kernel_.addLocal(stem, dtype, count, ir::Space::Private, lanes);
      };
      ScanLocals locals;
      locals.scanned = add("scanned", elements, layout_.lanes());
      locals.total = kernel_.accumulator(i);
      if (!isAlone()) locals.start = add("start", totals(), totalLanes());
      if (hasCarry()) locals.carry = add("carry", totalLanes(), totalLanes());
      if (isSplit()) locals.partial = kernel_.addLocal("partial_result", dtype, layout_.extent(Bind::Grid), ir::Space::Global);
      locals_.push_back(locals);
    }
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      if (access.form && areLanesKept() && domain_.isUniform(access, domain_.elementDims() - 1)) continue;
      held_.emplace_back(access.node, kernel_.addLocal(kernel_.bufferName(access.buffer) + "_held", access.node->dtype, elements,
                                                       ir::Space::Private, layout_.lanes()));
    }
  }

  const Expr* read(int local, DType dtype, Value offset) const {
    return kernel_.pool().load(local, dtype, offset.expr(), ir::LoadMode::Contiguous);
  }
  DType dtypeOf(std::size_t scan) const { return nest_.reductions[scan].body->dtype; }
  /// One statement of a store for each scan.
  ir::Block forScans(int lanes, const std::function<ir::Store(std::size_t)>& store) const {
    ir::Lanes all;
    all.axis = kernel_.pool().axis(lanes);
    for (std::size_t i = 0; i < locals_.size(); ++i) all.stores.push_back(store(i));
    return {{std::move(all)}};
  }
  ir::Block set(int ScanLocals::* local, int64_t lanes) const {
    return forScans(static_cast<int>(lanes), [&](std::size_t i) {
      const Expr* identity = kernel_.pool().identity(nest_.reductions[i].op, dtypeOf(i));
      return ir::Store{locals_[i].*local, kernel_.number(0).expr(), identity, true, {}};
    });
  }
  ir::Block resetCarry() const {
    if (isAlone()) return set(&ScanLocals::total, totals());
    return hasCarry() ? set(&ScanLocals::carry, totalLanes()) : ir::Block();
  }

  /// All vectors of a chunk, read before the first is used.
  ir::Block readVectors() const {
    if (held_.empty()) return {};
    const LanePlace at = at_.vector();
    const LoadMap memory = readLanes(kernel_.pool(), domain_, at);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const auto& [load, local] : held_) lanes.stores.push_back({local, slot().expr(), memory.at(load), true, {}});
    return eachVector({{std::move(lanes)}});
  }
  /// What loads are read as at a place that starts with the `first`th element of a vector.
  LoadMap bindings(const LanePlace& at, Value first) const {
    LoadMap map;
    for (const auto& [load, local] : held_) map[load] = read(local, load->dtype, slot() + first);
    return readLanes(kernel_.pool(), domain_, at, std::move(map));
  }
  /// Combines the bodies at a place, an accumulator a lane or one for all.
  ir::Lanes accumulate(const LanePlace& at, Value first, int ScanLocals::* local, Value to, bool isEach) const {
    const LoadMap loads = bindings(at, first);
    ir::Lanes lanes = kernel_.lanes(at);
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      lanes.stores.push_back({locals_[i].*local, to.expr(), domain_.at(scan.body, at.each, loads), isEach, scan.op});
    }
    return lanes;
  }

  /// What a thread has of a chunk, one element after another.
  ir::Block scanOwn() const {
    ir::Block block = readVectors();
    if (!isAlone()) append(block, set(&ScanLocals::total, totals()));
    if (!isAlone()) append(block, set(&ScanLocals::start, totals()));
    const Value element = areLanesKept() ? kernel_.number(0) : kernel_.axis(layout_.lanes());
    const Value first = slot() + element;
    ir::Block one{{accumulate(elementPlace(element), element, &ScanLocals::total, totalPlace(), true)}};
    append(one, forScans(totalLanes(), [&](std::size_t i) {
             return ir::Store{locals_[i].scanned, first.expr(), read(locals_[i].total, dtypeOf(i), totalPlace()), true, {}};
           }));
    append(block, eachVector(loop(LoopKind::Unrolled, element, std::move(one))));
    if (isAlone()) append(block, eachVector(elementStores()));
    return block;
  }

  ir::Combine combineTotals() const {
    ir::Combine combine;
    combine.threads = group();
    combine.stride = areLanesKept() ? static_cast<int>(layout_.extent(kept, Bind::Thread)) : 1;
    combine.ctas = static_cast<int>(layout_.extent(Bind::Cluster));
    for (std::size_t i = 0; i < locals_.size(); ++i)
      combine.items.push_back({locals_[i].total, nest_.reductions[i].op, locals_[i].start});
    return combine;
  }
  ir::Combine combineCarries() const {
    ir::Combine combine;
    combine.threads = group();
    for (std::size_t i = 0; i < locals_.size(); ++i) combine.items.push_back({locals_[i].carry, nest_.reductions[i].op, {}});
    return combine;
  }

  ir::Block storeAll() const {
    ir::Block block;
    if (hasCarry()) append(block, areLanesKept() ? carryOn() : at_.loops(Bind::Unrolled, carryOn()));
    append(block, eachVector(elementStores()));
    return block;
  }
  /// A start becomes the line's start, and the carry the next line's.
  ir::Block carryOn() const {
    ir::Block block = forScans(totalLanes(), [&](std::size_t i) {
      return ir::Store{locals_[i].start, totalPlace().expr(), read(locals_[i].carry, dtypeOf(i), kernel_.number(0)), true,
                       nest_.reductions[i].op};
    });
    append(block, forScans(totalLanes(), [&](std::size_t i) {
             return ir::Store{locals_[i].carry, kernel_.number(0).expr(), read(locals_[i].total, dtypeOf(i), totalPlace()), true,
                              nest_.reductions[i].op};
           }));
    return block;
  }
  ir::Block elementStores() const {
    const LanePlace at = at_.vector();
    LoadMap loads;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      const Expr* value = read(locals_[i].scanned, dtypeOf(i), slot());
      if (!isAlone()) value = kernel_.pool().make(scan.op, {start(i), value});
      loads[scan.result] = value;
    }
    for (const auto& [load, value] : bindings(at, kernel_.number(0))) loads.emplace(load, value);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, loads);
    const int64_t rest = domain_.inner().extent % layout_.lanes();
    if (areLanesKept() || rest == 0) return {{std::move(lanes)}};
    ir::Lanes last = lanes;
    last.active = kernel_.number(rest).expr();
    const Value isWhole = at_.index(scanned) < layout_.dims[scanned].extent - 1;
    return {{ir::If{isWhole.expr(), {{std::move(lanes)}}, {{std::move(last)}}}}};
  }
  /// Where the vector at hand starts: of columns each lane has its own.
  const Expr* start(std::size_t scan) const {
    if (areLanesKept()) return read(locals_[scan].start, dtypeOf(scan), kernel_.number(0));
    return kernel_.pool().load(locals_[scan].start, dtypeOf(scan), totalPlace().expr());
  }

  /// What the first grid loop does: it leaves what a share of a row comes to.
  ir::Block totalOfSplit() const {
    ir::Block sum = readVectors();
    append(sum, eachVector({{accumulate(at_.vector(), kernel_.number(0), &ScanLocals::carry, kernel_.number(0), false)}}));
    ir::Block all = resetCarry();
    append(all, at_.loops(Bind::Serial, std::move(sum)));
    ir::Block block = at_.onThreads(std::move(all));
    block.push_back({combineCarries()});
    ir::Block leave = forScans(1, [&](std::size_t i) {
      return ir::Store{locals_[i].partial, at_.grid().expr(), read(locals_[i].carry, dtypeOf(i), kernel_.number(0)), true, {}};
    });
    append(block, at_.onThreads(when(at_.thread() == 0, std::move(leave))));
    return block;
  }
  /// The carries of the splits of the row before this one, a thread each.
  ir::Block splitsBefore() const {
    ir::Block body = resetCarry();
    const int64_t block = layout_.extent(Bind::Thread);
    const Value round = kernel_.axis(ceilDiv(gridSplits(), block)), number = round * block + at_.thread();
    ir::Block add = forScans(1, [&](std::size_t i) {
      const Expr* total = kernel_.pool().load(locals_[i].partial, dtypeOf(i), (at_.index(kept) * gridSplits() + number).expr());
      return ir::Store{locals_[i].carry, kernel_.number(0).expr(), total, true, nest_.reductions[i].op};
    });
    append(body, loop(LoopKind::Unrolled, round, when(number < at_.digits(scanned, Bind::Grid), std::move(add))));
    return body;
  }

  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  Placement at_;
  const Layout& layout_;
  const int resident_;
  std::vector<std::pair<const Expr*, int>> held_;  // the loads that a thread reads a chunk at a time, and where
  std::vector<ScanLocals> locals_;
};

}  // namespace

ir::Kernel applyScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                     const LayoutSchedule& schedule) {
  return ScanKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
