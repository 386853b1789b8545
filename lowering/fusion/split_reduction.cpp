#include "lowering/fusion/split_reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "ir/value.h"
#include "ir/walk.h"
#include "lowering/fusion/fuse_loops.h"
#include "lowering/heuristics/tiling.h"

namespace lowering {
namespace {

using ir::Expr;
using ir::Value;
using Axes = std::vector<const Expr*>;

constexpr int64_t longestPart = 256;                         // elements, of whole axes
constexpr int64_t longestStretch = 64, shortestStretch = 8;  // of one axis
constexpr int64_t fewBytes = 32 << 10;                       // for each multiprocessor: another launch costs more then

/// Which of the axes that are summed the first step takes: those after `at`, and a stretch of that one.
struct Division {
  std::size_t at = 0;
  int64_t stretch = 1;
};

int64_t extentOf(const Expr* axis) { return axis->axis().extent; }

int64_t product(const Axes& axes, std::size_t begin, std::size_t end) {
  int64_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= extentOf(axes[i]);
  return count;
}

/// The longest divisor of an extent that is a part's length, of those that are multiples of as much of a vector as any.
int64_t stretchOf(int64_t extent, const ir::Target& target) {
  const int64_t vector = target.vectorBytes / 2;  // of halves
  int64_t best = 1;
  for (int64_t part = 1; part <= std::min(extent, longestStretch); ++part) {
    const auto rank = [&](int64_t length) { return std::pair(std::min(std::gcd(length, vector), vector), length); };
    if (extent % part == 0 && part >= shortestStretch && rank(part) >= rank(best)) best = part;
  }
  return best;
}

/// The last axes, as far as a part is no longer than it may be; nothing where that is all or next to nothing.
std::optional<Division> divisionOf(const Axes& reduced, const ir::Target& target) {
  std::size_t at = reduced.size();
  while (at > 0 && product(reduced, at - 1, reduced.size()) <= longestPart) --at;
  if (at == 0) return std::nullopt;
  if (at < reduced.size()) return Division{at, extentOf(reduced[at])};
  const int64_t stretch = stretchOf(extentOf(reduced.back()), target);
  if (stretch < shortestStretch) return std::nullopt;
  return Division{at - 1, stretch};
}

/// Whether loops are sums of columns alone, large, and of tensors that run both ways.
bool isDivisible(const ir::Loops& loops, const ReductionNest& nest, const ir::Target& target) {
  const auto isSum = [](const Reduction& reduction) {
    return reduction.op == ir::Op::Add && ir::isFloating(reduction.body->dtype);
  };
  if (nest.scans || nest.passes() > 1 || !nest.elementStores.empty()) return false;
  if (!std::all_of(nest.reductions.begin(), nest.reductions.end(), isSum)) return false;
  const IterationDomain domain(loops, nest);
  int64_t bytes = 0;
  for (const Access& access : domain.loads())
    if (isStaged(domain, access)) bytes += access.elementBytes * domain.numel();
  return bytes >= fewBytes * target.processors && runsBothWays(domain) && !stagedTiling(nest, domain, target);
}

Axes runningOf(const Axes& axes) {
  Axes running;
  for (const Expr* axis : axes)
    if (extentOf(axis) > 1) running.push_back(axis);
  return running;
}

/// Takes one sum of columns apart.
class Divider {
 public:
  Divider(const ir::Loops& loops, Division division, int firstValue)
      : loops_(loops), pool_(*loops.pool), division_(division), value_(firstValue) {
    parts_.name = loops.name + "_parts";
    whole_.name = loops.name;
    parts_.pool = whole_.pool = loops.pool;
    whole_.axes = loops.axes;
  }

  std::pair<ir::Loops, ir::Loops> build() {
    for (const ir::StoreTo& store : loops_.stores)
      whole_.stores.push_back({numberIn(whole_, store.buffer), store.offset, summed(store.value)});
    return {std::move(parts_), std::move(whole_)};
  }

 private:
  int numberIn(ir::Loops& to, int buffer) { return bufferIn(to, loops_.buffers[static_cast<std::size_t>(buffer)]); }

  /// An expression for other loops, in which axes are what `axes` says.
  const Expr* moved(ir::Loops& to, const Expr* expr, const std::map<const Expr*, const Expr*>& axes) {
    return ir::rewrite(pool_, expr, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Load)
        return pool_.load(numberIn(to, node->load().buffer), node->dtype, moved(to, node->src[0], axes));
      const auto found = axes.find(node);
      return found == axes.end() ? nullptr : found->second;
    });
  }
  const Expr* summed(const Expr* value) {
    return ir::rewrite(pool_, value, [&](const Expr* node) -> const Expr* {
      if (node->op == ir::Op::Reduce) {
        const Expr*& sum = sums_[node];
        return sum != nullptr ? sum : sum = ofParts(node);
      }
      if (node->op == ir::Op::Load) return moved(whole_, node, {});
      return nullptr;
    });
  }

