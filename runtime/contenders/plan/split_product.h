#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "ir/graph.h"
#include "lowering/graph/product.h"
#include "runtime/capture/bound_call.h"

namespace runtime {

/// A product of matrices that writes memory which it is given. One of halves may be in parts: where a size is no multiple of a
/// vector's 8, such as a vocabulary of 50,257 words, cuBLAS takes five times as long on a GPU as with the next smaller multiple.
/// So the part up to that multiple is a product of its own, and one or two small ones make what is left. Of terms that are summed
/// the few last ones are summed first, and the others onto them, all in float32: only the sum of these few is rounded once more.
class SplitProduct {
 public:
  /// The product that a call is, in parts where it has so many multiplications and additions; nothing for other calls.
  static std::optional<SplitProduct> of(const ir::Node& node, const ir::Graph& graph, double leastOperations);

  /// The value that it makes, which is there when it runs.
  int output() const { return product_.result; }
  /// Whether it is a single product.
  bool isWhole() const { return isWhole_; }
  void run(const BoundCall::TensorOf& tensorOf) const;

 private:
  SplitProduct(const lowering::Product& product, int64_t rows, int64_t columns, int64_t terms, bool isWhole)
      : product_(product), rows_(rows), columns_(columns), terms_(terms), isWhole_(isWhole) {}
  void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, const at::Tensor& bias) const;

  lowering::Product product_;
  int64_t rows_, columns_, terms_;  ///< sizes of the large part
  bool isWhole_;
};

}  // namespace runtime
