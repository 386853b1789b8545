"""Transformers of today at the widths of published ones, with few of their layers: language models, for a text and for a step of
decoding, and networks for images and speech.

Weights are memory that nobody writes or reads, so that the models may be large.
"""
import contextlib
from unittest import mock

import torch
import transformers
from torch import nn
from transformers import masking_utils
from transformers.initialization import no_init_weights

from network import Network

CONTEXT = 2048  # tokens that a cache has room for


def outside_of_an_export():
    """In an export transformers makes masks that eager runs go without, repeats keys and values for their groups of heads, and
    replaces products of groups by a loop; these programs are what it runs outside of one. A mask for a window of tokens is always
    made, as it is for texts longer than the window."""
    skips_mask = masking_utils._ignore_causal_mask_sdpa

    def skips_mask_without_window(*arguments, local_attention_size=None):
        return local_attention_size is None and skips_mask(*arguments)

    def positional(padding_mask, q_length, kv_length, q_offset, kv_offset, local_attention_size=None):
        return skips_mask_without_window(padding_mask, q_length, kv_length, q_offset, kv_offset,
                                         local_attention_size=local_attention_size)

    patches = contextlib.ExitStack()
    for name, value in {
        "transformers.masking_utils.is_torchdynamo_exporting": lambda: False,
        "transformers.masking_utils._ignore_causal_mask_sdpa": positional,
        "transformers.masking_utils.find_packed_sequence_indices": lambda _: None,  # no text has several parts
        "transformers.integrations.sdpa_attention.is_torchdynamo_compiling": lambda: False,
        "transformers.integrations.moe.is_torchdynamo_compiling": lambda: False,
        "torch._meta_registrations._meta_grouped_mm_common": product_of_groups,
    }.items():
        patches.enter_context(mock.patch(name, value))
    return patches


def product_of_groups(x, weights, **_):
    """The sizes of the result; torch's own function refuses float32, which ATen computes as well."""
    return x.new_empty(x.shape[0], weights.shape[-1])


class Text(nn.Module):
    """Logits of all tokens of a text, which nobody continues: there is no cache."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, ids):
        with outside_of_an_export():
            return self.m(input_ids=ids, use_cache=False).logits


class Pooled(nn.Module):
    """The one state that a tower makes of an image."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x):
        with outside_of_an_export():
            return self.m(pixel_values=x).pooler_output


