#include "inputs/model_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace inputs {
namespace {

/// Each pair is one network of the same size. The names of PyTorch are torchbench's, and the names in the lists of Hugging Face
/// and timm models that Dynamo's benchmarks have.
constexpr std::pair<std::string_view, std::string_view> names[] = {
    {"albert-base-v2", "albert_base"},
    {"hf_Albert", "albert_base"},
    {"AlbertForMaskedLM", "albert_base"},
    {"facebook/bart-base", "bart_base"},
    {"bart-base", "bart_base"},
    {"hf_Bart", "bart_base"},
    {"BartForConditionalGeneration", "bart_base"},
    {"bert-base-uncased", "bert_base"},
    {"google-bert/bert-base-uncased", "bert_base"},
    {"hf_Bert", "bert_base"},
    {"BERT_pytorch", "bert_base"},
    {"BertForMaskedLM", "bert_base"},
    {"convmixer_768_32", "convmixer"},
    {"deit_base_distilled_patch16_224", "deit_base"},
    {"distilbert-base-uncased", "distilbert"},
    {"hf_DistilBert", "distilbert"},
    {"DistilBertForMaskedLM", "distilbert"},
    {"google/electra-small-discriminator", "electra"},
    {"openai-community/gpt2", "gpt2"},
    {"hf_GPT2", "gpt2"},
    {"GPT2LMHeadModel", "gpt2"},
    {"mixer_b16_224", "mixer_b16"},
    {"dm_nfnet_f0", "nfnet_f0"},
    {"timm_nfnet", "nfnet_f0"},
    {"timm_efficientnet", "efficientnet_b0"},
    {"resnext50_32x4d", "resnext50"},
    {"swin_base_patch4_window7_224", "swin_base"},
    {"t5-small", "t5_small"},
    {"google-t5/t5-small", "t5_small"},
    {"hf_T5", "t5_small"},
    {"T5Small", "t5_small"},
    {"vit_base_patch16_224", "vit_base"},
};

}  // namespace

std::string modelNameOf(std::string_view name) {
  const auto* found = std::find_if(std::begin(names), std::end(names), [&](const auto& entry) { return entry.first == name; });
  return std::string(found == std::end(names) ? name : found->second);
}

}  // namespace inputs
