#pragma once

#include <map>
#include <vector>

#include "lowering/tensor/tensor.h"

namespace lowering {

/// The Reduce nodes of lazy tensors, noted as they are made: which element of which tensor each is.
struct Reductions {
  struct Element {
    std::size_t tensor = 0;
    Index index;
  };
  std::vector<Tensor> tensors;
  std::map<const ir::Expr*, Element> elements;
};

}  // namespace lowering
