#pragma once

#include <string_view>

namespace inputs {

/// Operators (Call::isOneOf) that normalise each channel, which is dimension 1 of their first argument, and their gradients.
inline constexpr std::string_view batchNorms =
    "native_batch_norm cudnn_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional "
    "_native_batch_norm_legit_no_training _batch_norm_with_update _batch_norm_with_update_functional";
inline constexpr std::string_view batchNormGradients = "native_batch_norm_backward cudnn_batch_norm_backward batch_norm_backward";

}  // namespace inputs
