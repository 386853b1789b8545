// Scans: threads take neighbouring vectors of a row, or elements of a column, and start from what those before them came to.
#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/nest_kernel.h"

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
             const ScanSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        cluster_(kernel_.axis(clusters())),
        rank_(kernel_.axis(schedule.ctas)),
        thread_(kernel_.axis(schedule.block)),
        chunk_(kernel_.axis(schedule.chunks())),
        step_(kernel_.axis(schedule.steps)),
        split_(schedule.gridSplits == 1 ? kernel_.number(0)
               : schedule.lines == 1    ? cluster_
                                        : mod(cluster_, schedule.gridSplits)) {}

  ir::Kernel build() {
    addLocals();
    ir::Block body;
    if (schedule_.gridSplits > 1) append(body, gridLoop(cluster_, totalOfSplit()));
    ir::Block before = schedule_.gridSplits > 1 ? splitsBefore() : resetCarry();
    ir::Block grid = before.empty() ? std::move(before) : onThreads(std::move(before));
    if (schedule_.gridSplits > 1) grid.push_back({combineCarries()});
    ir::Block chunk = onThreads(scanOwn());
    if (!isAlone()) {
      chunk.push_back({combineTotals()});
      append(chunk, onThreads(storeAll()));
    }
    append(grid, loop(LoopKind::Serial, chunk_, std::move(chunk)));
    append(body, gridLoop(cluster_, std::move(grid)));
    ir::Launch launch;
    launch.grid = clusters();
    launch.cluster = schedule_.ctas;
    launch.block = schedule_.block;
    launch.resident = schedule_.resident;
    return kernel_.assemble(launch, std::move(body));
  }

 private:
  int64_t clusters() const {
    return schedule_.gridSplits > 1 ? schedule_.lines * schedule_.gridSplits : ceilDiv(schedule_.lines, linesPerCta());
  }
  int64_t linesPerCta() const { return schedule_.linesPerCta(); }
  /// Whether one thread has all of a line: what it found before goes on in `total`.
  bool isAlone() const { return schedule_.group * schedule_.splits() == 1; }
  /// Whether anything comes after what a thread has at once, or before its first.
  bool hasCarry() const {
    return !isAlone() && (schedule_.chunks() > 1 || schedule_.gridSplits > 1 || (!schedule_.columns && schedule_.steps > 1));
  }
  /// Elements of `total` and `start`, and those that one statement has of them.
  int64_t totals() const { return schedule_.columns ? schedule_.lanes : isAlone() ? 1 : schedule_.steps; }
  int totalLanes() const { return schedule_.columns ? schedule_.lanes : 1; }
  Value totalPlace() const { return schedule_.columns || isAlone() ? kernel_.number(0) : step_; }

  Value line() const {
    if (schedule_.gridSplits > 1) return schedule_.lines == 1 ? kernel_.number(0) : floorDiv(cluster_, schedule_.gridSplits);
    if (linesPerCta() == 1) return cluster_;
    if (linesPerCta() == schedule_.block) return cluster_ * linesPerCta() + thread_;
    const int own = schedule_.columns ? schedule_.across : schedule_.group;
    return cluster_ * linesPerCta() + (schedule_.columns ? mod(thread_, own) : floorDiv(thread_, own));
  }
  Value inGroup() const {
    if (schedule_.columns) return schedule_.group == 1 ? kernel_.number(0) : floorDiv(thread_, schedule_.across);
    return schedule_.group == schedule_.block ? thread_ : mod(thread_, schedule_.group);
  }
  /// The vector of its line that a thread takes in a step: of rows neighbours take turns, of columns each has some in a row.
  Value vector() const {
    const Value first = (split_ * schedule_.chunks() + chunk_) * schedule_.chunk();
    const Value member = rank_ * schedule_.group + inGroup();
    if (schedule_.columns) return first + member * schedule_.steps + step_;
    return first + step_ * (schedule_.ctas * schedule_.group) + member;
  }
  Condition isLine() const {
    return schedule_.gridSplits > 1 ? Condition() : within(line(), clusters() * linesPerCta(), schedule_.lines);
  }
  Condition isVector() const {
    return within(vector(), schedule_.chunks() * schedule_.chunk() * schedule_.gridSplits, schedule_.vectors);
  }

  /// `lanes` elements of a vector from the `first`th on.
  LanePlace place(int lanes, Value first) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes)};
    place.lane = lane.expr();
    place.alignment = lanes;
    const int width = schedule_.lanes;
    if (schedule_.columns) {
      place.dim = domain_.elementDims() - 1;
      const int64_t inRow = domain_.dims()[place.dim].extent / schedule_.lanes;
      if (place.dim > 0) place.base = domain_.unflatten(floorDiv(line(), inRow).expr(), 0, place.dim);
      place.each = place.base;
      const Value column = (place.dim > 0 ? mod(line(), inRow) : line()) * width;
      place.base.insert(place.base.end(), {column.expr(), vector().expr()});
      place.each.insert(place.each.end(), {(column + lane).expr(), vector().expr()});
    } else {
      place.dim = domain_.innermost();
      place.base = domain_.unflatten(line().expr(), 0, domain_.elementDims());
      place.each = place.base;
      const Value start = vector() * width + first;
      place.base.push_back(start.expr());
      place.each.push_back((start + lane).expr());
    }
    return place;
  }
  LanePlace vectorPlace() const { return place(schedule_.lanes, kernel_.number(0)); }

  ir::Block onThreads(ir::Block body) const {
    return loop(LoopKind::Cluster, rank_, loop(LoopKind::Thread, thread_, std::move(body)));
  }
  ir::Block eachVector(ir::Block body) const {
    return when(isLine(), loop(LoopKind::Unrolled, step_, when(isVector(), std::move(body))));
  }

  void addLocals() {
    const int64_t elements = schedule_.steps * schedule_.lanes;
    kernel_.addAccumulators(totals(), totalLanes());
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const DType dtype = nest_.reductions[i].body->dtype;
      const auto add = [&](const char* stem, int64_t count, int lanes) {
        return kernel_.addLocal(stem, dtype, count, ir::Space::Private, lanes);
      };
      ScanLocals locals;
      locals.scanned = add("scanned", elements, schedule_.lanes);
      locals.total = kernel_.accumulator(i);
      if (!isAlone()) locals.start = add("start", totals(), totalLanes());
      if (hasCarry()) locals.carry = add("carry", totalLanes(), totalLanes());
      if (schedule_.gridSplits > 1) locals.partial = kernel_.addLocal("partial_result", dtype, clusters(), ir::Space::Global);
      locals_.push_back(locals);
    }
    for (const Access& access : domain_.loads()) {
      if (!domain_.moves(access, domain_.elementDims(), domain_.dims().size())) continue;
      if (access.form && schedule_.columns && domain_.isUniform(access, domain_.elementDims() - 1)) continue;
      held_.emplace_back(access.node, kernel_.addLocal(kernel_.bufferName(access.buffer) + "_held", access.node->dtype, elements,
                                                       ir::Space::Private, schedule_.lanes));
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
    const LanePlace at = vectorPlace();
    const LoadMap memory = readLanes(kernel_.pool(), domain_, at);
    ir::Lanes lanes = kernel_.lanes(at);
    for (const auto& [load, local] : held_)
      lanes.stores.push_back({local, (step_ * schedule_.lanes).expr(), memory.at(load), true, {}});
    return eachVector({{std::move(lanes)}});
  }
  /// What loads are read as at a place that starts with the `first`th element of a vector.
  LoadMap bindings(const LanePlace& at, Value first) const {
    LoadMap map;
    for (const auto& [load, local] : held_) map[load] = read(local, load->dtype, step_ * schedule_.lanes + first);
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
    const Value element = schedule_.columns ? kernel_.number(0) : kernel_.axis(schedule_.lanes);
    const Value first = step_ * schedule_.lanes + element;
    ir::Block one{{accumulate(place(totalLanes(), element), element, &ScanLocals::total, totalPlace(), true)}};
    append(one, forScans(totalLanes(), [&](std::size_t i) {
             return ir::Store{locals_[i].scanned, first.expr(), read(locals_[i].total, dtypeOf(i), totalPlace()), true, {}};
           }));
    append(block, eachVector(loop(LoopKind::Unrolled, element, std::move(one))));
    if (isAlone()) append(block, eachVector(elementStores()));
    return block;
  }

  ir::Combine combineTotals() const {
    ir::Combine combine;
    combine.threads = schedule_.group;
    combine.stride = schedule_.columns ? schedule_.across : 1;
    combine.ctas = schedule_.ctas;
    for (std::size_t i = 0; i < locals_.size(); ++i)
      combine.items.push_back({locals_[i].total, nest_.reductions[i].op, locals_[i].start});
    return combine;
  }
  ir::Combine combineCarries() const {
    ir::Combine combine;
    combine.threads = schedule_.group;
    for (std::size_t i = 0; i < locals_.size(); ++i) combine.items.push_back({locals_[i].carry, nest_.reductions[i].op, {}});
    return combine;
  }

  ir::Block storeAll() const {
    ir::Block block;
    if (hasCarry()) append(block, schedule_.columns ? carryOn() : loop(LoopKind::Unrolled, step_, carryOn()));
    append(block, eachVector(elementStores()));
    return block;
  }
  /// A start becomes that of the line, and the carry that of what comes next.
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
    const LanePlace at = vectorPlace();
    LoadMap loads;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      const Expr* value = read(locals_[i].scanned, dtypeOf(i), step_ * schedule_.lanes);
      if (!isAlone()) value = kernel_.pool().make(scan.op, {start(i), value});
      loads[scan.result] = value;
    }
    for (const auto& [load, value] : bindings(at, kernel_.number(0))) loads.emplace(load, value);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.elementStores(at, loads);
    const int64_t rest = domain_.inner().extent % schedule_.lanes;
    if (schedule_.columns || rest == 0) return {{std::move(lanes)}};
    ir::Lanes last = lanes;
    last.active = kernel_.number(rest).expr();
    const Value isWhole = vector() < schedule_.vectors - 1;
    return {{ir::If{isWhole.expr(), {{std::move(lanes)}}, {{std::move(last)}}}}};
  }
  /// Where the vector at hand starts: of columns each lane has its own.
  const Expr* start(std::size_t scan) const {
    if (schedule_.columns) return read(locals_[scan].start, dtypeOf(scan), kernel_.number(0));
    return kernel_.pool().load(locals_[scan].start, dtypeOf(scan), totalPlace().expr());
  }

  /// What the first grid loop does: it leaves what a share of a row comes to.
  ir::Block totalOfSplit() const {
    ir::Block sum = readVectors();
    append(sum, eachVector({{accumulate(vectorPlace(), kernel_.number(0), &ScanLocals::carry, kernel_.number(0), false)}}));
    ir::Block all = resetCarry();
    append(all, loop(LoopKind::Serial, chunk_, std::move(sum)));
    ir::Block block = onThreads(std::move(all));
    block.push_back({combineCarries()});
    ir::Block leave = forScans(1, [&](std::size_t i) {
      return ir::Store{locals_[i].partial, cluster_.expr(), read(locals_[i].carry, dtypeOf(i), kernel_.number(0)), true, {}};
    });
    append(block, onThreads(when(thread_ == 0, std::move(leave))));
    return block;
  }
  /// The carries of the splits of the row before this one, a thread each.
  ir::Block splitsBefore() const {
    ir::Block block = resetCarry();
    const Value round = kernel_.axis(ceilDiv(schedule_.gridSplits, schedule_.block));
    const Value number = round * schedule_.block + thread_;
    ir::Block add = forScans(1, [&](std::size_t i) {
      const Expr* total = kernel_.pool().load(locals_[i].partial, dtypeOf(i), (line() * schedule_.gridSplits + number).expr());
      return ir::Store{locals_[i].carry, kernel_.number(0).expr(), total, true, nest_.reductions[i].op};
    });
    append(block, loop(LoopKind::Unrolled, round, when(number < split_, std::move(add))));
    return block;
  }

  const ScanSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  Value cluster_, rank_, thread_, chunk_, step_, split_;
  std::vector<std::pair<const Expr*, int>> held_;  // the loads that a thread reads a chunk at a time, and where
  std::vector<ScanLocals> locals_;
};

}  // namespace

ir::Kernel applyScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
                     const ScanSchedule& schedule) {
  return ScanKernel(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
