#include "lowering/fusion/split_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/fusion/edit_loops.h"
#include "lowering/heuristics/split.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Value;
using Axes = std::vector<const Expr*>;

int64_t extentOf(const Expr* axis) { return axis->axis().extent; }

/// Splits one sum of columns into two stages.
class Splitter {
 public:
  Splitter(const ir::Loops& loops, ReductionSplit split, int firstValue)
      : loops_(loops), pool_(*loops.pool), columns_(runningAxes(loops.axes)), split_(split), value_(firstValue) {
    partial_.name = loops.name + "_partial";
    total_.name = loops.name;
    partial_.pool = total_.pool = loops.pool;
    total_.axes = loops.axes;
  }

  std::pair<ir::Loops, ir::Loops> build() {
    for (const ir::StoreTo& store : loops_.stores)
      total_.stores.push_back({numberIn(total_, store.buffer), store.offset, splitSums(store.value)});
    return {std::move(partial_), std::move(total_)};
  }

 private:
  int numberIn(ir::Loops& to, int buffer) { return bufferIn(to, loops_.buffers[static_cast<std::size_t>(buffer)]); }

  /// An expression as one of other loops, its axes replaced.
  const Expr* moveTo(ir::Loops& to, const Expr* expr, const std::map<const Expr*, const Expr*>& axes) {
    return ir::rewrite(pool_, expr, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Load)
        return ir::movedLoad(pool_, node, numberIn(to, node->load().buffer),
                             [&](const Expr* operand) { return moveTo(to, operand, axes); });
      const auto found = axes.find(node);
      return found == axes.end() ? nullptr : found->second;
    });
  }
  const Expr* splitSums(const Expr* value) {
    return ir::rewrite(pool_, value, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Reduce) {
        const Expr*& sum = sums_[node];
        return sum != nullptr ? sum : sum = sumOfPartials(node);
      }
      if (node->op == ir::Op::Load) return moveTo(total_, node, {});
      return nullptr;
    });
  }

  /// The sum of the partial sums, which the first loops store.
  const Expr* sumOfPartials(const Expr* reduce) {
    const Axes own(reduce->src.begin() + 1, reduce->src.end()), running = runningAxes(own);
    if (partial_.axes.empty()) addAxes(running);
    Axes inner, outer;
    std::map<const Expr*, const Expr*> axes;
    for (const Expr* axis : own) axes[axis] = pool_.integer(ir::DType::I64, 0);
    for (const Expr* axis : outer_) outer.push_back(pool_.axis(extentOf(axis)));
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (i < split_.axis) {
        axes[running[i]] = outer_[i];
        continue;
      }
      inner.push_back(pool_.axis(i == split_.axis ? split_.length : extentOf(running[i])));
      axes[running[i]] = i == split_.axis && isCut() ? outOfCuts(inner.back()) : inner.back();
    }
    const Expr* partial = pool_.reduce(ir::Op::Add, moveTo(partial_, reduce->src[0], axes), inner);
    const ir::Buffer buffer = bufferOfPartials(reduce->dtype);
    const int stored = bufferIn(partial_, buffer);
    partial_.buffers[static_cast<std::size_t>(stored)].isWritten = true;
    partial_.stores.push_back({stored, offset(buffer.type, outer_), partial});
    const int read = bufferIn(total_, buffer);
    total_.buffers[static_cast<std::size_t>(read)].isRead = true;
    return pool_.reduce(ir::Op::Add, pool_.load(read, reduce->dtype, offset(buffer.type, outer)), outer);
  }
  /// Whether an axis is cut in two.
  bool isCut() const { return outer_.size() > split_.axis; }
  void addAxes(const Axes& running) {
    const int64_t cuts = extentOf(running[split_.axis]) / split_.length;
    for (std::size_t i = 0; i < split_.axis; ++i) outer_.push_back(pool_.axis(extentOf(running[i])));
    if (cuts > 1) outer_.push_back(pool_.axis(cuts));
    partial_.axes = outer_;
    partial_.axes.insert(partial_.axes.end(), columns_.begin(), columns_.end());
  }
  const Expr* outOfCuts(const Expr* inner) { return (Value{pool_, outer_.back()} * split_.length + Value{pool_, inner}).expr(); }
  ir::Buffer bufferOfPartials(ir::DType dtype) {
    ir::Shape sizes;
    for (const Expr* axis : partial_.axes) sizes.push_back(extentOf(axis));
    ir::Buffer buffer;
    buffer.name = fmt::format("partial{}", value_);
    buffer.type = ir::TensorType::contiguous(dtype, sizes);
    buffer.value = value_++;
    return buffer;
  }
  /// Of the partial sum at a point of these axes and of the columns.
  const Expr* offset(const ir::TensorType& type, const Axes& outer) {
    Value sum{pool_, pool_.integer(ir::DType::I64, 0)};
    for (std::size_t i = 0; i < type.sizes.size(); ++i) {
      const Expr* axis = i < outer.size() ? outer[i] : columns_[i - outer.size()];
      sum = sum + Value{pool_, axis} * Value{pool_, pool_.integer(ir::DType::I64, type.strides[i])};
    }
    return sum.expr();
  }

  const ir::Loops& loops_;
  ir::ExprPool& pool_;
  const Axes columns_;  ///< of more than one value
  const ReductionSplit split_;
  int value_;
  ir::Loops partial_, total_;
  Axes outer_;                               ///< of the first loops, without the axes of columns
  std::map<const Expr*, const Expr*> sums_;  ///< of partial sums, by the sums that they make
};

}  // namespace

int freeValue(const std::vector<LoopNest>& all, std::size_t first) {
  auto next = static_cast<int>(first);
  for (const LoopNest& nest : all)
    for (const ir::Buffer& buffer : nest.loops.buffers) next = std::max(next, buffer.value + 1);
  return next;
}

std::pair<ir::Loops, ir::Loops> splitInTwo(const ir::Loops& loops, ReductionSplit split, int firstValue) {
  return Splitter(loops, split, firstValue).build();
}

std::vector<LoopNest> splitReductions(std::vector<LoopNest> all, std::size_t first, const ir::Target& target) {
  int next = freeValue(all, first);
  std::vector<LoopNest> found;
  for (LoopNest& nest : all) {
    const std::optional<ReductionSplit> split = chooseSplit(nest, target);
    if (!split) {
      found.push_back(std::move(nest));
      continue;
    }
    auto [partial, total] = splitInTwo(nest.loops, *split, next);
    next += static_cast<int>(partial.stores.size());
    found.push_back(analyze(std::move(partial), target));
    found.push_back(analyze(std::move(total), target));
  }
  return found;
}

}  // namespace lowering
