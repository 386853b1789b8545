// Reductions along memory on a CPU: a task a row, or, where rows are few and long, a share of one.
#include <algorithm>
#include <bit>

#include "lowering/ceil_div.h"
#include "lowering/cpu_tasks.h"
#include "lowering/cpu_vectors.h"
#include "lowering/nest_kernel.h"
#include "lowering/schedule.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

constexpr int accumulators = 2;             // vectors that sums are spread over, so that one addition need not wait for another
constexpr int64_t shareElements = 1 << 15;  // of a row: the least that a thread takes

class CpuRowKernel {
 public:
  CpuRowKernel(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target)
      : kernel_(loops, nest, domain, ir::Backend::Cpu, 64),
        loops_(loops),
        nest_(nest),
        domain_(domain),
        target_(target),
        lanes_(std::min(cpuLanes(loops, domain, domain.innermost(), target),
                        static_cast<int>(std::bit_ceil(static_cast<uint64_t>(domain.inner().extent))))),
        rows_(domain.numel(0, domain.elementDims())),
        runs_(domain.numel(domain.elementDims(), domain.innermost())),
        shares_(chooseShares(target)),
        task_(kernel_.pool(), kernel_.pool().axis(rows_ * shares_)) {}

  ir::Kernel build() {
    kernel_.addAccumulators(1, 1);
    for (const Reduction& reduction : nest_.reductions)
      vectors_.push_back(kernel_.addLocal("lanes", reduction.body->dtype, accumulators * lanes_, ir::Space::Register, lanes_));
    ir::Launch launch;
    launch.tasks = rows_ * shares_;
    launch.grain = cpuGrain(loops_, domain_, domain_.numel() / launch.tasks);
    ir::Block body, task;
    for (int pass = 0; pass < nest_.passes(); ++pass) append(task, reduce(pass));
    if (shares_ == 1) {
      append(task, elementStores());
      append(task, rowStores(row(), {}));
      body.push_back({ir::For{task_.expr(), LoopKind::Task, std::move(task)}});
    } else {
      launch.grain = 1;
      for (const Reduction& reduction : nest_.reductions)
        shared_.push_back(kernel_.addLocal("share", reduction.body->dtype, rows_ * shares_, ir::Space::Global));
      append(task, leaveShare());
      body.push_back({ir::For{task_.expr(), LoopKind::Task, std::move(task)}});
      append(body, combineShares());
    }
    ir::Kernel kernel = kernel_.finish(launch, std::move(body));
    kernel.streamStores = runs_ == 1 && alignsStores() && exceedsCaches(loops_, target_);
    return kernel;
  }

 private:
  /// Whether every element is stored in vectors that are aligned, but for the ends of rows.
  bool alignsStores() const {
    const ElementStores stores = elementAccesses();
    if (stores.empty() || areAligned(domain_, stores, lanes_)) return !stores.empty();
    const Position origin(domain_.dims().size(), kernel_.number(0).expr());
    return headOf(kernel_.pool(), domain_, stores, origin, domain_.inner().extent, lanes_, target_).has_value();
  }
  /// More than one where rows alone do not keep all threads busy and nothing but reductions of the first pass is asked for.
  int64_t chooseShares(const ir::Target& target) const {
    if (nest_.passes() > 1 || !nest_.elementStores.empty() || rows_ >= target.processors) return 1;
    const int64_t parts = runs_ > 1 ? runs_ : domain_.inner().extent / lanes_;
    const int64_t rowElements = runs_ * domain_.inner().extent;
    return std::max<int64_t>(1, std::min({int64_t{target.processors}, parts, rowElements / shareElements}));
  }

  Value row() const { return shares_ == 1 ? task_ : floorDiv(task_, double(shares_)); }
  Value share() const { return shares_ == 1 ? kernel_.number(0) : mod(task_, double(shares_)); }
  bool sharesRuns() const { return shares_ > 1 && runs_ > 1; }

  LanePlace place(Value row, Value run, Value column, int lanes) const {
    LanePlace place;
    const Value lane{kernel_.pool(), kernel_.pool().axis(lanes)};
    place.lane = lane.expr();
    place.dim = domain_.innermost();
    place.base = domain_.unflatten(row.expr(), 0, domain_.elementDims());
    const Position runs = domain_.unflatten(run.expr(), domain_.elementDims(), domain_.innermost());
    place.base.insert(place.base.end(), runs.begin(), runs.end());
    place.each = place.base;
    place.base.push_back(column.expr());
    place.each.push_back((column + lane).expr());
    return place;
  }

  /// What is done with a vector: its place, and the number of the accumulator it goes to.
  using Use = std::function<ir::Lanes(const LanePlace&, Value accumulator)>;

  /// `count` elements of a run from `start` on, vectors in turn for each accumulator, in which stores are aligned.
  ir::Block along(Value run, Value start, int64_t count, ElementStores aligned, const Use& use) const {
    const std::optional<Head> head =
        headOf(kernel_.pool(), domain_, aligned, place(row(), run, start, 1).base, count, lanes_, target_);
    return CpuVectors{lanes_, accumulators}.along(
        start, count, head, [&](Value column, Value turn) { return use(place(row(), run, column, lanes_), turn); });
  }

