#include "ir/walk.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

#include "ir/error.h"

namespace ir {
namespace {

/// Numbers nodes in the order in which they come. Most walks see few nodes: these cost no allocation.
class Numbers {
 public:
  /// The number of a node, and whether it is new.
  std::pair<size_t, bool> of(const Expr* node) {
    Slot& slot = find(node);
    if (slot.node != nullptr) return {slot.number, false};
    const size_t number = count_++;
    slot = {node, number};
    if (2 * count_ > slots_.size()) grow();
    return {number, true};
  }
  /// The number of a node that has one.
  size_t at(const Expr* node) {
    const Slot& slot = find(node);
    require(slot.node != nullptr, "a walk has not come to a node");
    return slot.number;
  }

 private:
  struct Slot {
    const Expr* node = nullptr;
    size_t number = 0;
  };

  /// Where a node is, or is to be.
  Slot& find(const Expr* node) {
    constexpr uint64_t factor = 0x9e3779b97f4a7c15;  // spreads addresses over the upper bits
    const size_t last = slots_.size() - 1;
    for (size_t i = (reinterpret_cast<uintptr_t>(node) * factor) >> 32;; ++i)
      if (Slot& slot = slots_[i & last]; slot.node == node || slot.node == nullptr) return slot;
  }

  void grow() {
    std::vector<Slot> larger(4 * slots_.size());
    const std::span<Slot> smaller = std::exchange(slots_, larger);
    for (const Slot& slot : smaller)
      if (slot.node != nullptr) find(slot.node) = slot;
    many_ = std::move(larger);
  }

