#include "lowering/analysis/reuse.h"

#include <algorithm>
#include <set>

#include "ir/walk.h"
#include "lowering/analysis/row_accesses.h"

namespace lowering {
namespace {

using ir::Expr;
using Nodes = std::set<const Expr*>;

/// The bodies of a traversal, and in the one that stores what is stored for elements.
std::vector<const Expr*> valuesOf(const ReductionNest& nest, int traversal, int storing) {
  std::vector<const Expr*> values;
  for (const Reduction& reduction : nest.reductions)
    if (reduction.traversal == traversal) values.push_back(reduction.body);
  if (traversal == storing)
    for (const ir::StoreTo& store : nest.elementStores) values.push_back(store.value);
  return values;
}

/// The same where elements are stored after the last traversal.
std::vector<const Expr*> valuesOf(const ReductionNest& nest, int traversal) {
  return valuesOf(nest, traversal, nest.traversals());
}

/// The nodes, operands before users, that depend on the reduced axes: also, or not only, through what is loaded.
Nodes dependent(const ReductionNest& nest, const std::vector<const Expr*>& nodes, bool throughLoads) {
  Nodes found(nest.reduced.begin(), nest.reduced.end());
  for (const Expr* node : nodes)
    if ((throughLoads || node->op != ir::Op::Load) &&
        std::any_of(node->src.begin(), node->src.end(), [&](const Expr* x) { return found.contains(x); }))
      found.insert(node);
  return found;
}

using Users = std::map<const Expr*, Nodes>;

/// The nodes from a value down to the loads of rows that it is made of, itself first.
std::vector<const Expr*> treeOf(const Expr* root, const Nodes& rowLoads, const Nodes& ofRows) {
  std::vector<const Expr*> tree{root};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (rowLoads.contains(tree[i])) continue;
    for (const Expr* operand : tree[i]->src)
      if (ofRows.contains(operand) && std::find(tree.begin(), tree.end(), operand) == tree.end()) tree.push_back(operand);
  }
  return tree;
}

/// The nodes that need loads of rows and no other ones.
Nodes madeOfRows(const std::vector<const Expr*>& nodes, const Nodes& rowLoads) {
  Nodes ofRows = rowLoads, ofOthers;
  for (const Expr* node : nodes) {
    if (rowLoads.contains(node)) continue;
    const auto isAny = [&](const Nodes& of) {
      return std::ranges::any_of(node->src, [&](const Expr* x) { return of.contains(x); });
    };
    if (node->op == ir::Op::Load || isAny(ofOthers))
      ofOthers.insert(node);
    else if (isAny(ofRows))
      ofRows.insert(node);
  }
  return ofRows;
}

/// Whether nothing but a tree's nodes uses its nodes, the root's own users apart.
bool isApart(const std::vector<const Expr*>& tree, const Users& users) {
  const Nodes nodes(tree.begin(), tree.end());
  return std::all_of(tree.begin() + 1, tree.end(), [&](const Expr* node) {
    return std::ranges::all_of(users.at(node), [&](const Expr* user) { return nodes.contains(user); });
  });
}

/// Whether a tree's nodes choose between loads, and do no more.
bool isChoice(const std::vector<const Expr*>& tree, const Nodes& rowLoads) {
  const auto isWhere = [](const Expr* node) { return node->op == ir::Op::Where; };
  const auto isLoad = [&](const Expr* node) { return rowLoads.contains(node); };
  return std::ranges::count_if(tree, isLoad) > 1 &&
         std::ranges::all_of(tree, [&](const Expr* node) { return isWhere(node) || isLoad(node); });
}

/// Whether a tree computes functions of one load, which it may replace.
bool isFunctionOfOne(const std::vector<const Expr*>& tree, const Nodes& rowLoads, const Nodes& repeated) {
  const auto isLoad = [&](const Expr* node) { return rowLoads.contains(node); };
  const auto load = std::ranges::find_if(tree, isLoad);
  return ir::isFloating(tree.front()->dtype) && std::ranges::count_if(tree, isLoad) == 1 && repeated.contains(*load) &&
         ir::sizeOf(tree.front()->dtype) <= ir::sizeOf((*load)->dtype) &&
         std::ranges::any_of(tree, [](const Expr* node) { return ir::isFunction(node->op); });
}

bool contains(const std::vector<TraversalValue>& values, const Expr* value) {
  return std::any_of(values.begin(), values.end(), [&](const TraversalValue& known) { return known.value == value; });
}

}  // namespace

