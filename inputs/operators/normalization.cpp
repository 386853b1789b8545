#include <algorithm>
#include <cmath>

#include "inputs/operators/facts.h"

namespace inputs {
namespace {

constexpr std::string_view batchNorms =
    "native_batch_norm cudnn_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional "
    "_native_batch_norm_legit_no_training _batch_norm_with_update _batch_norm_with_update_functional";
constexpr std::string_view batchNormGradients = "native_batch_norm_backward cudnn_batch_norm_backward batch_norm_backward";

/// Extent of argument 1 along the dimension of argument 2.
double extent(const Call& call) { return std::max(1.0, static_cast<double>(call.sizeAlong(1, 2))); }

/// Probabilities that add up to about 1 along that dimension.
Domain softmaxOutput(const Call& call) { return {Uniform{0, 2.0 / extent(call)}}; }

/// Logarithms of such probabilities.
Domain logSoftmaxOutput(const Call& call) {
  double mean = -std::log(extent(call));
  return {Uniform{mean - 1, mean + 0.5}};
}

/// A mean far from zero is rounded to f32, where eager's host sums in f64: of a batch of a few elements digits would be lost.
Domain batch(const Call& call) {
  constexpr int64_t few = 64;
  const int64_t channels = std::max<int64_t>(call.size(0, 1), 1);
  return {call.tensor(0).numel() / channels < few ? ValueRange(Uniform{-2, 2}) : Tame{}};
}

}  // namespace

Family normalizationFacts() {
  static const OperatorFacts rows[] = {
      // Of large gradients a small difference is left.
      {"_softmax_backward_data", {{0, Tame{}}, {1, softmaxOutput}}},
      {"_log_softmax_backward_data", {{0, Tame{}}, {1, logSoftmaxOutput}}},
      // Beside large elements the mean of a norm is rounded as a sum is, which is more than one of its elements may be off. Eager
      // folds mean, scale and shift into one product and one sum, in which large or infinite ones cancel or do not.
      {"native_layer_norm", {{0, Tame{}}, {2, Tame{}}, {3, Tame{}}}},
      {"rms_norm _fused_rms_norm", {{0, Tame{}}, {2, Tame{}}}},
      {.operators = "native_group_norm", .domains = {{0, Tame{}}, {1, Tame{}}, {2, Tame{}}}, .combined = Combined::AllButFirst},
      {.operators = batchNorms,
       .domains = {{0, batch}, {1, Tame{}}, {2, Tame{}}, {3, Tame{}}, {4, variance}},
       .combined = Combined::AllButChannels},
      // Evaluation hands on the running mean as the mean.
      {.operators = "native_batch_norm", .judged = {{.copies = {1}}}},
      // A library's memory for its own backward pass.
      {.operators = "_batch_norm_with_update cudnn_batch_norm", .judged = {{.workspaces = {3}}}},
      // Gradients of norms are small differences of large sums, which a large element would hide.
      {"native_layer_norm_backward", {{0, Tame{}}, {1, Tame{}}, {3, Tame{}}, {4, variance}, {5, Tame{}}}},
      {"_fused_rms_norm_backward", {{0, Tame{}}, {1, Tame{}}, {3, variance}, {4, Tame{}}}},
      {.operators = "native_group_norm_backward",
       .domains = {{0, Tame{}}, {1, Tame{}}, {2, Tame{}}, {3, variance}, {4, Tame{}}},
       .combined = Combined::AllButFirst},
      // What is small beside large gradients and means: results are to fit into halves.
      {.operators = batchNormGradients,
       .domains = {{0, Tame{}}, {1, Tame{}}, {2, variance}, {3, Tame{}}, {4, variance}, {5, Tame{}}, {6, variance}},
       .combined = Combined::AllButChannels},
  };
  return rows;
}

}  // namespace inputs
