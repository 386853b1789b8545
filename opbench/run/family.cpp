#include "opbench/run/family.h"

#include <algorithm>

#include "ir/walk.h"

namespace opbench {
namespace {

using ir::Expr;
using ir::Op;

bool isMoved(const Expr* value) {
  while (value->op == Op::Cast) value = value->src[0];
  return value->op == Op::Load || value->op == Op::Const;
}

bool isReduced(const Expr* value) {
  const auto nodes = ir::postorder({value});
  return std::any_of(nodes.begin(), nodes.end(), [](const Expr* node) { return node->op == Op::Reduce; });
}

/// Whether a reduction serves several of the elements that are stored.
bool isNormalized(const ir::StoreTo& store) {
  const size_t axes = ir::freeAxes({store.offset, store.value}).size();
  const auto nodes = ir::postorder({store.value});
  return std::any_of(nodes.begin(), nodes.end(),
                     [&](const Expr* node) { return node->op == Op::Reduce && ir::freeAxes({node}).size() < axes; });
}

}  // namespace

std::string_view familyOf(const codegen::Plan& plan) {
  const auto anyStore = [&](const auto& holds) {
    return std::any_of(plan.nests.begin(), plan.nests.end(), [&](const lowering::LoopNest& nest) {
      const std::vector<ir::StoreTo>& stores = nest.loops.stores;
      return std::any_of(stores.begin(), stores.end(), [&](const ir::StoreTo& store) { return holds(store); });
    });
  };
  if (plan.nests.empty()) return "fallback";
  if (anyStore(isNormalized)) return "normalization";
  if (anyStore([](const ir::StoreTo& store) { return isReduced(store.value); })) return "reduction";
  return anyStore([](const ir::StoreTo& store) { return !isMoved(store.value); }) ? "pointwise" : "copy";
}

}  // namespace opbench
