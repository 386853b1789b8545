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

/// Functions of elements, such as exponentials, that a traversal computes and a later one or the element stores need again.
std::vector<TraversalValue> repeatedFunctions(const ReductionNest& nest);

/// Loads that more than one traversal needs.
std::set<const ir::Expr*> repeatedLoads(const ReductionNest& nest);

/// Loads of tensors that the bodies of a traversal need, or, after the last one, the values of element stores.
std::set<const ir::Expr*> loadsOf(const ReductionNest& nest, int traversal);

/// The choices between rows of several tensors, such as a concatenation's, by the loads that they choose from: an element takes
/// one register, however many tensors it may be of. They are the largest ones whose loads nothing else needs.
std::map<const ir::Expr*, const ir::Expr*> choicesOf(const ReductionNest& nest, const IterationDomain& domain);

/// Whether a traversal may go through the several runs of a row as through a single one: its bodies depend on the elements
/// through loads alone, which continue from one run to the next.
bool areRunsOne(const ReductionNest& nest, const IterationDomain& domain, int traversal);

}  // namespace lowering
