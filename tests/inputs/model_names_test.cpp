#include "inputs/model_names.h"

#include <doctest/doctest.h>

TEST_CASE("networks have their names of Hugging Face's hub, of timm and of PyTorch's benchmarks as well") {
  for (const char* name : {"bert-base-uncased", "hf_Bert", "BERT_pytorch", "bert_base"})
    CHECK(inputs::modelNameOf(name) == "bert_base");
  CHECK(inputs::modelNameOf("vit_base_patch16_224") == "vit_base");
  CHECK(inputs::modelNameOf("timm_vision_transformer") == "timm_vision_transformer");  // which is smaller than any of ours
}