std::vector<TraversalValue> rowValues(const ReductionNest& nest) {
  std::vector<TraversalValue> found;
  for (int traversal = 0; traversal <= nest.traversals(); ++traversal) {
    const std::vector<const Expr*> values = valuesOf(nest, traversal), nodes = ir::postorder(values);
    const Nodes ofElements = dependent(nest, nodes, true);
    Nodes parts(values.begin(), values.end());  // of values of every element
    for (const Expr* node : nodes)
      if (ofElements.contains(node) && node->op != ir::Op::Load) parts.insert(node->src.begin(), node->src.end());
    for (const Expr* node : nodes) {
      const bool isComputed = !node->src.empty() && node->op != ir::Op::Load && ir::isFloating(node->dtype);
      if (isComputed && parts.contains(node) && !ofElements.contains(node) && !contains(found, node))
        found.push_back({node, traversal});
    }
  }
  return found;
}

std::vector<TraversalValue> repeatedFunctions(const ReductionNest& nest, const HeldValues& held) {
  Nodes before;
  for (const auto& [load, value] : held) before.insert(value);
  for (const Expr* node : ir::postorder({before.begin(), before.end()})) before.insert(node);
  std::vector<TraversalValue> once, again;
  for (int traversal = 0; traversal <= nest.traversals(); ++traversal) {
    const std::vector<const Expr*> nodes = ir::postorder(valuesOf(nest, traversal));
    const Nodes ofElements = dependent(nest, nodes, true);
    for (const Expr* node : nodes) {
      if (!ir::isFunction(node->op) || !ofElements.contains(node) || before.contains(node)) continue;
      const auto known = std::find_if(once.begin(), once.end(), [&](const TraversalValue& x) { return x.value == node; });
      if (known == once.end())
        once.push_back({node, traversal});
      else if (!contains(again, node))
        again.push_back(*known);
    }
  }
  return again;
}

std::set<const Expr*> repeatedLoads(const ReductionNest& nest) {
  Nodes once, again;
  for (int traversal = 0; traversal <= nest.traversals(); ++traversal)
    for (const Expr* node : ir::postorder(valuesOf(nest, traversal, nest.storingTraversal())))
      if (node->op == ir::Op::Load && !once.insert(node).second) again.insert(node);
  return again;
}

HeldValues heldValues(const ReductionNest& nest, const IterationDomain& domain) {
  Nodes rowLoads;
  for (const Access& access : domain.loads())
    if (access.node != nullptr && runsAlongRow(domain, access)) rowLoads.insert(access.node);
  std::vector<const Expr*> values;
  for (const Reduction& reduction : nest.reductions) values.push_back(reduction.body);
  for (const auto* stores : {&nest.elementStores, &nest.rowStores})
    for (const ir::StoreTo& store : *stores) values.push_back(store.value);
  const std::vector<const Expr*> nodes = ir::postorder(values);
  Users users;
  for (const Expr* value : values) users[value].insert(nullptr);
  for (const Expr* node : nodes)
    for (const Expr* operand : node->src) users[operand].insert(node);
  const Nodes repeated = repeatedLoads(nest), ofRows = madeOfRows(nodes, rowLoads);
  HeldValues held;
  for (auto root = nodes.rbegin(); root != nodes.rend(); ++root) {
    if (!ofRows.contains(*root) || rowLoads.contains(*root)) continue;
    const std::vector<const Expr*> tree = treeOf(*root, rowLoads, ofRows);
    const bool isNarrower = isChoice(tree, rowLoads) || isFunctionOfOne(tree, rowLoads, repeated);
    if (!isNarrower || !isApart(tree, users)) continue;
    for (const Expr* node : tree)
      if (rowLoads.contains(node)) held.try_emplace(node, *root);
  }
  return held;
}

std::set<const Expr*> loadsOf(const ReductionNest& nest, int traversal) {
  Nodes loads;
  for (const Expr* node : ir::postorder(valuesOf(nest, traversal)))
    if (node->op == ir::Op::Load) loads.insert(node);
  for (const Reduction& reduction : nest.reductions) loads.erase(reduction.result);
  return loads;
}

bool areRunsOne(const ReductionNest& nest, const IterationDomain& domain, int traversal) {
  const std::vector<const Expr*> values = valuesOf(nest, traversal);
  const Nodes beside = dependent(nest, ir::postorder(values), false), loads = loadsOf(nest, traversal);
  const bool areLoadsAll = std::none_of(values.begin(), values.end(), [&](const Expr* value) { return beside.contains(value); });
  const auto continues = [&](const Access& load) {
    bool isOne = load.form.has_value() && !load.isMasked();
    for (std::size_t d = domain.elementDims(); isOne && d < domain.innermost(); ++d)
      isOne = domain.stride(load, d) == domain.stride(load, d + 1) * domain.dims()[d + 1].extent;
    return isOne;
  };
  return domain.numel(domain.elementDims(), domain.innermost()) > 1 && areLoadsAll &&
         std::all_of(domain.loads().begin(), domain.loads().end(),
                     [&](const Access& load) { return !loads.contains(load.node) || continues(load); });
}

}  // namespace lowering
