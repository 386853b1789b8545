#pragma once

#include <map>
#include <set>
#include <vector>

#include "lowering/analysis/iteration_domain.h"
#include "lowering/analysis/reduction_nest.h"

namespace lowering {

/// A value of a nest, and the first traversal that needs it: ReductionNest::traversals() for the stores of elements.
struct TraversalValue {
  const ir::Expr* value = nullptr;
  int traversal = 0;
};

/// Values of a nest's bodies and element stores that can be hoisted out of the loops over a row's elements: the largest
/// subexpressions that are floating, do not depend on the reduced axes and are no mere Load or constant.
std::vector<TraversalValue> rowValues(const ReductionNest& nest);

/// The values that a kernel holds in place of loads of rows, by these: a load that is not there is held as it is.
using HeldValues = std::map<const ir::Expr*, const ir::Expr*>;

/// The largest values that take less to hold than the loads that they are made of, which nothing else needs: choices between rows
/// of several tensors, such as a concatenation's, as an element takes one register however many tensors it may be of; and results
/// of functions, such as an activation's, that more than one traversal needs and that are no wider than what they are computed
/// of.
HeldValues heldValues(const ReductionNest& nest, const IterationDomain& domain);

/// Functions of elements, such as exponentials, that a traversal computes and a later one or the element stores need again. What
/// is computed before a traversal, as it is held, counts as none.
std::vector<TraversalValue> repeatedFunctions(const ReductionNest& nest, const HeldValues& held = {});

/// Loads that more than one traversal needs.
std::set<const ir::Expr*> repeatedLoads(const ReductionNest& nest);

/// Loads of tensors that the bodies of a traversal need, or, after the last one, the values of element stores.
std::set<const ir::Expr*> loadsOf(const ReductionNest& nest, int traversal);

/// Whether a traversal may go through the several runs of a row as through a single one: its bodies depend on the elements
/// through loads alone, which continue from one run to the next.
bool areRunsOne(const ReductionNest& nest, const IterationDomain& domain, int traversal);

}  // namespace lowering
