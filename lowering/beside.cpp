#include "lowering/beside.h"

#include <algorithm>
#include <map>

#include "ir/walk.h"
#include "lowering/ceil_div.h"
#include "lowering/nest_kernel.h"
#include "lowering/value.h"

namespace lowering {
namespace {

using ir::Expr;

const ir::For& outerLoop(const ir::Kernel& kernel) { return std::get<ir::For>(kernel.body.front().node); }

/// Whether a buffer that one kernel writes is known to the other.
bool interfere(const ir::Kernel& a, const ir::Kernel& b) {
  return std::any_of(a.params.begin(), a.params.end(), [&](const ir::Param& x) {
    return std::any_of(b.params.begin(), b.params.end(), [&](const ir::Param& y) {
      return x.buffer.value == y.buffer.value && (x.buffer.isWritten || y.buffer.isWritten);
    });
  });
}

/// Statements with buffers renumbered and one axis replaced.
class Moved {
 public:
  Moved(ir::ExprPool& pool, std::vector<int> numbers, const Expr* axis, const Expr* by)
      : pool_(pool), numbers_(std::move(numbers)), axis_(axis), by_(by) {}

  ir::Block block(const ir::Block& block) {
    ir::Block moved;
    for (const ir::Statement& one : block) std::visit([&](const auto& node) { moved.push_back({statement(node)}); }, one.node);
    return moved;
  }

 private:
  const Expr* expr(const Expr* root) {
    if (root == nullptr) return nullptr;
    return ir::rewrite(pool_, root, [this](const Expr* node) { return replaced(node); });
  }
  const Expr* replaced(const Expr* node) {
    if (node == axis_) return by_;
    if (node->op != ir::Op::Load) return nullptr;
    return pool_.load(numbers_[static_cast<std::size_t>(node->load().buffer)], node->dtype, expr(node->src[0]),
                      node->load().mode);
  }

  ir::For statement(const ir::For& loop) { return {loop.axis, loop.kind, block(loop.body)}; }
  ir::If statement(const ir::If& branch) { return {expr(branch.condition), block(branch.then), block(branch.otherwise)}; }
  ir::Lanes statement(const ir::Lanes& lanes) {
    ir::Lanes moved{lanes.axis, expr(lanes.active), {}, expr(lanes.first)};
    for (const ir::Store& store : lanes.stores)
      moved.stores.push_back({numbers_[static_cast<std::size_t>(store.param)], expr(store.offset), expr(store.value),
                              store.contiguous, store.accumulate});
    return moved;
  }
  ir::Combine statement(ir::Combine combine) {
    for (ir::Combine::Item& item : combine.items) {
      item.local = numbers_[static_cast<std::size_t>(item.local)];
      if (item.before) item.before = numbers_[static_cast<std::size_t>(*item.before)];
    }
    return combine;
  }

  ir::ExprPool& pool_;
  std::vector<int> numbers_;
  const Expr* axis_;
  const Expr* by_;
};

/// The parameters and locals of two kernels in one, and what the numbers of each become.
class Buffers {
 public:
  Buffers(const ir::Kernel& first, const ir::Kernel& second, ir::Kernel& merged) : merged_(merged) {
    for (const ir::Kernel* kernel : {&first, &second})
      for (const ir::Param& param : kernel->params) addParam(param);
    const std::size_t params = merged.params.size();
    for (const ir::Kernel* kernel : {&first, &second}) {
      std::vector<int> numbers;
      for (const ir::Param& param : kernel->params) numbers.push_back(numberOf(param));
      for (const ir::Local& local : kernel->locals) {
        numbers.push_back(static_cast<int>(params + merged.locals.size()));
        merged.locals.push_back(local);
        merged.locals.back().buffer.name = freeName(local.buffer.name);
      }
      numbers_.push_back(std::move(numbers));
    }
  }
  const std::vector<int>& of(std::size_t kernel) const { return numbers_[kernel]; }

 private:
  int numberOf(const ir::Param& param) const {
    const auto isSame = [&](const ir::Param& other) { return other.buffer.value == param.buffer.value; };
    return static_cast<int>(std::find_if(merged_.params.begin(), merged_.params.end(), isSame) - merged_.params.begin());
  }
  void addParam(const ir::Param& param) {
    if (numberOf(param) == static_cast<int>(merged_.params.size())) merged_.params.push_back(param);
  }
  std::string freeName(const std::string& stem) const {
    const auto isTaken = [&](const std::string& name) {
      const auto has = [&](const auto& owner) { return owner.buffer.name == name; };
      return std::any_of(merged_.params.begin(), merged_.params.end(), has) ||
             std::count_if(merged_.locals.begin(), merged_.locals.end(), has) > (name == stem ? 1 : 0);
    };
    std::string name = stem;
    for (int i = 1; isTaken(name); ++i) name = stem + "_" + std::to_string(i);
    return name;
  }

