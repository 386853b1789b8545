#pragma once

#include <string>
#include <string_view>

namespace inputs {

/// The name that a network has here, by its name on Hugging Face's hub, in timm, or in PyTorch's benchmarks: `bert_base` for
/// `bert-base-uncased` and `hf_Bert`. Another text is its own name.
std::string modelNameOf(std::string_view name);

}  // namespace inputs
