#include "lowering/schedule/tensor_list.h"

#include <algorithm>
#include <utility>

#include "ir/error.h"
#include "ir/index/ceil_div.h"
#include "ir/walk.h"
#include "lowering/heuristics/limits.h"
#include "lowering/heuristics/pointwise.h"
#include "lowering/kernel/statements.h"
#include "lowering/schedule/apply.h"

namespace lowering {
namespace {

using ir::Expr;

/// Elements that a CTA takes are a divisor of it, whatever the schedule of pointwise loops is.
constexpr int64_t wholeCtas = int64_t{1} << 16;

/// Where a statement's vector begins in the memory of a parameter.
const Expr* startOf(const ir::Kernel& kernel, const ir::Lanes& lanes) {
  for (const ir::Store& store : lanes.stores)
    if (kernel.local(store.param) == nullptr) return store.offset;
  for (const Expr* load : ir::loadsIn(ir::storedValues(lanes.stores)))
    if (kernel.local(load->load().buffer) == nullptr && load->load().mode == ir::LoadMode::Contiguous) return load->src[0];
  return nullptr;
}

/// Statements that touch no more than the first `count` elements.
ir::Block bounded(const ir::Kernel& kernel, ir::Block block, Value count) {
  for (ir::Statement& statement : block) {
    if (auto* loop = std::get_if<ir::For>(&statement.node)) loop->body = bounded(kernel, std::move(loop->body), count);
    auto* lanes = std::get_if<ir::Lanes>(&statement.node);
    if (lanes == nullptr) continue;
    const Expr* start = startOf(kernel, *lanes);
    ir::require(start != nullptr && lanes->active == nullptr, "a vector of {} has no place in a tensor", kernel.name);
    lanes->active = (count - Value{count.pool(), start}).expr();
  }
  return block;
}

/// The statements of a thread, which `change` changes.
template <typename Change>
void changeThread(ir::Block& block, const Change& change) {
  for (ir::Statement& statement : block) {
    auto* loop = std::get_if<ir::For>(&statement.node);
    if (loop != nullptr && loop->kind == ir::LoopKind::Grid) return changeThread(loop->body, change);
    if (loop != nullptr && loop->kind == ir::LoopKind::Thread) return change(loop->body);
  }
  ir::fail(ir::ErrorKind::Internal, "a kernel has no loop over threads");
}

}  // namespace

int64_t listedElements(const std::vector<int64_t>& elements) {
  return ceilDiv(*std::max_element(elements.begin(), elements.end()), wholeCtas) * wholeCtas;
}

ListKernel applyToList(ir::Loops loops, const std::vector<int64_t>& elements, std::vector<ir::Param> params,
                       const ir::Target& target) {
  const int64_t most = loops.axes.front()->axis().extent;
  LoopNest nest = analyze(std::move(loops), target);
  PointwiseDraft draft = draftPointwise(nest, target);
  draft.parts = 1;
  draft.block = limits::lists::block;
  draft.steps = std::max(draft.steps, static_cast<int>(limits::lists::vectors));
  LayoutSchedule schedule = scheduleOf(draft, nest.domain);
  ir::Kernel kernel = apply(nest, target, schedule);
  ir::require(kernel.launch.cluster == 1 && most % kernel.launch.grid == 0,
              "the CTAs of {} take parts of {} elements that differ", kernel.name, most);
  ir::ExprPool& pool = *kernel.pool;
  const Value count{pool, pool.axis(most + 1)};
  kernel.list = ir::TensorList{elements, std::move(params), count.expr()};
  const auto* grid = std::get_if<ir::For>(&kernel.body.front().node);
  const bool hasLoop = grid != nullptr && grid->kind == ir::LoopKind::Grid;
  const Value cta{pool, hasLoop ? grid->axis : pool.integer(ir::DType::I64, 0)};
  changeThread(kernel.body, [&](ir::Block& thread) {
    ir::Block some = bounded(kernel, thread, count);
    const Value isWhole = (cta + 1) * (most / kernel.launch.grid) <= count;
    thread = {{ir::If{isWhole.expr(), std::move(thread), std::move(some)}}};
  });
  return {std::move(nest), schedule, std::move(kernel)};
}

}  // namespace lowering
