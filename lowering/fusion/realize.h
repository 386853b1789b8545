#pragma once

#include <vector>

#include "ir/graph.h"
#include "ir/loops.h"
#include "lowering/fusion/intermediates.h"
#include "lowering/tensor/stored.h"
#include "lowering/tensor/tensor.h"

namespace lowering {

/// A value that is scattered to once its first elements are stored.
struct Scattered {
  int value = -1;
  Tensor first;
  bool isThere = false;  ///< whether memory holds the first elements already, as an argument that is written in place does
};

/// The lazy tensors of a graph, by value, and which of them have to be stored. Loads in them name values, not buffers.
struct Lowered {
  std::vector<Tensor> values;
  std::vector<int> stored;
  std::vector<Scattered> scattered;
  Stored intermediates;  ///< stored before all others
};

/// Loops that store these, in the order in which they run, else the largest domain first. Tensors of one domain share loops; a
/// smaller one (a row's sum, a channel's mean) joins the loops of a larger one that computes all the reductions it is made of.
/// A reduction that loops cannot compute themselves becomes one of `intermediates`: loops before them store it. What is scattered
/// is accumulated or stored by loops of its own, after all others that do not read it as one of the stored tensors.
std::vector<ir::Loops> realize(const ir::Graph& graph, const std::string& name, const ir::ExprPoolPtr& pool,
                               const Lowered& lowered, Intermediates& intermediates);

}  // namespace lowering
