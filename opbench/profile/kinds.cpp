#include "opbench/profile/kinds.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "inputs/text/words.h"

namespace opbench::profile {
namespace {

/// Kinds and what the names of their kernels have in them, in lower case; behind `^`, what they begin with. The first match
/// counts: `sdpa_sm90_flash_fprop` is attention before it is a convolution, `xmma_fprop_implicit_gemm` a convolution before it is
/// a product.
constexpr std::pair<std::string_view, std::string_view> kinds[] = {
    {"generated", "^group |^aten_|^triton_"},
    {"attention", "flash|fmha|attention|sdpa"},
    {"norms",
     "batch_norm|layer_norm|group_norm|instance_norm|rms_norm|batchnorm|layernorm|groupnorm|rmsnorm|bn_fw|bn_bw|rowwisemoments|"
     "gammabeta|fusedparams|internalgradients"},
    {"copies",
     "memcpy|memset|copy_kernel|copyfunctor|fillfunctor|catarraybatchedcopy|nchwto|nhwcto|addpadding|tensortransform|"
     "aten::copy_|aten::fill_|aten::zero_|aten::cat|aten::clone|aten::_to_copy"},
    {"convolutions",
     "fprop|dgrad|wgrad|implicit_gemm|implicit_convolve|winograd|convolve|convolution|conv1d|conv2d|conv3d|conv_depthwise|"
     "im2col|col2im|vol2col|scudnn|hcudnn|cutlass__5x_cudnn|cudnn_generated|cudnn::cnn"},
    {"products", "gemm|gemv|nvjet|cublas|cutlass|splitkreduce|::mm|::bmm|::addmm|::baddbmm|::linear|::matmul"},
};

bool matches(std::string_view name, std::string_view pattern) {
  return pattern.starts_with('^') ? name.starts_with(pattern.substr(1)) : name.find(pattern) != std::string_view::npos;
}

}  // namespace

std::string_view kindOf(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [kind, patterns] : kinds)
    for (const std::string_view pattern : inputs::split(patterns, "|"))
      if (matches(lower, pattern)) return kind;
  return "other";
}

std::vector<KindSpent> byKind(const std::vector<Spent>& spent) {
  std::vector<KindSpent> all;
  for (const Spent& one : spent) {
    const std::string_view kind = kindOf(one.name);
    auto found = std::find_if(all.begin(), all.end(), [&](const KindSpent& each) { return each.kind == kind; });
    if (found == all.end()) found = all.insert(all.end(), {kind, 0});
    found->seconds += one.seconds;
  }
  std::stable_sort(all.begin(), all.end(), [](const KindSpent& a, const KindSpent& b) { return a.seconds > b.seconds; });
  return all;
}

}  // namespace opbench::profile
