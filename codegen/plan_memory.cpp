#include "codegen/plan_memory.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "codegen/accesses.h"
#include "codegen/lifetimes.h"
#include "ir/memories.h"
#include "lowering/graph/product.h"

namespace codegen {
namespace {

int64_t roundedUp(int64_t bytes) { return (bytes + placeBytes - 1) / placeBytes * placeBytes; }

bool isAt(const Need& need, size_t step) {
  return static_cast<size_t>(need.first) <= step && step <= static_cast<size_t>(need.last);
}

/// Needs that get places one after another.
class Arena {
 public:
  explicit Arena(const std::vector<Need>& needs) : needs_(needs), placement_{0, std::vector<int64_t>(needs.size(), -1)} {}

  /// The arena grows where it has no gap for the need, up to so many bytes.
  void add(size_t number, int64_t capacity) {
    const int64_t offset = gapFor(needs_[number]), end = offset + roundedUp(needs_[number].bytes);
    if (end > capacity) return;
    placement_.offsets[number] = offset;
    placement_.bytes = std::max(placement_.bytes, end);
    const auto isBefore = [this](int64_t at, size_t other) { return at < placement_.offsets[other]; };
    placed_.insert(std::upper_bound(placed_.begin(), placed_.end(), offset, isBefore), number);
  }
  const Placement& placement() const { return placement_; }

 private:
  /// The smallest gap between the places that are taken meanwhile, or what lies behind them.
  int64_t gapFor(const Need& need) const {
    int64_t end = 0, best = -1, least = 0;
    for (const size_t number : placed_) {
      const Need& other = needs_[number];
      if (other.last < need.first || need.last < other.first) continue;
      const int64_t gap = placement_.offsets[number] - end;
      if (gap >= roundedUp(need.bytes) && (best < 0 || gap < least)) {
        best = end;
        least = gap;
      }
      end = std::max(end, placement_.offsets[number] + roundedUp(other.bytes));
    }
    return best < 0 ? end : best;
  }

  const std::vector<Need>& needs_;
  Placement placement_;
  std::vector<size_t> placed_;  ///< by offset
};

/// The bytes of some needs, by step.
std::vector<int64_t> neededBytes(const std::vector<Need>& needs, const std::vector<bool>& which, size_t steps) {
  std::vector<int64_t> bytes(steps + 1, 0);  // what is added at each step, at first
  for (size_t i = 0; i < needs.size(); ++i) {
    if (!which[i]) continue;
    bytes.at(static_cast<size_t>(needs[i].first)) += roundedUp(needs[i].bytes);
    bytes.at(static_cast<size_t>(needs[i].last) + 1) -= roundedUp(needs[i].bytes);
  }
  std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
  bytes.pop_back();
  return bytes;
}

size_t largest(const std::vector<int64_t>& bytes) { return std::max_element(bytes.begin(), bytes.end()) - bytes.begin(); }

/// Chooses which needs have places.
class Placer {
 public:
  Placer(const std::vector<Need>& needs, const std::vector<Others>& others)
      : needs_(needs),
        taken_(neededBytes(needs, std::vector<bool>(needs.size(), true), others.size())),
        isPlaced_(needs.size(), true) {
    for (size_t step = 0; step < others.size(); ++step) taken_[step] += others[step].bytes;
    const int64_t most = taken_[largest(taken_)];
    for (size_t step = 0; step < others.size(); ++step)
      mayWaste_.push_back(std::max<int64_t>(0, most - others[step].scratch - taken_[step]));
  }

  Placement place() {
    constexpr int exact = 256;       // tries with an arena that is smaller by what is too much
    constexpr int64_t further = 64;  // with one that is smaller by this part of the first
    int64_t capacity = std::numeric_limits<int64_t>::max(), largestArena = 0;
    for (int tries = 1;; ++tries) {
      const Placement placement = placedWithin(capacity);
      const std::vector<int64_t> placed = neededBytes(needs_, isPlaced_, taken_.size());
      std::vector<int64_t> excess;  // by step: how many idle bytes of the arena are too many
      for (size_t step = 0; step < placed.size(); ++step) excess.push_back(placement.bytes - placed[step] - mayWaste_[step]);
      const size_t worst = largest(excess);
      if (excess[worst] <= 0) return placement;
      largestArena = std::max(largestArena, placement.bytes);
      const int64_t least = tries > exact ? largestArena / further : 0;
      capacity = std::max<int64_t>(0, placement.bytes - std::max(excess[worst], least));
      leaveOut(capacity, worst);
    }
  }

