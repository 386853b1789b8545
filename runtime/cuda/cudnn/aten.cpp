// What ATen has cuDNN compute itself, under the names of the operators that it stands for.
#include <ATen/ops/_scaled_dot_product_cudnn_attention.h>
#include <ATen/ops/cudnn_batch_norm.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <tuple>
#include <utility>

#include "runtime/cuda/cudnn/library.h"

namespace runtime::cudnn {
namespace {

using OptionalTensor = std::optional<at::Tensor>;
using Normalized = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

Normalized batchNorm(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias,
                     const OptionalTensor& mean, const OptionalTensor& variance, bool isTraining, double momentum, double eps) {
  TORCH_CHECK(weight && weight->defined() && bias && bias->defined(), "cuDNN's batch norm has a weight and a bias");
  handle();
  const auto results = at::cudnn_batch_norm(input, *weight, bias, mean, variance, isTraining, momentum, eps);
  return {std::get<0>(results), std::get<1>(results), std::get<2>(results)};
}

Normalized batchNormInPlace(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, at::Tensor& mean,
                            at::Tensor& variance, bool isTraining, double momentum, double eps) {
  return batchNorm(input, weight, bias, mean, variance, isTraining, momentum, eps);
}

Normalized batchNormAlone(const at::Tensor& input, const OptionalTensor& weight, const OptionalTensor& bias, bool isTraining,
                          double momentum, double eps) {
  return batchNorm(input, weight, bias, {}, {}, isTraining, momentum, eps);
}

/// The results of attention, and the logarithms of its sums: [batch, heads, sequence].
std::pair<at::Tensor, at::Tensor> attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                            const OptionalTensor& bias, bool givesSums, double dropout, bool isCausal,
                                            std::optional<double> scale) {
  TORCH_CHECK(dropout == 0, "cuDNN draws other random numbers than ATen does");
  handle();
  const auto results =
      at::_scaled_dot_product_cudnn_attention(query, key, value, bias, givesSums, dropout, isCausal, false, scale);
  const at::Tensor& sums = std::get<1>(results);
  return {std::get<0>(results), givesSums ? sums.squeeze(-1) : sums};
}

using FlashResults =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor, at::Tensor, at::Tensor>;

/// The generator's states are left unwritten, as the call draws nothing.
FlashResults flashAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double dropout,
                            bool isCausal, bool givesMask, std::optional<double> scale) {
  TORCH_CHECK(!givesMask, "cuDNN returns no dropout mask");
  const auto [out, sums] = attention(query, key, value, {}, true, dropout, isCausal, scale);
  const at::TensorOptions ofState = query.options().dtype(at::kUInt64);
  return {out,
          sums,
          {},
          {},
          query.sym_size(2),
          key.sym_size(2),
          at::empty({2}, ofState),
          at::empty({}, ofState),
          at::empty({0}, query.options())};
}

using EfficientResults = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

EfficientResults efficientAttention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                                    const OptionalTensor& bias, bool givesSums, double dropout, bool isCausal,
                                    std::optional<double> scale) {
  constexpr int64_t padding = 32;
  TORCH_CHECK(query.dim() == 4, "query must have 4 dimensions");
  TORCH_CHECK(!givesSums || query.size(2) % padding == 0, "ATen pads the sums of ", query.size(2), " queries to a multiple of ",
              padding, ", and cuDNN does not");
  TORCH_CHECK(query.transpose(1, 2).is_contiguous(),
              "ATen lays out the result as [batch, sequence, heads, channels], and cuDNN as query, which lies otherwise");
  const auto [out, sums] = attention(query, key, value, bias, givesSums, dropout, isCausal, scale);
  const at::TensorOptions ofState = at::TensorOptions(at::kLong);
  return {out, givesSums ? sums : at::empty({query.size(0), query.size(1), 0}, query.options().dtype(at::kFloat)),
          at::empty({}, ofState), at::empty({}, ofState)};
}

}  // namespace

TORCH_LIBRARY_IMPL(cudnn, CUDA, library) {
  library.impl("native_batch_norm", &batchNorm);
  library.impl("_native_batch_norm_legit", &batchNormInPlace);
  library.impl("_native_batch_norm_legit.no_stats", &batchNormAlone);
  library.impl("_scaled_dot_product_flash_attention", &flashAttention);
  library.impl("_scaled_dot_product_efficient_attention", &efficientAttention);
}

}  // namespace runtime::cudnn