  /// The sum of what its parts come to, which the first loops store.
  const Expr* ofParts(const Expr* reduce) {
    const Axes own(reduce->src.begin() + 1, reduce->src.end()), running = runningOf(own);
    if (parts_.axes.empty()) addAxes(running);
    Axes inner, outer;
    std::map<const Expr*, const Expr*> axes;
    for (const Expr* axis : own) axes[axis] = pool_.integer(ir::DType::I64, 0);
    for (const Expr* axis : outer_) outer.push_back(pool_.axis(extentOf(axis)));
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (i < division_.at) {
        axes[running[i]] = outer_[i];
        continue;
      }
      inner.push_back(pool_.axis(i == division_.at ? division_.stretch : extentOf(running[i])));
      axes[running[i]] = i == division_.at && isStretched() ? stretched(inner.back()) : inner.back();
    }
    const Expr* part = pool_.reduce(ir::Op::Add, moved(parts_, reduce->src[0], axes), inner);
    const ir::Buffer buffer = bufferOfParts(reduce->dtype);
    const int stored = bufferIn(parts_, buffer);
    parts_.buffers[static_cast<std::size_t>(stored)].isWritten = true;
    parts_.stores.push_back({stored, offset(buffer.type, outer_), part});
    const int read = bufferIn(whole_, buffer);
    whole_.buffers[static_cast<std::size_t>(read)].isRead = true;
    return pool_.reduce(ir::Op::Add, pool_.load(read, reduce->dtype, offset(buffer.type, outer)), outer);
  }
  /// Whether one of the axes is split.
  bool isStretched() const { return outer_.size() > division_.at; }
  void addAxes(const Axes& running) {
    const int64_t stretches = extentOf(running[division_.at]) / division_.stretch;
    for (std::size_t i = 0; i < division_.at; ++i) outer_.push_back(pool_.axis(extentOf(running[i])));
    if (stretches > 1) outer_.push_back(pool_.axis(stretches));
    parts_.axes = outer_;
    parts_.axes.insert(parts_.axes.end(), loops_.axes.begin(), loops_.axes.end());
  }
  const Expr* stretched(const Expr* inner) {
    return (Value{pool_, outer_.back()} * division_.stretch + Value{pool_, inner}).expr();
  }
  ir::Buffer bufferOfParts(ir::DType dtype) {
    ir::Shape sizes;
    for (const Expr* axis : parts_.axes) sizes.push_back(extentOf(axis));
    ir::Buffer buffer;
    buffer.name = fmt::format("part{}", value_);
    buffer.type = ir::TensorType::contiguous(dtype, sizes);
    buffer.value = value_++;
    return buffer;
  }
  /// Of the part at a point of the loops' axes and these.
  const Expr* offset(const ir::TensorType& type, const Axes& outer) {
    Value sum{pool_, pool_.integer(ir::DType::I64, 0)};
    for (std::size_t i = 0; i < type.sizes.size(); ++i) {
      const Expr* axis = i < outer.size() ? outer[i] : loops_.axes[i - outer.size()];
      sum = sum + Value{pool_, axis} * Value{pool_, pool_.integer(ir::DType::I64, type.strides[i])};
    }
    return sum.expr();
  }

  const ir::Loops& loops_;
  ir::ExprPool& pool_;
  const Division division_;
  int value_;
  ir::Loops parts_, whole_;
  Axes outer_;                               ///< of the first loops, but for those of columns
  std::map<const Expr*, const Expr*> sums_;  ///< of parts, by what they are the sums of
};

/// The loops of both steps; nothing where one is as good, or tiles do not hold the parts.
std::optional<std::pair<ir::Loops, ir::Loops>> bothSteps(const ir::Loops& loops, int firstValue, const ir::Target& target) {
  const std::optional<ReductionNest> nest = reductionNestOf(loops);
  if (!nest || !isDivisible(loops, *nest, target)) return std::nullopt;
  const std::optional<Division> division = divisionOf(runningOf(nest->reduced), target);
  if (!division) return std::nullopt;
  std::pair<ir::Loops, ir::Loops> steps = Divider(loops, *division, firstValue).build();
  if (!std::holds_alternative<StagedTiling>(chooseTiling(steps.first, target))) return std::nullopt;
  return steps;
}

}  // namespace

std::vector<ir::Loops> splitReductions(const std::vector<ir::Loops>& all, std::size_t first, const ir::Target& target) {
  if (target.backend != ir::Backend::Cuda) return all;
  auto next = static_cast<int>(first);
  for (const ir::Loops& loops : all)
    for (const ir::Buffer& buffer : loops.buffers) next = std::max(next, buffer.value + 1);
  std::vector<ir::Loops> found;
  for (const ir::Loops& loops : all) {
    std::optional<std::pair<ir::Loops, ir::Loops>> steps = bothSteps(loops, next, target);
    if (!steps) {
      found.push_back(loops);
      continue;
    }
    next += static_cast<int>(steps->first.stores.size());
    found.push_back(std::move(steps->first));
    found.push_back(std::move(steps->second));
  }
  return found;
}

}  // namespace lowering
