#include <algorithm>
#include <bit>
#include <set>

#include "ir/index/ceil_div.h"
#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/heuristics/limits.h"
#include "lowering/schedule/apply.h"
#include "lowering/schedule/cpu/tasks.h"
#include "lowering/schedule/cpu/vectors.h"
#include "lowering/schedule/vectorize.h"

namespace lowering {
namespace {

using ir::Expr;

bool isRoot(ir::Op op) { return op == ir::Op::Sqrt || op == ir::Op::Rsqrt || op == ir::Op::Div; }

/// Cuts the domain into tasks: blocks of a long row, whole rows, or blocks of the flat domain where rows are very short.
class TaskBody {
 public:
  TaskBody(const ir::Loops& loops, const IterationDomain& domain, const ir::Target& target)
      : loops_(loops),
        domain_(domain),
        target_(target),
        isFlat_(domain.dims().size() > 1 && domain.inner().extent < limits::cpu::shortestRow) {
    rowElements_ = isFlat_ ? domain.numel() : domain.inner().extent;
    lanes_ = cpuLanes(loops, domain, domain.innermost(), target);
    lanes_ = std::min(lanes_, static_cast<int>(std::bit_ceil(static_cast<uint64_t>(rowElements_))));
    rows_ = domain.numel() / rowElements_;
    block_ = std::min(rowElements_, limits::cpu::rowBlock);
    blocks_ = (rowElements_ + block_ - 1) / block_;
    rowsPerTask_ = chooseRowsPerTask();
  }

  int64_t tasks() const { return ceilDiv(rows_, rowsPerTask_) * blocks_; }
  int64_t taskElements() const { return block_ * rowsPerTask_; }
  bool alignsStores() const {
    const ElementStores stores = domain_.stores();
    return isFlat_ || rowsPerTask_ > 1 ? areAligned(domain_, stores, domain_.innermost(), lanes_, target_)
                                       : canAlign(domain_, stores, rowElements_ - (blocks_ - 1) * block_, lanes_, target_);
  }

  ir::Block build(const Expr* task) const {
    const Value number{*loops_.pool, task};
    const Value row = blocks_ == 1 ? number : floorDiv(number, blocks_);
    const Value block = rows_ == rowsPerTask_ ? number : mod(number, blocks_);
    const Value start = blocks_ == 1 ? number.like(0) : block * block_;
    const int64_t last = rowElements_ - (blocks_ - 1) * block_;
    if (last == block_) return vectors(row, start, block_);
    return {{ir::If{(block < blocks_ - 1).expr(), vectors(row, start, block_), vectors(row, start, last)}}};
  }

 private:
  ir::Block vectors(Value row, Value start, int64_t count) const {
    std::optional<Head> head;
    if (!isFlat_ && rowsPerTask_ == 1)
      head = headOf(*loops_.pool, domain_, domain_.stores(), place(row, start, start).base, count, lanes_, target_);
    CpuVectors vectors{lanes_};
    if (rowsPerTask_ > 1) {
      vectors.repeat = Value{*loops_.pool, loops_.pool->axis(rowsPerTask_)};
      row = row * rowsPerTask_ + *vectors.repeat;
    }
    return vectors.along(start, count, head, [&](Value column, Value) {
      const Value lane{*loops_.pool, loops_.pool->axis(lanes_)};
      return vectorize(loops_, domain_, place(row, column, lane), nullptr);
    });
  }

  /// Several rows where these share what takes long to compute, such as a root for each column: a vector of it then serves all.
  int64_t chooseRowsPerTask() const {
    if (isFlat_ || rows_ == 1 || !sharesColumns()) return 1;
    int64_t together = std::min(rows_, limits::cpu::hoistingRows);
    while (rows_ % together != 0) --together;
    return together;
  }
  bool sharesColumns() const {
    std::set<const Expr*> ofColumns(domain_.inner().axes.begin(), domain_.inner().axes.end()), ofRows;
    for (std::size_t d = 0; d < domain_.innermost(); ++d)
      ofRows.insert(domain_.dims()[d].axes.begin(), domain_.dims()[d].axes.end());
    std::vector<const Expr*> values;
    for (const ir::StoreTo& store : loops_.stores) values.push_back(store.value);
    bool found = false;
    for (const Expr* node : ir::postorder(values)) {
      const auto dependsOn = [&](const std::set<const Expr*>& nodes) {
        return std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return nodes.contains(x); });
      };
      if (dependsOn(ofColumns)) ofColumns.insert(node);
      if (dependsOn(ofRows)) ofRows.insert(node);
      found = found || ((ir::isFunction(node->op) || isRoot(node->op)) && ofColumns.contains(node) && !ofRows.contains(node));
    }
    return found;
  }

  LanePlace place(Value row, Value column, Value lane) const {
    const std::size_t inner = domain_.innermost();
    LanePlace place;
    place.dim = inner;
    place.lane = lane.expr();
    if (isFlat_) {
      place.flat = column.expr();
      place.each = domain_.unflatten((column + lane).expr(), 0, inner + 1);
    } else {
      place.base = inner == 0 ? Position{} : domain_.unflatten(row.expr(), 0, inner);
      place.each = place.base;
      place.base.push_back(column.expr());
      place.each.push_back((column + lane).expr());
    }
    return place;
  }

  const ir::Loops& loops_;
  const IterationDomain& domain_;
  const ir::Target& target_;
  bool isFlat_;
  int lanes_;
  int64_t rowElements_, rows_, block_, blocks_;
  int64_t rowsPerTask_ = 1;  // rows of a task
};

}  // namespace

ir::Kernel applyCpuPointwise(const ir::Loops& loops, const IterationDomain& domain, const ir::Target& target) {
  const TaskBody body(loops, domain, target);
  ir::Kernel kernel;
  kernel.name = loops.name;
  kernel.backend = ir::Backend::Cpu;
  kernel.pool = loops.pool;
  kernel.relaxedMath = allowsRelaxedMath(loops);
  kernel.streamStores = body.alignsStores() && exceedsCaches(loops, target);
  kernel.params = parameters(loops, target);
  kernel.launch.tasks = body.tasks();
  kernel.launch.grain = cpuGrain(loops, domain, body.taskElements());
  const Expr* task = loops.pool->axis(kernel.launch.tasks);
  kernel.body = {{ir::For{task, ir::LoopKind::Task, body.build(task)}}};
  return kernel;
}

}  // namespace lowering
