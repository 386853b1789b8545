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
  explicit Points(const std::vector<const Expr*>& roots) : nodes_(ir::postorder(roots)), values_(nodes_.size()) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Expr* node = nodes_[i];
      slots_[node] = i;
      if (node->op == ir::Op::Axis) axes_.push_back(node);
      if (node->op == ir::Op::Const && !ir::isFloating(node->dtype)) values_[i] = node->integer();
      if (!node->isCombining() && !node->src.empty() && node->src.size() <= 2)
        steps_.push_back({node, i, slots_.at(node->src.front()), slots_.at(node->src.back())});
    }
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
  const int64_t& operator[](const Expr* node) const { return values_[slots_.at(node)]; }

  template <typename Do>
  void forEach(const Do& act, std::size_t axis = 0) {
    if (axis == axes_.size()) {
      for (const Step& step : steps_) {
        const std::array operands{values_[step.first], values_[step.last]};
        values_[step.slot] = ir::evaluate(step.node->op, step.node->src.front()->dtype, operands);
      }
      return act();
    }
    int64_t& value = values_[slots_.at(axes_[axis])];
    for (value = 0; value < axes_[axis]->axis().extent; ++value) forEach(act, axis + 1);
  }

 private:
  /// An operation on one or two values.
  struct Step {
    const Expr* node = nullptr;
    std::size_t slot = 0, first = 0, last = 0;
  };

  std::vector<const Expr*> nodes_, axes_;
  std::unordered_map<const Expr*, std::size_t> slots_;
  std::vector<Step> steps_;
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
  const int64_t &first = points[offset], &owner = points[thread];
  std::vector<const int64_t*> holds;
  for (std::size_t i = 2; i < roots.size(); ++i) holds.push_back(&points[roots[i]]);
  points.forEach([&] {
    if (std::any_of(holds.begin(), holds.end(), [](const int64_t* condition) { return *condition == 0; })) return;
    for (int64_t lane = 0; lane < lanes; ++lane) owners.touch(first + lane, owner);
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
