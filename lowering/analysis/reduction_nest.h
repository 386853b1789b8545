#pragma once

#include <optional>
#include <vector>

#include "ir/loops.h"

namespace lowering {

/// The axes of more than one value, in their order.
std::vector<const ir::Expr*> runningAxes(const std::vector<const ir::Expr*>& axes);

/// One reduction of a nest: `body` over the nest's axes, combined over the reduced ones; of a nest of scans up to and including
/// the element at hand.
struct Reduction {
  ir::Op op = ir::Op::Add;
  const ir::Expr* body = nullptr;
  const ir::Expr* result = nullptr;  ///< what stands for it in later bodies and in stores: a Load of its accumulator
  int traversal = 0;                 ///< one more than the traversal of the reductions its body needs
};

/// Loops with reductions, as what happens once for each row (the points of the kept axes) and for each of its elements (the
/// points of the reduced axes): softmax's rows are [batch], its elements [classes]; batch norm's [channels] and
/// [images, height, width]; a cumulative sum's elements are its dimension's. Nothing in it contains a Reduce or Scan:
/// reduction i is read as element 0 of buffer
/// `loops.buffers.size() + i`, which is a local array of the kernel to come.
struct ReductionNest {
  std::vector<const ir::Expr*> kept, reduced;
  std::vector<Reduction> reductions;       ///< a body's come after the ones that it needs
  bool scans = false;                      ///< they are scans: of one reduced axis, with results for each element
  std::vector<ir::StoreTo> rowStores;      ///< do not depend on the reduced axes
  std::vector<ir::StoreTo> elementStores;  ///< do

  /// Traversals of the elements that compute reductions; storing elements that need the last of these takes one more.
  int traversals() const;
  /// Whether one traversal is all: elements are reduced and not stored, so that several CTAs or tasks can share them.
  bool isReadOnce() const { return traversals() == 1 && elementStores.empty(); }
  /// The first traversal in which the value, made of these reductions' results, can be computed.
  int traversalOf(const ir::Expr* value) const;
  /// The first traversal in which all element stores can be: traversals(), unless they need no results of the last one.
  int storingTraversal() const;
};

/// The nest of loops with reductions or scans; nothing where they have none. Error: Unsupported where these do not share their
/// axes, where there are both, or a scan of a scan, or where something is stored for some of a row's axes, or an element's, and
/// not for the others.
std::optional<ReductionNest> reductionNestOf(const ir::Loops& loops);

}  // namespace lowering
