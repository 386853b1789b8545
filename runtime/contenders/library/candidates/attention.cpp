#include "runtime/contenders/library/candidates/attention.h"

#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>

#include <cmath>

#include "runtime/contenders/library/candidate.h"

namespace runtime::library {

bool isPlainAttention(const Arguments& a) {
  const at::Tensor query = a.tensor("query"), key = a.tensor("key");
  if (query.dim() != 4 || key.dim() != 4 || query.size(1) != key.size(1) || query.numel() == 0 || key.numel() == 0) return false;
  if (a.has("enable_gqa") && a.flag("enable_gqa")) return false;
  if (a.has("return_debug_mask") && a.flag("return_debug_mask")) return false;
  return a.number("dropout_p") == 0 && (!a.flag("is_causal") || query.size(2) == key.size(2));
}

bool hasHalfHeads(const Arguments& a) {
  constexpr int64_t mostFeatures = 128, aligned = 8;
  const at::Tensor query = a.tensor("query"), value = a.tensor("value");
  const int64_t features = query.size(3);
  return a.isCuda() && at::isReducedFloatingType(query.scalar_type()) && features == value.size(3) && features <= mostFeatures &&
         features % aligned == 0;
}

at::Tensor biasOf(const Arguments& a) {
  for (const char* name : {"attn_bias", "attn_mask"})
    if (a.has(name)) return a.tensor(name);
  return {};
}

double scaleOf(const Arguments& a) {
  return a.optionalNumber("scale").value_or(1 / std::sqrt(static_cast<double>(a.tensor("query").size(3))));
}

at::Tensor unpadded(const at::Tensor& logsumexp, const at::Tensor& query) { return logsumexp.narrow(2, 0, query.size(2)); }

namespace {

constexpr std::string_view flashOp = "aten::_scaled_dot_product_flash_attention",
                           efficientOp = "aten::_scaled_dot_product_efficient_attention",
                           hostOp = "aten::_scaled_dot_product_flash_attention_for_cpu";
const std::string anyOp = "aten::scaled_dot_product_attention";

/// Whether a call has a second result, the logarithms of sums of exponentials. Seeds follow, from which nothing was drawn.
bool givesSums(const Arguments& a) {
  if (a.op() == efficientOp) return a.flag("compute_log_sumexp");
  return a.op() != anyOp;
}

/// Whether those sums have a row for each query, and no more.
bool hasPlainSums(const Arguments& a) {
  constexpr int64_t paddedTo = 32;
  return a.op() != efficientOp || !givesSums(a) || a.tensor("query").size(2) % paddedTo == 0;
}

Results resultsOf(const Arguments& a, const at::Tensor& output, const at::Tensor& sums) {
  return givesSums(a) ? Results{output, sums} : Results{output};
}

/// cuDNN's.
const Candidate cudnn{
    "cudnn", {anyOp, std::string(flashOp), std::string(efficientOp)}, [](const Arguments& a) -> Way {
      if (!isPlainAttention(a) || !hasHalfHeads(a) || !hasPlainSums(a)) return {};
      if (const at::Tensor bias = biasOf(a); bias.defined() && bias.scalar_type() != a.tensor("query").scalar_type()) return {};
      return [](const Arguments& a) {
        const at::Tensor bias = biasOf(a);
        const auto made = at::_scaled_dot_product_cudnn_attention(
            a.tensor("query"), a.tensor("key"), a.tensor("value"), bias.defined() ? std::optional(bias) : std::nullopt,
            givesSums(a), 0, a.flag("is_causal"), false, a.optionalNumber("scale"));
        if (!givesSums(a)) return Results{std::get<0>(made)};
        return Results{std::get<0>(made), std::get<1>(made).reshape(a.tensor("query").sizes().slice(0, 3))};
      };
    }};

/// Flash attention.
const Candidate flash{"flash", {anyOp, std::string(efficientOp)}, [](const Arguments& a) -> Way {
                        if (!isPlainAttention(a) || !hasHalfHeads(a) || !hasPlainSums(a) || biasOf(a).defined()) return {};
                        return [](const Arguments& a) {
                          const auto made =
                              at::_scaled_dot_product_flash_attention(a.tensor("query"), a.tensor("key"), a.tensor("value"), 0,
                                                                      a.flag("is_causal"), false, a.optionalNumber("scale"));
                          return resultsOf(a, std::get<0>(made), std::get<1>(made));
                        };
                      }};

/// The memory-efficient kernels.
const Candidate efficient{"efficient", {anyOp, std::string(flashOp)}, [](const Arguments& a) -> Way {
                            if (!isPlainAttention(a) || !a.isCuda() || biasOf(a).defined()) return {};
                            return [](const Arguments& a) {
                              const auto made = at::_scaled_dot_product_efficient_attention(
                                  a.tensor("query"), a.tensor("key"), a.tensor("value"), std::nullopt, givesSums(a), 0,
                                  a.flag("is_causal"), a.optionalNumber("scale"));
                              if (!givesSums(a)) return Results{std::get<0>(made)};
                              return Results{std::get<0>(made), unpadded(std::get<1>(made), a.tensor("query"))};
                            };
                          }};

/// Products, which keep all scores. Not of halves, to which the scores would be rounded.
const Candidate products{"products", {anyOp, std::string(hostOp)}, [](const Arguments& a) -> Way {
                           if (!isPlainAttention(a) || biasOf(a).defined() || a.flag("is_causal")) return {};
                           if (a.isCuda() || at::isReducedFloatingType(a.tensor("query").scalar_type())) return {};
                           return [](const Arguments& a) {
                             const at::Tensor scores =
                                 at::matmul(a.tensor("query").mul(scaleOf(a)), a.tensor("key").transpose(2, 3));
                             const at::Tensor sums = at::logsumexp(scores, 3, true);
                             return resultsOf(a, at::matmul(scores.sub_(sums).exp_(), a.tensor("value")), sums.squeeze(3));
                           };
                         }};

}  // namespace
}  // namespace runtime::library
