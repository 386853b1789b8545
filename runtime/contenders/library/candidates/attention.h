#pragma once

#include "runtime/contenders/library/arguments.h"

namespace runtime::library {

/// Whether attention, or a gradient of it, is what all backends compute alike: of batches of heads, as many of queries as of
/// keys, with nothing dropped out, and causal only where there are as many keys as queries.
bool isPlainAttention(const Arguments& a);
/// Whether cuDNN and flash attention may have kernels for its heads: on a GPU, of halves, whose rows are aligned.
bool hasHalfHeads(const Arguments& a);
/// What is added to the scores: undefined where there is nothing.
at::Tensor biasOf(const Arguments& a);

/// The scale of the scores: what the call says, or ATen's default.
double scaleOf(const Arguments& a);

/// The logarithms of sums of exponentials, of as many rows as there are queries: some backends pad them.
at::Tensor unpadded(const at::Tensor& logsumexp, const at::Tensor& query);

}  // namespace runtime::library
