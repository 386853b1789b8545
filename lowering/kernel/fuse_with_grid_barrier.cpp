#include "lowering/kernel/fuse_with_grid_barrier.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "lowering/kernel/merge_kernels.h"
#include "lowering/kernel/statements.h"

namespace lowering {

ir::Kernel fuseWithGridBarrier(const ir::Kernel& first, const ir::Kernel& second, const std::vector<std::string>& intermediates) {
  ir::require(first.launch.block == second.launch.block && first.launch.cluster == 1 && second.launch.cluster == 1,
              "{} and what follows it have different CTAs", first.name);
  ir::ExprPool& pool = *first.pool;
  const auto axis = [&](int64_t extent) {
    return extent == 1 ? Value{pool, pool.integer(ir::DType::I64, 0)} : Value{pool, pool.axis(extent)};
  };
  const int64_t grid = first.launch.grid, rounds = ceilDiv(second.launch.grid, grid);
  KernelMerger merger(first, second, intermediates);
  ir::Kernel& merged = merger.kernel;
  merged.launch.resident = std::max(first.launch.resident, 1);

  const Value number{pool, pool.axis(grid)}, round = axis(rounds);
  const Value cta = round * grid + number;
  const Guard exists = within(cta, rounds * grid, second.launch.grid);
  ir::Block body = loop(ir::LoopKind::Serial, round, when(exists, merger.second(cta.expr())));
  merged.body = merger.first();
  merged.body.push_back({ir::For{number.expr(), ir::LoopKind::Grid, std::move(body)}});
  return merged;
}

}  // namespace lowering
