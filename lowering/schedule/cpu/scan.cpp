// Scans on a CPU: a task a row, or a tile of columns in vectors; elements one after another.
#include "ir/index/ceil_div.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/nest_kernel.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::LoopKind;

class TaskScan {
 public:
  TaskScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain, const ir::Target& target,
           const TaskSchedule& schedule)
      : schedule_(schedule),
        kernel_(loops, nest, domain, target),
        nest_(nest),
        domain_(domain),
        lanes_(schedule.lanes),
        tasks_(kernel_.pool(), domain, schedule, Along::Columns, target) {}

  ir::Kernel build() {
    kernel_.addAccumulators(tasks_.tile(), lanes_);
    for (const Reduction& scan : nest_.reductions)
      if (isBlocked()) blocks_.push_back(kernel_.addLocal("block", scan.body->dtype, tasks_.tile(), ir::Space::Private, lanes_));
    return kernel_.assemble(tasks_.launch(), tasks_.forTasks(tasks_.forPiece([&](int64_t columns) { return line(columns); })));
  }

 private:
  bool isBlocked() const { return schedule_.block > 0; }
  int running(std::size_t scan) const { return isBlocked() ? blocks_[scan] : kernel_.accumulator(scan); }

  /// All elements of the task's row or columns.
  ir::Block line(int64_t columns) const {
    ir::Block block = reset(columns, [&](std::size_t i) { return kernel_.accumulator(i); });
    const int64_t each = isBlocked() ? schedule_.block : 1, whole = tasks_.elements() / each, rest = tasks_.elements() % each;
    const Value number = kernel_.axis(whole);
    if (whole > 0) append(block, loop(LoopKind::Serial, number, elements(columns, number * each, each)));
    if (rest > 0) append(block, elements(columns, kernel_.number(whole * each), rest));
    return block;
  }
  ir::Block elements(int64_t columns, Value start, int64_t count) const {
    const auto at = [&](Value element) {
      return tasks_.across(columns, [&](Value column) { return this->element(column, element); });
    };
    if (!isBlocked()) return at(start);
    ir::Block block = reset(columns, [&](std::size_t i) { return blocks_[i]; });
    const Value inside = kernel_.axis(count);
    append(block, loop(lanes_ == 1 ? LoopKind::Unrolled : LoopKind::Serial, inside, at(start + inside)));
    append(block, forScans(columns, [&](std::size_t i, Value column) {
             return ir::Store{kernel_.accumulator(i), column.expr(), read(blocks_[i], i, column), true, nest_.reductions[i].op};
           }));
    return block;
  }

  /// One element of a vector of columns: combined with what is before it, then stored.
  ir::Block element(Value column, Value element) const {
    const LanePlace at = tasks_.vector(column, element);
    LoadMap loads = readLanes(kernel_.pool(), domain_, at);
    ir::Lanes combines = kernel_.lanes(at), stores = kernel_.lanes(at);
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      combines.stores.push_back({running(i), column.expr(), domain_.at(scan.body, at.each, loads), true, scan.op});
    }
    for (std::size_t i = 0; i < nest_.reductions.size(); ++i) {
      const Reduction& scan = nest_.reductions[i];
      const Expr* value = read(running(i), i, column);
      if (isBlocked()) value = kernel_.pool().make(scan.op, {read(kernel_.accumulator(i), i, column), value});
      loads[scan.result] = value;
    }
    stores.stores = kernel_.elementStores(at, loads);
    return {{std::move(combines)}, {std::move(stores)}};
  }

  const Expr* read(int local, std::size_t scan, Value column) const {
    return kernel_.vector(local, nest_.reductions[scan].body->dtype, column.expr());
  }
  /// A store of each scan for all whole vectors that hold so many columns.
  ir::Block forScans(int64_t columns, const std::function<ir::Store(std::size_t scan, Value column)>& store) const {
    return tasks_.across(ceilDiv(columns, lanes_) * lanes_, [&](Value column) {
      ir::Lanes all;
      all.axis = kernel_.pool().axis(lanes_);
      for (std::size_t i = 0; i < nest_.reductions.size(); ++i) all.stores.push_back(store(i, column));
      return ir::Block{{std::move(all)}};
    });
  }
  ir::Block reset(int64_t columns, const std::function<int(std::size_t)>& local) const {
    return forScans(columns, [&](std::size_t i, Value column) {
      const Expr* identity = kernel_.pool().identity(nest_.reductions[i].op, nest_.reductions[i].body->dtype);
      return ir::Store{local(i), column.expr(), identity, true, {}};
    });
  }

  const TaskSchedule schedule_;
  NestKernel kernel_;
  const ReductionNest& nest_;
  const IterationDomain& domain_;
  const int lanes_;
  Tasks tasks_;
  std::vector<int> blocks_;
};

}  // namespace

ir::Kernel applyTaskScan(const ir::Loops& loops, const ReductionNest& nest, const IterationDomain& domain,
                         const ir::Target& target, const TaskSchedule& schedule) {
  return TaskScan(loops, nest, domain, target, schedule).build();
}

}  // namespace lowering
