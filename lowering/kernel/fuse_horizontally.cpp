#include "lowering/kernel/fuse_horizontally.h"

#include <algorithm>

#include "ir/index/ceil_div.h"
#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/kernel/merge_kernels.h"
#include "lowering/kernel/statements.h"

namespace lowering {
namespace {

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

/// Of the Grid or Task loop.
int64_t iterations(const ir::Kernel& kernel) {
  return kernel.backend == ir::Backend::Cuda ? kernel.launch.grid : kernel.launch.tasks;
}

}  // namespace

std::optional<ir::Kernel> fuseHorizontally(const ir::Kernel& first, const ir::Kernel& second) {
  const bool fits = first.backend == second.backend && first.pool == second.pool && first.launch.block == second.launch.block &&
                    second.launch.cluster == 1 && !first.launch.isPersistent && first.body.size() == 1 &&
                    second.body.size() == 1 && first.streamStores == second.streamStores && agreeOnMath(first, second);
  if (!fits) return std::nullopt;
  ir::ExprPool& pool = *first.pool;
  const bool isCuda = first.backend == ir::Backend::Cuda;
  const int64_t cluster = first.launch.cluster, before = iterations(first), after = iterations(second);

  KernelMerger merger(first, second, {}, Sharing::Either);
  ir::Kernel& merged = merger.kernel;
  (isCuda ? merged.launch.grid : merged.launch.tasks) = before + ceilDiv(after, cluster);
  merged.launch.grain = std::min(first.launch.grain, second.launch.grain);
  merged.launch.resident = 0;
  merged.streamStores = first.streamStores;

  const Value number{pool, pool.axis(iterations(merged))};
  const Value rank = cluster == 1 ? Value{pool, pool.integer(ir::DType::I64, 0)} : Value{pool, pool.axis(cluster)};
  const Value numberOfSecond = (number - before) * cluster + rank;
  ir::Block then = merger.first(number.expr()), otherwise = merger.second(numberOfSecond.expr());
  if (after % cluster != 0) {
    const Value exists = numberOfSecond < after;
    otherwise = {{ir::If{exists.expr(), std::move(otherwise), {}}}};
  }
  if (cluster > 1) otherwise = {{ir::For{rank.expr(), ir::LoopKind::Cluster, std::move(otherwise)}}};
  const Value isFirst = number < before;
  ir::Block body;
  body.push_back({ir::If{isFirst.expr(), std::move(then), std::move(otherwise)}});
  merged.body.push_back({ir::For{number.expr(), isCuda ? ir::LoopKind::Grid : ir::LoopKind::Task, std::move(body)}});
  return merged;
}

std::optional<ir::Kernel> inTasksOf(const ir::Kernel& second, const ir::Kernel& first) {
  const bool fits = first.backend == ir::Backend::Cpu && second.backend == ir::Backend::Cpu && first.pool == second.pool &&
                    first.body.size() == 1 && first.launch.tasks >= second.launch.tasks && agreeOnMath(first, second) &&
                    (!first.streamStores || storesAligned(second, second.body));
  if (!fits) return std::nullopt;
  ir::ExprPool& pool = *first.pool;
  KernelMerger merger(first, second);
  ir::Kernel& merged = merger.kernel;
  merged.streamStores = first.streamStores;
  merged.launch = second.launch;
  const int64_t tasks = second.launch.tasks, each = ceilDiv(first.launch.tasks, tasks);
  if (second.body.size() == 1)
    merged.launch.grain = ceilDiv(first.launch.grain * second.launch.grain, first.launch.grain + each * second.launch.grain);
  const Value task{pool, pool.axis(tasks)}, step{pool, pool.axis(each)};
  const Value number = task * each + step;
  ir::Block body =
      loop(ir::LoopKind::Serial, step, when(within(number, each * tasks, first.launch.tasks), merger.first(number.expr())));
  append(body, merger.second(task.expr()));
  merged.body.push_back({ir::For{task.expr(), ir::LoopKind::Task, std::move(body)}});
  append(merged.body, merger.epilogueOfSecond());
  return merged;
}

}  // namespace lowering
