#include "runtime/torch/float64_forms.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/error.h"

namespace runtime {
namespace {

/// The products of groups. Group i ends at offset i: in the rows of the first operand, in the columns of the second one, or in
/// the dimension that both are summed over. Without offsets each matrix is a group.
c10::IValue groupedProduct(const std::vector<c10::IValue>& arguments) {
  const at::Tensor a = arguments.at(0).toTensor(), b = arguments.at(1).toTensor();
  if (!arguments.at(3).isNone()) ir::fail(ir::ErrorKind::Unsupported, "aten._grouped_mm in float64 takes no bias");
  const bool isGroupedA = a.dim() == 2, isGroupedB = b.dim() == 2;
  if (!isGroupedA && !isGroupedB) return at::bmm(a, b);
  const at::Tensor offsets = arguments.at(2).toTensor().cpu().to(at::kLong);
  std::vector<at::Tensor> products;
  int64_t begin = 0;
  for (int64_t group = 0; group < offsets.numel(); ++group) {
    const int64_t end = offsets.const_data_ptr<int64_t>()[group];
    const at::Tensor left = !isGroupedA ? a.select(0, group) : a.slice(isGroupedB ? 1 : 0, begin, end);
    const at::Tensor right = !isGroupedB ? b.select(0, group) : b.slice(isGroupedA ? 0 : 1, begin, end);
    products.push_back(at::mm(left, right));
    begin = end;
  }
  if (isGroupedA && isGroupedB) return at::stack(products);
  return at::cat(products, isGroupedA ? 0 : 1);
}

/// Attention without dropout: what queries attend to, [batch, heads, queries or keys, features], and how.
struct Attention {
  at::Tensor query, key, value;
  c10::IValue bias;  ///< or None, or an undefined tensor
  bool isCausal = false;
  c10::IValue wantedScale;  ///< or None

  double scale() const {
    return wantedScale.isNone() ? 1 / std::sqrt(static_cast<double>(query.size(3))) : wantedScale.toDouble();
  }
  int64_t shared() const { return query.size(1) / key.size(1); }  ///< heads of queries to a head of keys
  at::Tensor ofQueries(const at::Tensor& keys) const { return shared() == 1 ? keys : keys.repeat_interleave(shared(), 1); }
  /// Sums over the heads of queries that share a head of keys.
  at::Tensor ofKeys(const at::Tensor& gradient) const { return gradient.unflatten(1, {key.size(1), shared()}).sum(2); }
  at::Tensor scores() const {
    at::Tensor scores = at::matmul(query, ofQueries(key).transpose(2, 3)) * scale();
    if (bias.isTensor() && bias.toTensor().defined()) scores = scores + bias.toTensor();
    if (isCausal) {
      const at::Tensor isLater = at::ones_like(scores, at::kBool).triu(1);
      scores = scores.masked_fill(isLater, -std::numeric_limits<double>::infinity());
    }
    return scores;
  }
};

/// The output, the logarithms of the sums of exponentials where they are asked for, and the seed and the offset of the dropout.
c10::IValue attention(const std::vector<c10::IValue>& a) {
  if (a.at(5).toDouble() != 0 || a.at(7).toBool())
    ir::fail(ir::ErrorKind::Unsupported, "attention in float64 drops nothing out, and returns no mask");
  const Attention attention{a.at(0).toTensor(), a.at(1).toTensor(), a.at(2).toTensor(), a.at(3), a.at(6).toBool(), a.at(8)};
  const at::Tensor scores = attention.scores(), sums = at::logsumexp(scores, 3, true);
  std::vector<c10::IValue> results{at::matmul((scores - sums).exp(), attention.ofQueries(attention.value))};
  if (a.at(4).toBool()) results.emplace_back(sums);
  for (int i = 0; i < 2; ++i) results.emplace_back(at::zeros({}, scores.options().dtype(at::kLong)));
  return c10::ivalue::Tuple::create(std::move(results));
}

/// The gradients of query, key and value, from the output and the logarithms that the call is given.
c10::IValue attentionBackward(const std::vector<c10::IValue>& a) {
  if (a.at(13).toDouble() != 0) ir::fail(ir::ErrorKind::Unsupported, "attention in float64 drops nothing out");
  const Attention attention{a.at(1).toTensor(), a.at(2).toTensor(), a.at(3).toTensor(), a.at(8), a.at(14).toBool(), a.at(15)};
  const at::Tensor gradient = a.at(0).toTensor(), output = a.at(4).toTensor();
  const at::Tensor sums = a.at(5).toTensor().reshape({gradient.size(0), gradient.size(1), gradient.size(2), 1});
  const at::Tensor weights = (attention.scores() - sums).exp();
  const at::Tensor ofWeights = at::matmul(gradient, attention.ofQueries(attention.value).transpose(2, 3));
  const at::Tensor ofScores = weights * (ofWeights - (gradient * output).sum(3, true)) * attention.scale();
  return c10::ivalue::Tuple::create(at::matmul(ofScores, attention.ofQueries(attention.key)),
                                    attention.ofKeys(at::matmul(ofScores.transpose(2, 3), attention.query)),
                                    attention.ofKeys(at::matmul(weights.transpose(2, 3), gradient)));
}

c10::IValue none(const std::vector<c10::IValue>& /*arguments*/) {
  ir::fail(ir::ErrorKind::Unsupported, "ATen has no form of this operator in float64");
}

struct FormOf {
  std::string_view op;
  Float64Form form;
};

/// cuDNN's attention takes doubles, and reads them as if they were bfloat16.
constexpr FormOf forms[] = {{"aten._grouped_mm.default", groupedProduct},
                            {"aten._scaled_dot_product_cudnn_attention.default", attention},
                            {"aten._scaled_dot_product_cudnn_attention_backward.default", attentionBackward},
                            {"aten._cudnn_attention_forward.default", none},
                            {"aten._cudnn_attention_backward.default", none}};

}  // namespace

Float64Form float64FormOf(const std::string& op) {
  const auto* found = std::find_if(std::begin(forms), std::end(forms), [&](const FormOf& each) { return each.op == op; });
  return found == std::end(forms) ? nullptr : found->form;
}

}  // namespace runtime