 private:
  /// The needs of a step come first: so no byte is idle then. The largest come before others.
  std::vector<size_t> ordered(const std::vector<bool>& which, size_t step) const {
    std::vector<size_t> order;
    for (size_t i = 0; i < needs_.size(); ++i)
      if (which[i]) order.push_back(i);
    const auto rank = [&](size_t number) { return std::pair(!isAt(needs_[number], step), -needs_[number].bytes); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    return order;
  }

  /// Places for what is not left out, and for what is where it has a gap.
  Placement placedWithin(int64_t capacity) {
    const size_t fullest = largest(neededBytes(needs_, isPlaced_, taken_.size()));
    std::vector<bool> others = isPlaced_;
    others.flip();
    Arena arena(needs_);
    for (const size_t number : ordered(isPlaced_, fullest)) arena.add(number, capacity);
    for (const size_t number : ordered(others, fullest)) arena.add(number, arena.placement().bytes);
    for (size_t i = 0; i < needs_.size(); ++i) isPlaced_[i] = arena.placement().offsets[i] >= 0;
    return arena.placement();
  }

  /// Leaves out what does not fit into so many bytes, but if possible nothing that is needed at one step, at which bytes of a
  /// larger arena lie idle: of the needs of a step the one that is needed for the fewest steps.
  void leaveOut(int64_t bytes, size_t idle) {
    std::vector<size_t> order(needs_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) { return needs_[a].first < needs_[b].first; });
    const auto rank = [&](size_t number) {
      const Need& need = needs_[number];
      return std::tuple(isAt(need, idle), need.last - need.first, -need.bytes);
    };
    std::vector<size_t> now;  // needs of a step
    int64_t sum = 0;          // of their bytes
    const auto drop = [&](std::vector<size_t>::iterator number) {
      sum -= roundedUp(needs_[*number].bytes);
      return now.erase(number);
    };
    for (const size_t number : order) {
      if (!isPlaced_[number]) continue;
      for (auto other = now.begin(); other != now.end();)
        other = needs_[*other].last < needs_[number].first ? drop(other) : std::next(other);
      now.push_back(number);
      sum += roundedUp(needs_[number].bytes);
      while (sum > bytes) {
        const auto left = std::min_element(now.begin(), now.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
        isPlaced_[*left] = false;
        drop(left);
      }
    }
  }

  const std::vector<Need>& needs_;
  std::vector<int64_t> taken_;     ///< by step, without an arena
  std::vector<int64_t> mayWaste_;  ///< by step: bytes of the arena that may lie idle
  std::vector<bool> isPlaced_;     ///< by need
};

/// The bytes of a memory.
int64_t sizeOf(const std::vector<int>& values, const ir::Graph& graph) {
  int64_t bytes = 0;
  for (const int value : values) {
    const ir::GraphValue& one = graph.values[static_cast<size_t>(value)];
    bytes = std::max(bytes, ir::startOf(one) + ir::bytesOf(one));
    if (one.storage >= 0) bytes = std::max(bytes, graph.storages[static_cast<size_t>(one.storage)].bytes);
  }
  return bytes;
}

/// A guess at the most memory that a step takes while it runs, beside its values: copies of all that it reads and makes, in other
/// layouts, where it is a call that makes something.
int64_t scratchOf(const Step& step, const Plan& plan, const ir::Graph& graph) {
  if (takesMemory(step, graph)) return 0;
  if (!graph.nodes[static_cast<size_t>(std::get<CallStep>(step).node)].writes.empty()) return 0;
  const Access access = accessOf(step, plan, graph);
  int64_t bytes = 0;
  for (const auto* values : {&access.reads, &access.writes})
    for (const int value : *values) bytes += ir::bytesOf(graph.values[static_cast<size_t>(value)]);
  return bytes;
}

}  // namespace

Placement place(const std::vector<Need>& needs, const std::vector<Others>& others) { return Placer(needs, others).place(); }

bool takesMemory(const Step& step, const ir::Graph& graph) {
  const auto* call = std::get_if<CallStep>(&step);
  return call == nullptr || lowering::productOf(graph.nodes.at(static_cast<size_t>(call->node))).has_value();
}

Memory planMemory(const Plan& plan) {
  const ir::Graph graph = withIntermediates(plan);
  const Lifetimes lifetimes(plan, graph);
  std::set<int> handedOut;
  for (const int output : graph.outputs) handedOut.insert(lifetimes.memoryOf(output));
  std::vector<int> memories;
  std::vector<Need> needs;
  std::vector<Others> others(plan.steps.size() + 1);
  for (int memory = 0; memory < static_cast<int>(lifetimes.memories()); ++memory) {
    if (!lifetimes.isMade(memory)) continue;
    const int first = lifetimes.first(memory), last = lifetimes.last(memory);
    const int64_t bytes = sizeOf(lifetimes.valuesIn(memory), graph);
    if (first < 0 || bytes == 0) continue;
    if (!handedOut.contains(memory) && takesMemory(plan.steps[static_cast<size_t>(first)], graph)) {
      memories.push_back(memory);
      needs.push_back({first, last, bytes});
    } else {
      for (int step = first; step <= last; ++step) others[static_cast<size_t>(step)].bytes += roundedUp(bytes);
    }
  }
  for (size_t step = 0; step < plan.steps.size(); ++step) others[step].scratch = scratchOf(plan.steps[step], plan, graph);
  const Placement placement = place(needs, others);
  Memory planned{placement.bytes, std::vector<int64_t>(lifetimes.memories(), -1)};
  for (size_t i = 0; i < memories.size(); ++i) planned.offsets[static_cast<size_t>(memories[i])] = placement.offsets[i];
  return planned;
}

}  // namespace codegen
