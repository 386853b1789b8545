#include "lowering/analysis/reuse.h"

#include <algorithm>
#include <set>

#include "ir/walk.h"

namespace lowering {
namespace {

using ir::Expr;
using Nodes = std::set<const Expr*>;

/// The bodies of a pass, and in the one that stores what is stored for elements.
std::vector<const Expr*> valuesOf(const ReductionNest& nest, int pass, int storing) {
  std::vector<const Expr*> values;
  for (const Reduction& reduction : nest.reductions)
    if (reduction.pass == pass) values.push_back(reduction.body);
  if (pass == storing)
    for (const ir::StoreTo& store : nest.elementStores) values.push_back(store.value);
  return values;
}

/// The same where elements are stored after the last pass.
std::vector<const Expr*> valuesOf(const ReductionNest& nest, int pass) { return valuesOf(nest, pass, nest.passes()); }

/// Those of the nodes, operands before users, that depend on the reduced axes: also, or not only, through what is loaded.
Nodes dependent(const ReductionNest& nest, const std::vector<const Expr*>& nodes, bool throughLoads) {
  Nodes found(nest.reduced.begin(), nest.reduced.end());
  for (const Expr* node : nodes)
    if ((throughLoads || node->op != ir::Op::Load) &&
        std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return found.contains(x); }))
      found.insert(node);
  return found;
}

bool contains(const std::vector<PassValue>& values, const Expr* value) {
  return std::any_of(values.begin(), values.end(), [&](const PassValue& known) { return known.value == value; });
}

}  // namespace

std::vector<PassValue> rowValues(const ReductionNest& nest) {
  std::vector<PassValue> found;
  for (int pass = 0; pass <= nest.passes(); ++pass) {
    const std::vector<const Expr*> values = valuesOf(nest, pass), nodes = ir::postorder(values);
    const Nodes ofElements = dependent(nest, nodes, true);
    Nodes parts(values.begin(), values.end());  // of what is computed for every element
    for (const Expr* node : nodes)
      if (ofElements.contains(node) && node->op != ir::Op::Load) parts.insert(node->src.begin(), node->src.end());
    for (const Expr* node : nodes) {
      const bool isComputed = !node->src.empty() && node->op != ir::Op::Load && ir::isFloating(node->dtype);
      if (isComputed && parts.contains(node) && !ofElements.contains(node) && !contains(found, node))
        found.push_back({node, pass});
    }
  }
  return found;
}

std::vector<PassValue> repeatedFunctions(const ReductionNest& nest) {
  std::vector<PassValue> once, again;
  for (int pass = 0; pass <= nest.passes(); ++pass) {
    const std::vector<const Expr*> nodes = ir::postorder(valuesOf(nest, pass));
    const Nodes ofElements = dependent(nest, nodes, true);
    for (const Expr* node : nodes) {
      if (!ir::isFunction(node->op) || !ofElements.contains(node)) continue;
      const auto known = std::find_if(once.begin(), once.end(), [&](const PassValue& x) { return x.value == node; });
      if (known == once.end())
        once.push_back({node, pass});
      else if (!contains(again, node))
        again.push_back(*known);
    }
  }
  return again;
}

std::set<const Expr*> repeatedLoads(const ReductionNest& nest) {
  Nodes once, again;
  for (int pass = 0; pass <= nest.passes(); ++pass)
    for (const Expr* node : ir::postorder(valuesOf(nest, pass, nest.storingPass())))
      if (node->op == ir::Op::Load && !once.insert(node).second) again.insert(node);
  return again;
}

bool dependsOnLoadsAlone(const ReductionNest& nest, int pass) {
  const std::vector<const Expr*> values = valuesOf(nest, pass);
  const Nodes beside = dependent(nest, ir::postorder(values), false);
  return std::none_of(values.begin(), values.end(), [&](const Expr* value) { return beside.contains(value); });
}

}  // namespace lowering