  ElementStores elementAccesses() const { return ElementStores(domain_.stores()).subspan(nest_.rowStores.size()); }

  /// Every element of the row, or of the task's share of it, in vectors in which stores are aligned.
  ir::Block sweep(ElementStores aligned, const Use& use) const {
    const int64_t extent = domain_.inner().extent;
    if (shares_ > 1 && !sharesRuns()) {
      const int64_t least = extent / shares_ / lanes_ * lanes_, last = extent - least * (shares_ - 1);
      const Value start = share() * double(least);
      if (least == last) return along(kernel_.number(0), start, least, aligned, use);
      ir::Block block;
      const Value isLast = share() == double(shares_ - 1);
      block.push_back({ir::If{isLast.expr(), along(kernel_.number(0), start, last, aligned, use),
                              along(kernel_.number(0), start, least, aligned, use)}});
      return block;
    }
    const int64_t each = ceilDiv(runs_, shares_);
    const Value step = kernel_.axis(each);
    const Value run = sharesRuns() ? share() * double(each) + step : step;
    return loop(LoopKind::Serial, step,
                when(within(run, each * shares_, runs_), along(run, kernel_.number(0), extent, aligned, use)));
  }

  ir::Block reduce(int pass) const {
    const std::vector<std::size_t> reductions = kernel_.reductionsOf(pass);
    ir::Block block;
    ir::Lanes reset;
    reset.axis = kernel_.pool().axis(accumulators * lanes_);
    for (std::size_t i : reductions)
      reset.stores.push_back({vectors_[i],
                              kernel_.number(0).expr(),
                              kernel_.pool().neutral(nest_.reductions[i].op, nest_.reductions[i].body->dtype),
                              true,
                              {}});
    block.push_back({std::move(reset)});
    block.push_back(kernel_.reset(reductions, 1));
    append(block, sweep(runs_ == 1 ? elementAccesses() : ElementStores(), [&](const LanePlace& at, Value accumulator) {
             const LoadMap loads = readLanes(kernel_.pool(), domain_, at);
             ir::Lanes lanes = kernel_.lanes(at);
             for (std::size_t i : reductions) {
               const Reduction& reduction = nest_.reductions[i];
               lanes.stores.push_back({vectors_[i], (accumulator * double(lanes_)).expr(),
                                       domain_.at(reduction.body, at.each, loads), true, reduction.op});
             }
             return lanes;
           }));
    ir::Lanes across;
    across.axis = kernel_.pool().axis(accumulators * lanes_);
    for (std::size_t i : reductions) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* lanes =
          kernel_.pool().load(vectors_[i], reduction.body->dtype, kernel_.number(0).expr(), ir::LoadMode::Contiguous);
      across.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), lanes, false, reduction.op});
    }
    block.push_back({std::move(across)});
    return block;
  }

  ir::Block elementStores() const {
    if (nest_.elementStores.empty()) return {};
    return sweep(elementAccesses(), [&](const LanePlace& at, Value) {
      ir::Lanes lanes = kernel_.lanes(at);
      lanes.stores = kernel_.elementStores(at, readLanes(kernel_.pool(), domain_, at));
      return lanes;
    });
  }

  ir::Block rowStores(Value row, LoadMap results) const {
    if (nest_.rowStores.empty()) return {};
    const LanePlace at = place(row, kernel_.number(0), kernel_.number(0), 1);
    ir::Lanes lanes = kernel_.lanes(at);
    lanes.stores = kernel_.rowStores(at, readLanes(kernel_.pool(), domain_, at, std::move(results)));
    ir::Block block;
    block.push_back({std::move(lanes)});
    return block;
  }

  ir::Block leaveShare() const {
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Expr* result = nest_.reductions[i].result;
      lanes.stores.push_back({shared_[i], task_.expr(), result, true, {}});
    }
    ir::Block block;
    block.push_back({std::move(lanes)});
    return block;
  }

  ir::Block combineShares() const {
    const Value row = kernel_.axis(rows_), share = kernel_.axis(shares_);
    ir::Block body, add;
    body.push_back(kernel_.reset(kernel_.reductionsOf(0), 1));
    ir::Lanes lanes;
    lanes.axis = kernel_.pool().axis(1);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& reduction = nest_.reductions[i];
      const Expr* left = kernel_.pool().load(shared_[i], reduction.body->dtype, (row * double(shares_) + share).expr());
      lanes.stores.push_back({kernel_.accumulator(i), kernel_.number(0).expr(), left, false, reduction.op});
    }
    add.push_back({std::move(lanes)});
    append(body, loop(LoopKind::Serial, share, std::move(add)));
    append(body, rowStores(row, {}));
    return loop(LoopKind::Serial, row, std::move(body));
  }

  NestKernel kernel_;
  const ir::Loops& loops_;
  const Nest& nest_;
  const Domain& domain_;
  const ir::Target& target_;
  int lanes_;
  int64_t rows_, runs_, shares_;
  Value task_;
  std::vector<int> vectors_, shared_;
};

}  // namespace

ir::Kernel scheduleCpuRows(const ir::Loops& loops, const Nest& nest, const Domain& domain, const ir::Target& target) {
  return CpuRowKernel(loops, nest, domain, target).build();
}

}  // namespace lowering
