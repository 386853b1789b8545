#include "lowering/kernel/owners.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "ir/scalar.h"
#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;

/// More points than that are not looked at one by one.
constexpr int64_t mostPoints = 1 << 18;

/// Integer expressions at all points of their axes.
class Points {
 public:
  explicit Points(std::vector<const Expr*> roots) : roots_(std::move(roots)), nodes_(ir::postorder(roots_)) {
    for (const Expr* node : nodes_) slots_[node] = slots_.size();
    values_.resize(nodes_.size());
    for (const Expr* node : nodes_)
      if (node->op == ir::Op::Axis) axes_.push_back(node);
  }

  /// Whether they have values that are known here, at not too many points.
  bool areKnown() const {
    int64_t points = 1;
    for (const Expr* axis : axes_) points = std::min(mostPoints + 1, points * axis->axis().extent);
    const auto isInteger = [](const Expr* node) {
      const bool isArithmetic = node->op != ir::Op::Load && node->op != ir::Op::Where && node->op != ir::Op::Cast;
      return isArithmetic && (node->dtype == ir::DType::I64 || node->dtype == ir::DType::Bool);
    };
    return points <= mostPoints && std::all_of(nodes_.begin(), nodes_.end(), isInteger);
  }
  int64_t operator[](const Expr* node) const { return values_[slots_.at(node)]; }

  template <typename Do>
  void forEach(const Do& act, std::size_t axis = 0) {
    if (axis == axes_.size()) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) evaluate(i);
      return act();
    }
    int64_t& value = values_[slots_.at(axes_[axis])];
    for (value = 0; value < axes_[axis]->axis().extent; ++value) forEach(act, axis + 1);
  }

 private:
  void evaluate(std::size_t i) {
    const Expr* node = nodes_[i];
    if (node->op == ir::Op::Axis) return;
    if (node->op == ir::Op::Const) {
      values_[i] = node->integer();
      return;
    }
    std::array<int64_t, 3> operands{};
    for (std::size_t k = 0; k < node->src.size(); ++k) operands[k] = (*this)[node->src[k]];
    values_[i] = ir::evaluate(node->op, node->src[0]->dtype, operands);
  }

  std::vector<const Expr*> roots_, nodes_, axes_;
  std::unordered_map<const Expr*, std::size_t> slots_;
  std::vector<int64_t> values_;
};

}  // namespace

Owners Owners::of(const Expr* offset, int64_t lanes, const std::vector<const Expr*>& conditions, const Expr* thread,
                  int64_t elements) {
  std::vector<const Expr*> roots{offset, thread};
  for (const Expr* condition : conditions) {
    roots.push_back(condition);
    if (!Points(roots).areKnown()) roots.pop_back();
  }
  Points points(roots);
  Owners owners;
  if (!points.areKnown()) return owners;
  owners.threads_.assign(static_cast<std::size_t>(elements), nobody);
  points.forEach([&] {
    if (std::any_of(roots.begin() + 2, roots.end(), [&](const Expr* condition) { return points[condition] == 0; })) return;
    for (int64_t lane = 0; lane < lanes; ++lane) owners.touch(points[offset] + lane, points[thread]);
  });
  return owners;
}

/// What lies outside of the array is touched under a condition that is not known.
void Owners::touch(int64_t element, int64_t thread) {
  if (element < 0 || element >= static_cast<int64_t>(threads_.size())) return;
  int16_t& owner = threads_[static_cast<std::size_t>(element)];
  owner = owner == nobody || owner == thread ? static_cast<int16_t>(thread) : several;
}

void Owners::add(const Owners& more) {
  if (threads_.empty() || more.threads_.empty()) return threads_.clear();
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (more.threads_[i] != nobody && more.threads_[i] != threads_[i])
      threads_[i] = threads_[i] == nobody ? more.threads_[i] : several;
}

bool Owners::meet(const Owners& other) const {
  if (threads_.empty() || other.threads_.empty()) return true;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const int16_t a = threads_[i], b = other.threads_[i];
    if (a != nobody && b != nobody && (a != b || a == several)) return true;
  }
  return false;
}

}  // namespace lowering
