#pragma once

#include <cstddef>

#include "lowering/tensor/tensor.h"

namespace lowering {

/// Lazy tensors that loops of their own store, and scatter to, in this order and before all other loops: intermediates. They are
/// values of a graph, numbered on from its own.
struct Stored {
  std::size_t first = 0;  ///< the number of the first
  Tensors tensors;
};

}  // namespace lowering
