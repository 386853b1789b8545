#include <algorithm>

#include "inputs/operators/facts.h"
#include "inputs/random.h"

namespace inputs {
namespace {

/// A symmetric matrix whose diagonal elements are larger than the sum of the other elements of their rows.
Domain positiveDefinite(const Call& call) {
  if (call.tensor(0).rank() < 2) return {};  // no matrix: ATen refuses it
  const int64_t rows = call.size(0, -1);
  return {ByPosition{[rows](const ir::Shape& at, uint64_t) {
    const int64_t row = at[at.size() - 2], column = at.back();
    return row == column ? rows + 1 : (row + column) % 3 - 1;
  }}};
}

/// The row that each row changes places with: itself or one below, from 1.
template <size_t factors>
Domain pivot(const Call& call) {
  const int64_t rows = call.size(factors, -2);
  return {ByPosition{[rows](const ir::Shape& at, uint64_t random) {
            const int64_t row = at.empty() ? 0 : std::min(at.back(), rows - 1);
            return row + 1 + integerBelow(random, std::max<int64_t>(rows - row, 1));
          }},
          {1, rows}};
}

/// The end of each group of rows, columns or terms, which is shared out evenly.
Domain groupEnds(const Call& call) {
  const bool areColumns = call.tensor(0).rank() == 3, areTerms = !areColumns && call.tensor(1).rank() == 2;
  const int64_t all = areColumns ? call.size(1, -1) : call.size(0, areTerms ? -1 : 0);
  const int64_t groups = std::max<int64_t>(call.tensor(2).numel(), 1);
  return {ByPosition{[=](const ir::Shape& at, uint64_t) {
            return static_cast<int64_t>(static_cast<Int128>((at.empty() ? 0 : at.back()) + 1) * all / groups);
          }},
          {0, all}};
}

/// Distances of order 0 count NaN on CUDA alone; distances of order 2 may be made of a product, in which infinities cancel to
/// NaN.
Domain distant(const Call& call) {
  constexpr double withoutProducts = 2;
  const double order = call.number(2, 2);
  return {order == 0 || (order == 2 && call.number(3, 0) != withoutProducts) ? ValueRange(Tame{}) : Plain{}};
}

}  // namespace

Family linearAlgebraFacts() {
  static const OperatorFacts rows[] = {
      {.operators = "mm bmm mv dot", .products = Products::OfTwo},
      {.operators = "_grouped_mm", .domains = {{2, groupEnds}}, .products = Products::Grouped},
      {.operators = "addmm _addmm_activation addmv baddbmm", .products = Products::AddedToOne},
      {.operators = "convolution", .products = Products::Convolution},
      {.operators = "convolution_backward", .products = Products::ConvolutionBackward},
      {.operators = "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu "
                    "_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention "
                    "_scaled_dot_product_fused_attention_overrideable",
       .products = Products::Attention},
      {.operators = "_scaled_dot_product_flash_attention_backward _scaled_dot_product_flash_attention_for_cpu_backward "
                    "_scaled_dot_product_efficient_attention_backward _scaled_dot_product_cudnn_attention_backward "
                    "_scaled_dot_product_fused_attention_overrideable_backward",
       .domains = {{0, Tame{}}, {1, Tame{}}, {2, Tame{}}, {3, Tame{}}},
       .saved = std::vector<SavedResult>{{0, "out"}, {1, "logsumexp"}},
       .products = Products::AttentionBackward},
      {.operators = "_cudnn_rnn", .products = Products::CudnnRnn},
      {.operators = "_cudnn_rnn_backward", .products = Products::CudnnRnnBackward},
      {.operators = "mkldnn_rnn_layer", .products = Products::OnednnRnn},
      {.operators = "mkldnn_rnn_layer_backward", .products = Products::OnednnRnnBackward},
      // A library's memory for its own backward pass.
      {.operators = "_cudnn_rnn mkldnn_rnn_layer", .judged = {{.workspaces = {3}}}},
      // The seed and the offset of a dropout, which are left unwritten where nothing is dropped.
      {.operators = "_efficient_attention_forward _flash_attention_forward _scaled_dot_product_efficient_attention",
       .judged = {{.workspaces = {2, 3}}}},
      {.operators = "_cudnn_attention_forward _scaled_dot_product_cudnn_attention _scaled_dot_product_flash_attention",
       .judged = {{.workspaces = {4, 5}}}},
      // Products of three that are infinite or NaN are so by the order in which they are taken.
      {"_trilinear", {{0, Tame{}}, {1, Tame{}}, {2, Tame{}}}},
      {"_cdist_forward", {{0, distant}, {1, distant}}},
      // Eager adds up squares and a product, in which large elements cancel.
      {"_euclidean_dist", {{0, Tame{}}, {1, Tame{}}}},
      {"linalg_cholesky linalg_cholesky_ex", {{0, positiveDefinite}}},
      // Eager squares as often as the logarithm of the norm says, without an end for NaN.
      {"linalg_matrix_exp", {{0, Tame{}}}},
      // LAPACK's pivots and ranks are any of columns whose lengths are none or too large.
      {"linalg_lstsq", {{0, Tame{}}, {1, Tame{}}}},
      {"lu_unpack linalg_lu_solve", {{1, pivot<0>}}},
      {"lu_solve", {{2, pivot<1>}}},
  };
  return rows;
}

}  // namespace inputs