  ir::Kernel& merged_;
  std::vector<std::vector<int>> numbers_;
};

/// Whether vectors are stored in parameters at multiples of their lanes alone.
bool storesAligned(const ir::Kernel& kernel, const ir::Block& block) {
  const auto isAligned = [&](const ir::Statement& statement) {
    if (const auto* loop = std::get_if<ir::For>(&statement.node)) return storesAligned(kernel, loop->body);
    if (const auto* branch = std::get_if<ir::If>(&statement.node))
      return storesAligned(kernel, branch->then) && storesAligned(kernel, branch->otherwise);
    const auto* lanes = std::get_if<ir::Lanes>(&statement.node);
    if (lanes == nullptr) return true;
    const int64_t count = lanes->axis->axis().extent;
    return std::all_of(lanes->stores.begin(), lanes->stores.end(), [&](const ir::Store& store) {
      if (kernel.local(store.param) != nullptr || !store.contiguous || count == 1) return true;
      const auto form = ir::affine(store.offset);
      return form && form->constant % count == 0 &&
             std::all_of(form->coefficients.begin(), form->coefficients.end(),
                         [&](const auto& term) { return term.second % count == 0; });
    });
  };
  return std::all_of(block.begin(), block.end(), isAligned);
}

/// What two kernels in one have beside parameters, locals and statements; launched as the first one is.
ir::Kernel withoutStatements(const ir::Kernel& first, const ir::Kernel& second) {
  ir::Kernel merged;
  merged.name = first.name;
  merged.backend = first.backend;
  merged.pool = first.pool;
  merged.launch = first.launch;
  merged.index32 = first.index32 && second.index32;
  merged.relaxedMath = first.relaxedMath && second.relaxedMath;
  return merged;
}

}  // namespace

std::optional<ir::Kernel> beside(const ir::Kernel& first, const ir::Kernel& second) {
  const bool fits = first.backend == ir::Backend::Cuda && second.backend == ir::Backend::Cuda && first.pool == second.pool &&
                    first.launch.block == second.launch.block && second.launch.cluster == 1 && !first.launch.team &&
                    first.body.size() == 1 && second.body.size() == 1 && !interfere(first, second);
  if (!fits) return std::nullopt;
  ir::ExprPool& pool = *first.pool;
  const int64_t cluster = first.launch.cluster, clusters = ceilDiv(second.launch.grid, cluster);

  ir::Kernel merged = withoutStatements(first, second);
  merged.launch.grid = first.launch.grid + clusters;
  merged.launch.resident = 0;
  const Buffers buffers(first, second, merged);

  const Value number{pool, pool.axis(merged.launch.grid)};
  const Value rank = cluster == 1 ? Value{pool, pool.integer(ir::DType::I64, 0)} : Value{pool, pool.axis(cluster)};
  const Value cta = (number - static_cast<double>(first.launch.grid)) * static_cast<double>(cluster) + rank;
  Moved ofFirst(pool, buffers.of(0), outerLoop(first).axis, number.expr());
  Moved ofSecond(pool, buffers.of(1), outerLoop(second).axis, cta.expr());
  ir::Block then = ofFirst.block(outerLoop(first).body), otherwise = ofSecond.block(outerLoop(second).body);
  if (clusters * cluster > second.launch.grid) {
    const Value exists = cta < static_cast<double>(second.launch.grid);
    otherwise = {{ir::If{exists.expr(), std::move(otherwise), {}}}};
  }
  if (cluster > 1) otherwise = {{ir::For{rank.expr(), ir::LoopKind::Cluster, std::move(otherwise)}}};
  const Value isFirst = number < static_cast<double>(first.launch.grid);
  ir::Block body;
  body.push_back({ir::If{isFirst.expr(), std::move(then), std::move(otherwise)}});
  merged.body.push_back({ir::For{number.expr(), ir::LoopKind::Grid, std::move(body)}});
  return merged;
}

std::optional<ir::Kernel> inTasksOf(const ir::Kernel& second, const ir::Kernel& first) {
  const bool fits = first.backend == ir::Backend::Cpu && second.backend == ir::Backend::Cpu && first.pool == second.pool &&
                    first.body.size() == 1 && second.body.size() > 1 && first.launch.tasks > second.launch.tasks &&
                    !interfere(first, second) && (!first.streamStores || storesAligned(second, second.body));
  if (!fits) return std::nullopt;
  ir::ExprPool& pool = *first.pool;
  ir::Kernel merged = withoutStatements(first, second);
  merged.streamStores = first.streamStores;
  merged.launch = second.launch;
  const Buffers buffers(first, second, merged);

  const int64_t tasks = second.launch.tasks, each = ceilDiv(first.launch.tasks, tasks);
  const Value task{pool, pool.axis(tasks)}, step{pool, pool.axis(each)};
  const Value number = task * static_cast<double>(each) + step;
  Moved ofFirst(pool, buffers.of(0), outerLoop(first).axis, number.expr());
  Moved ofSecond(pool, buffers.of(1), outerLoop(second).axis, task.expr());
  ir::Block body = loop(ir::LoopKind::Serial, step,
                        when(within(number, each * tasks, first.launch.tasks), ofFirst.block(outerLoop(first).body)));
  append(body, ofSecond.block(outerLoop(second).body));
  merged.body.push_back({ir::For{task.expr(), ir::LoopKind::Task, std::move(body)}});
  append(merged.body, ofSecond.block({second.body.begin() + 1, second.body.end()}));
  return merged;
}

}  // namespace lowering