  std::array<Slot, 64> few_{};
  std::vector<Slot> many_;
  std::span<Slot> slots_ = few_;  ///< a power of two of them, at most half of them used
  size_t count_ = 0;
};

/// A node and the operand to visit next; walks keep their own stack, so that depth costs memory only.
struct Frame {
  const Expr* node;
  size_t next = 0;
};

/// What most walks need at most, so that they allocate once.
constexpr size_t usualNodes = 32, usualDepth = 16;

/// The nodes that `enters` is true of, operands before users; leaves are not gone below.
template <typename IsLeaf, typename Enters>
std::vector<const Expr*> postorder(const std::vector<const Expr*>& roots, IsLeaf&& isLeaf, Enters&& enters) {
  std::vector<const Expr*> order;
  std::vector<Frame> stack;
  order.reserve(usualNodes);
  stack.reserve(usualDepth);
  for (const Expr* root : roots) {
    if (enters(root)) stack.push_back({root});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (isLeaf(top.node) || top.next == top.node->src.size()) {
        order.push_back(top.node);
        stack.pop_back();
      } else if (const Expr* operand = top.node->src[top.next++]; enters(operand)) {
        stack.push_back({operand});
      }
    }
  }
  return order;
}

using FreeAxesOf = std::unordered_map<const Expr*, std::vector<const Expr*>>;

bool contains(const std::vector<const Expr*>& nodes, const Expr* node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// `known` holds what is found out about each Reduce and Scan.
std::vector<const Expr*> freeAxes(const std::vector<const Expr*>& roots, FreeAxesOf& known);

/// A Reduce binds its axes; the value of a Scan depends on its own.
const std::vector<const Expr*>& freeAxesOfCombining(const Expr* sweep, FreeAxesOf& known) {
  if (const auto found = known.find(sweep); found != known.end()) return found->second;
  const std::vector<const Expr*> own(sweep->src.begin() + 1, sweep->src.end());
  std::vector<const Expr*> axes = freeAxes({sweep->src[0]}, known);
  std::erase_if(axes, [&](const Expr* axis) { return contains(own, axis); });
  if (sweep->op == Op::Scan) axes.push_back(own.front());
  return known[sweep] = std::move(axes);
}

std::vector<const Expr*> freeAxes(const std::vector<const Expr*>& roots, FreeAxesOf& known) {
  std::vector<const Expr*> axes;
  const auto add = [&](const Expr* axis) {
    if (!contains(axes, axis)) axes.push_back(axis);
  };
  for (const Expr* node : postorder(roots, false)) {
    if (node->op == Op::Axis) add(node);
    if (!node->isCombining()) continue;
    for (const Expr* axis : freeAxesOfCombining(node, known)) add(axis);
  }
  return axes;
}

bool add(int64_t& into, int64_t value) { return !__builtin_add_overflow(into, value, &into); }

/// a + factor * b, or nothing where 64 bits do not hold it.
std::optional<Affine> addScaled(const Affine& a, const Affine& b, int64_t factor) {
  Affine sum = a;
  int64_t scaled = 0;
  if (__builtin_mul_overflow(b.constant, factor, &scaled) || !add(sum.constant, scaled)) return std::nullopt;
  for (const auto& [axis, coefficient] : b.coefficients) {
    if (__builtin_mul_overflow(coefficient, factor, &scaled) || !add(sum.coefficients[axis], scaled)) return std::nullopt;
    if (sum.coefficients[axis] == 0) sum.coefficients.erase(axis);
  }
  return sum;
}

using AffineOf = std::unordered_map<const Expr*, std::optional<Affine>>;

/// Whether it can be affine where its operands are.
bool keepsAffine(const Expr* node) {
  return node->dtype == DType::I64 && (node->op == Op::Add || node->op == Op::Sub || node->op == Op::Mul || node->op == Op::Neg);
}

std::optional<Affine> affineNode(const Expr* node, const AffineOf& known) {
  if (node->dtype != DType::I64) return std::nullopt;
  if (node->op == Op::Const) return Affine{node->integer(), {}};
  if (node->op == Op::Axis) return Affine{0, {{node, 1}}};
  if (!keepsAffine(node)) return std::nullopt;
  const std::optional<Affine>& a = known.at(node->src.front());
  const std::optional<Affine>& b = known.at(node->src.back());
  if (!a || !b) return std::nullopt;
  if (node->op == Op::Neg) return addScaled({}, *a, -1);
  if (node->op == Op::Add) return addScaled(*a, *b, 1);
  if (node->op == Op::Sub) return addScaled(*a, *b, -1);
  if (b->coefficients.empty()) return addScaled({}, *a, b->constant);
  if (a->coefficients.empty()) return addScaled({}, *b, a->constant);
  return std::nullopt;
}

}  // namespace

std::vector<const Expr*> postorder(const std::vector<const Expr*>& roots, bool intoCombinings) {
  const auto isLeaf = [&](const Expr* node) { return node->isCombining() && !intoCombinings; };
  Numbers seen;
  return postorder(roots, isLeaf, [&](const Expr* node) { return seen.of(node).second; });
}

std::vector<const Expr*> loadsIn(const std::vector<const Expr*>& roots) {
  std::vector<const Expr*> loads = postorder(roots);
  std::erase_if(loads, [](const Expr* node) { return node->op != Op::Load; });
  return loads;
}

std::vector<const Expr*> postorder(const Expr* root, const std::function<bool(const Expr*)>& isKnown) {
  Numbers seen;
  const auto isLeaf = [](const Expr*) { return false; };
  return postorder({root}, isLeaf, [&](const Expr* node) { return !isKnown(node) && seen.of(node).second; });
}

std::vector<const Expr*> freeAxes(const std::vector<const Expr*>& roots) {
  FreeAxesOf known;
  return freeAxes(roots, known);
}

bool dependsOn(const Expr* expr, const Expr* axis) {
  std::vector<const Expr*> stack{expr};
  Numbers seen;
  seen.of(expr);
  while (!stack.empty()) {
    const Expr* node = stack.back();
    stack.pop_back();
    if (node == axis) return true;
    for (const Expr* operand : node->src)
      if (seen.of(operand).second) stack.push_back(operand);
  }
  return false;
}

const Expr* movedLoad(ExprPool& pool, const Expr* load, int buffer, const std::function<const Expr*(const Expr*)>& moved) {
  const Expr* offset = moved(load->src[0]);
  if (!load->isMasked()) return pool.load(buffer, load->dtype, offset, load->load().mode);
  return pool.load(buffer, offset, moved(load->src[1]), moved(load->src[2]), load->load().mode);
}

const Expr* withOperands(ExprPool& pool, const Expr* node, std::vector<const Expr*> src) {
  if (src == node->src) return node;
  if (node->op == Op::Cast) return pool.cast(node->dtype, src[0]);
  if (node->isMasked()) return pool.load(node->load().buffer, src[0], src[1], src[2], node->load().mode);
  if (node->op == Op::Load) return pool.load(node->load().buffer, node->dtype, src[0], node->load().mode);
  if (node->op == Op::Reduce) return pool.reduce(node->reduction(), src[0], {src.begin() + 1, src.end()});
  if (node->op == Op::Scan) return pool.scan(node->reduction(), src[0], src[1]);
  return pool.make(node->op, std::move(src));
}

const Expr* rewrite(ExprPool& pool, const Expr* expr, const std::function<const Expr*(const Expr*)>& replace) {
  Numbers numbers;
  std::vector<const Expr*> done;  // by number
  std::vector<Frame> stack;
  const auto visit = [&](const Expr* node) {
    if (!numbers.of(node).second) return;
    const Expr* by = replace(node);
    if (by != nullptr)
      require(by->dtype == node->dtype, "{} is replaced by {}", name(node->dtype), name(by->dtype));
    else
      stack.push_back({node});
    done.push_back(by);
  };
  visit(expr);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next < top.node->src.size()) {
      visit(top.node->src[top.next++]);
      continue;
    }
    const Expr* const node = top.node;
    stack.pop_back();
    const auto doneOf = [&](const Expr* operand) { return done[numbers.at(operand)]; };
    const bool isSame = std::all_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return doneOf(x) == x; });
    std::vector<const Expr*> src;
    if (!isSame) std::transform(node->src.begin(), node->src.end(), std::back_inserter(src), doneOf);
    done[numbers.at(node)] = isSame ? node : withOperands(pool, node, std::move(src));
  }
  return done.front();
}

const Expr* substitute(ExprPool& pool, const Expr* expr, const Expr* axis, const Expr* by) {
  return rewrite(pool, expr, [&](const Expr* node) { return node == axis ? by : nullptr; });
}

int64_t Affine::of(const Expr* axis) const {
  const auto found = coefficients.find(axis);
  return found == coefficients.end() ? 0 : found->second;
}

std::optional<Affine> affine(const Expr* index) {
  AffineOf known;
  Numbers seen;
  const auto isLeaf = [](const Expr* node) { return !keepsAffine(node); };
  const auto enters = [&](const Expr* node) { return seen.of(node).second; };
  for (const Expr* node : postorder({index}, isLeaf, enters)) known.emplace(node, affineNode(node, known));
  return known.at(index);
}

}  // namespace ir