class Speech(nn.Module):
    """Logits of all tokens of the text that is heard in a spectrogram."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, features, ids):
        with outside_of_an_export():
            return self.m(input_features=features, decoder_input_ids=ids, use_cache=False).logits


class Step(nn.Module):
    """A step of decoding: each text has one token more, the last one that fits its cache of keys and values."""

    def __init__(self, m, texts, cached):
        super().__init__()
        self.m = m
        self.cache = transformers.StaticCache(config=m.config, max_cache_len=CONTEXT)
        for number, layer in enumerate(self.cache.layers):
            heads, *widths = cached
            layer.lazy_initialization(*(torch.empty(texts, heads, 0, width) for width in widths))
            layer.cumulative_length_int = CONTEXT - 1
            self.register_buffer(f"keys_{number}", layer.keys)
            self.register_buffer(f"values_{number}", layer.values)
            self.register_buffer(f"length_{number}", torch.tensor(CONTEXT - 1))

    def forward(self, ids):
        for number, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = getattr(self, f"keys_{number}"), getattr(self, f"values_{number}")
            layer.cumulative_length = getattr(self, f"length_{number}")
        with outside_of_an_export():
            return self.m(input_ids=ids, past_key_values=self.cache, use_cache=True).logits


def made(model, config, **options):
    """A model whose weights are memory that nobody has written."""
    with no_init_weights():
        m = model._from_config(config, **options)
    m.tie_weights()
    return m


def language_model(name, model, config, note, cached=None, experts=(None, None, None), **options):
    """NAME, for texts and training, and NAME_decode_1 and NAME_decode_32, a step of one text and of 32. `cached` are heads and
    widths of keys and values; `experts` is how experts are computed in each."""
    common = {"package": "transformers", "class_name": model.__name__, "half": torch.bfloat16}
    cached = cached or (config.num_key_value_heads, config.head_dim, config.head_dim)

    def named(experts):
        return f"{note}; `{experts}`" if experts else note

    def configured(experts):
        return made(model, config, **options, **({"experts_implementation": experts} if experts else {}))

    yield name, Network(make=lambda: Text(configured(experts[0])), examples=(torch.randint(100, (3, 33)),), open_dims=((0, 1),),
                        note=named(experts[0]), **common)
    for texts, of_step in zip((1, 32), experts[1:]):
        yield f"{name}_decode_{texts}", Network(
            make=lambda texts=texts, of_step=of_step: Step(configured(of_step), texts, cached), trains=False,
            examples=(torch.randint(100, (texts, 1)),), open_dims=((),), note=named(of_step), **common)


def llama3():
    yield from language_model("llama3", transformers.LlamaForCausalLM, transformers.LlamaConfig(
        vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=2, num_attention_heads=32,
        num_key_value_heads=8, head_dim=128, max_position_embeddings=8192, rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0}), "Llama-3-8B, 2 layers of 32")


def qwen3():
    common = {"vocab_size": 151936, "num_hidden_layers": 2, "num_attention_heads": 32, "head_dim": 128,
              "max_position_embeddings": 40960, "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}}
    yield from language_model("qwen3", transformers.Qwen3ForCausalLM, transformers.Qwen3Config(
        hidden_size=2560, intermediate_size=9728, num_key_value_heads=8, tie_word_embeddings=True, **common),
        "Qwen3-4B, 2 layers of 36")
    yield from language_model("qwen3_moe", transformers.Qwen3MoeForCausalLM, transformers.Qwen3MoeConfig(
        hidden_size=2048, num_key_value_heads=4, moe_intermediate_size=768, num_experts=128, num_experts_per_tok=8,
        norm_topk_prob=True, **common),
        "Qwen3-30B-A3B, 2 layers of 48", experts=("grouped_mm", "batched_mm", "grouped_mm"))


def gemma():
    common = {"num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
              "layer_types": ["sliding_attention", "full_attention"]}
    yield from language_model("gemma3", transformers.Gemma3ForCausalLM, transformers.Gemma3TextConfig(
        vocab_size=262208, hidden_size=2560, intermediate_size=10240, sliding_window=1024, **common),
        "Gemma-3-4B, 2 layers of 34: one with a window of 1024 tokens, one without")
    yield from language_model("gemma2", transformers.Gemma2ForCausalLM, transformers.Gemma2Config(
        vocab_size=256000, hidden_size=2304, intermediate_size=9216, sliding_window=4096, **common),
        "Gemma-2-2B, 2 layers of 26; soft caps, without fused attention", attn_implementation="eager")


def deepseek():
    yield from language_model("deepseek_v3", transformers.DeepseekV3ForCausalLM, transformers.DeepseekV3Config(
        vocab_size=16160, n_routed_experts=32, num_hidden_layers=2, first_k_dense_replace=1, num_mtp_layers=0),
        "DeepSeek-V3, 2 layers of 61, one of experts; an eighth of the 256 experts and of the 129,280 tokens",
        cached=(1, 512, 64), experts=("grouped_mm", "batched_mm", "grouped_mm"))


def siglip():
    config = transformers.SiglipVisionConfig(hidden_size=1152, intermediate_size=4304, num_hidden_layers=4, num_attention_heads=16,
                                             image_size=384, patch_size=14)
    yield "siglip", Network(
        "transformers", "SiglipVisionModel", lambda: Pooled(made(transformers.SiglipVisionModel, config)),
        (torch.randn(3, 3, 384, 384),), ((0,),), torch.bfloat16, note="SigLIP-so400m/14 at 384, 4 layers of 27")


def whisper():
    config = transformers.WhisperConfig(
        vocab_size=51866, num_mel_bins=128, d_model=1280, encoder_layers=2, decoder_layers=2, encoder_attention_heads=20,
        decoder_attention_heads=20, encoder_ffn_dim=5120, decoder_ffn_dim=5120)
    yield "whisper", Network(
        "transformers", "WhisperForConditionalGeneration", lambda: Speech(made(transformers.WhisperForConditionalGeneration, config)),
        (torch.randn(3, 128, 3000), torch.randint(100, (3, 33))), ((0,), (0, 1)), torch.bfloat16,
        note="Whisper-large-v3, 2 and 2 layers of 32 and 32")


def networks():
    for architecture in (llama3, qwen3, gemma, deepseek, siglip, whisper):
        yield from architecture()
