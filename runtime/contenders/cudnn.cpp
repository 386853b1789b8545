#include "runtime/contenders/cudnn.h"

#include <torch/library.h>

#include <string>

namespace runtime {
namespace {

constexpr const char* cudnnSchemas[] = {
    "_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    "_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
    "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor",
    "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
    "native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, "
    "Tensor)",
    "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, "
    "float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, "
    "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
    "_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> "
    "(Tensor, Tensor, Tensor)",
    "_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, "
    "bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, "
    "Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)",
    "_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, "
    "bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? scale=None) -> (Tensor output, "
    "Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)",
};

void refuseOnCpu(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack*) {
  TORCH_CHECK(false, "cuDNN computes on a GPU alone");
}

}  // namespace

std::span<const char* const> cudnnOperators() { return cudnnSchemas; }

/// The operators are known before a GPU is: on a CPU they refuse every call.
TORCH_LIBRARY(cudnn, library) {
  for (const char* schema : cudnnOperators()) {
    library.def(schema);
    const std::string text = schema;
    library.impl(text.substr(0, text.find('(')).c_str(),
                 torch::dispatch(c10::DispatchKey::CPU, torch::CppFunction::makeFromBoxedFunction<&refuseOnCpu>()));
  }
}

}  // namespace runtime
