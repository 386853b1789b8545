#include <ATen/ops/_scaled_dot_product_cudnn_attention_backward.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_backward.h>
#include <ATen/ops/empty.h>

#include "runtime/contenders/library/candidate.h"
#include "runtime/contenders/library/candidates/attention.h"

namespace runtime::library {
namespace {

const std::string flashBackwardOp = "aten::_scaled_dot_product_flash_attention_backward",
                  efficientBackwardOp = "aten::_scaled_dot_product_efficient_attention_backward";

at::Tensor outputGradient(const Arguments& a) { return a.tensor(a.op() == efficientBackwardOp ? "grad_out_" : "grad_out"); }

/// Whether the gradients of queries, keys and values are asked for, and no other.
bool isOfThree(const Arguments& a) {
  if (a.op() != efficientBackwardOp) return true;
  const std::vector<bool> asked = a.flags("grad_input_mask");
  return asked[0] && asked[1] && asked[2] && !biasOf(a).defined();
}

bool applies(const Arguments& a) { return isPlainAttention(a) && hasHalfHeads(a) && isOfThree(a); }

/// The sums of the forward call.
at::Tensor sumsOf(const Arguments& a) { return unpadded(a.tensor("logsumexp"), a.tensor("query")); }

/// A seed that nothing is drawn from.
at::Tensor noSeed(const Arguments& a) { return at::empty({}, a.tensor("query").options().dtype(at::kLong)); }

/// cuDNN's.
const Candidate cudnnBackward{"cudnn", {flashBackwardOp, efficientBackwardOp}, [](const Arguments& a) -> Way {
                                if (!applies(a)) return {};
                                return [](const Arguments& a) -> Results {
                                  const at::Tensor query = a.tensor("query"), key = a.tensor("key"), none;
                                  const auto [ofQuery, ofKey, ofValue] = at::_scaled_dot_product_cudnn_attention_backward(
                                      outputGradient(a), query, key, a.tensor("value"), a.tensor("out"),
                                      sumsOf(a).unsqueeze(-1).contiguous(), noSeed(a), noSeed(a), none, none, none, query.size(2),
                                      key.size(2), 0, a.flag("is_causal"), a.optionalNumber("scale"));
                                  return {ofQuery, ofKey, ofValue};
                                };
                              }};

/// Flash attention's.
const Candidate flashBackward{"flash", {efficientBackwardOp}, [](const Arguments& a) -> Way {
                                if (!applies(a)) return {};
                                return [](const Arguments& a) -> Results {
                                  const at::Tensor query = a.tensor("query"), key = a.tensor("key"), none;
                                  const auto [ofQuery, ofKey, ofValue] = at::_scaled_dot_product_flash_attention_backward(
                                      outputGradient(a), query, key, a.tensor("value"), a.tensor("out"), sumsOf(a).contiguous(),
                                      none, none, query.size(2), key.size(2), 0, a.flag("is_causal"), noSeed(a), noSeed(a),
                                      a.optionalNumber("scale"));
                                  return {ofQuery, ofKey, ofValue};
                                };
                              }};

}  // namespace
}  // namespace runtime::library
