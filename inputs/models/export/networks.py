"""The networks whose archives come with opbench: public architectures of transformers, torchvision, timm and torch itself.

Weights are random, as their constructors draw them, and leave no trace in an archive. Nothing is downloaded.
"""
import types
from unittest import mock

import timm
import torch
import torchvision
import transformers
from torch import nn

import dit
import llm
from network import Network


class Tokens(nn.Module):
    """A language model from tokens to one of its outputs. A decoder is fed with the same tokens."""

    def __init__(self, m, output, has_decoder):
        super().__init__()
        self.m = m
        self.output = output
        self.has_decoder = has_decoder

    def forward(self, ids):
        with assumed_finite(), without_mask_of_ones():
            return getattr(self.m(**arguments_of(ids, self.has_decoder)), self.output)


def assumed_finite():
    """BART clamps states of float16 where any of them is infinite. No program can hold that branch; it is taken as if none were."""
    return mock.patch("torch.isfinite", lambda _: types.SimpleNamespace(all=lambda: True))


def without_mask_of_ones():
    """Outside of an export, attention that sees every token is called without a mask, and ATen takes a faster kernel for it."""
    return mock.patch("transformers.masking_utils.is_torchdynamo_exporting", lambda: False)


def arguments_of(ids, has_decoder):
    if has_decoder:
        return {"input_ids": ids, "decoder_input_ids": ids, "use_cache": False}
    return {"input_ids": ids}


class Sequence(nn.Module):
    """The output sequence of a recurrent network, without its last state."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, x):
        return self.m(x)[0]


class PremultipliedLstm(nn.Module):
    """One layer of LSTM step by step; the products with the input are taken for all steps at once."""

    def __init__(self, inputs, hidden):
        super().__init__()
        bound = hidden**-0.5

        def uniform(*sizes):
            return nn.Parameter(torch.empty(*sizes).uniform_(-bound, bound))

        self.w_ih = uniform(4 * hidden, inputs)
        self.w_hh = uniform(4 * hidden, hidden)
        self.b_ih = uniform(4 * hidden)
        self.b_hh = uniform(4 * hidden)

    def forward(self, x):
        h = torch.zeros(x.size(1), self.w_hh.size(1), device=x.device, dtype=x.dtype)
        c = h
        states = []
        for from_input in torch.matmul(x, self.w_ih.t()).unbind(0):
            gates = from_input + torch.mm(h, self.w_hh.t()) + self.b_ih + self.b_hh
            i, f, g, o = gates.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return torch.stack(states)


def language_models(name, config, head="MaskedLM", float16=(False, False), **sizes):
    """The model with its head, NAME, and the one without, NAME.base; `float16` for one and the other."""
    has_decoder = head == "Seq2SeqLM"
    model_types = {
        "": (getattr(transformers, f"AutoModelFor{head}"), "logits"),
        ".base": (transformers.AutoModel, "last_hidden_state"),
    }
    configured = getattr(transformers, config)(**sizes)
    for (suffix, (auto, output)), has_float16 in zip(model_types.items(), float16):
        yield name + suffix, Network(
            package="transformers",
            class_name=auto._model_mapping[type(configured)].__name__,
            make=lambda auto=auto, output=output: Tokens(auto.from_config(configured), output, has_decoder),
            examples=(torch.randint(100, (3, 33)),),
            open_dims=((0, 1),),
            half=torch.float16 if has_float16 else None,
        )


def image_model(package, class_name, make, float16=False):
    return Network(package, class_name, make, (torch.randn(3, 3, 224, 224),), ((0,),), torch.float16 if float16 else None)


def from_torchvision(model, float16=False):
    return image_model("torchvision", model, getattr(torchvision.models, model), float16)


def from_timm(model):
    return image_model("timm", model, lambda: timm.create_model(model))


def transformers_networks():
    base = {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}
    bart = {f"{part}_{key}": value for part in ("encoder", "decoder")
            for key, value in (("layers", 6), ("attention_heads", 12), ("ffn_dim", 3072))}
    both = (True, True)
    yield from language_models("bert_base", "BertConfig", float16=(False, True))
    yield from language_models("distilbert", "DistilBertConfig")
    yield from language_models("albert_base", "AlbertConfig", **base)
    yield from language_models("electra", "ElectraConfig")
    yield from language_models("debertav2", "DebertaV2Config", float16=both, num_hidden_layers=12, **base)
    yield from language_models("gpt2", "GPT2Config", "CausalLM", both, use_cache=False)
    yield from language_models("t5_small", "T5Config", "Seq2SeqLM", both)
    yield from language_models("bart_base", "BartConfig", "Seq2SeqLM", both, d_model=768, **bart)


def torchvision_networks():
    for name, float16 in (("resnet18", True), ("resnet50", True), ("vgg16", False), ("alexnet", False),
                          ("mobilenet_v2", False), ("squeezenet1_1", False), ("densenet121", False), ("vit_b_16", True)):
        yield name, from_torchvision(name, float16)
    yield "resnext50", from_torchvision("resnext50_32x4d")


def timm_networks():
    yield "vit_base", from_timm("vit_base_patch16_224")
    yield "deit_base", from_timm("deit_base_distilled_patch16_224")
    yield "mixer_b16", from_timm("mixer_b16_224")
    yield "convmixer", from_timm("convmixer_768_32")
    yield "convnext_base", from_timm("convnext_base")
    yield "swin_base", from_timm("swin_base_patch4_window7_224")
    yield "efficientnet_b0", from_timm("efficientnet_b0")
    yield "regnety_002", from_timm("regnety_002")
    yield "nfnet_f0", from_timm("dm_nfnet_f0")


def recurrent_networks():
    """Inputs are of length, batch and features; torch.export fixes the length of the fused operator, too."""
    steps = {"examples": (torch.randn(100, 3, 512),), "open_dims": ((1,),), "half": torch.float16}
    yield "lstm", Network("torch", "LSTM", lambda: Sequence(nn.LSTM(512, 512)), **steps)
    yield "lstm_premul", Network("opbench", "PremultipliedLstm", lambda: PremultipliedLstm(512, 512), **steps)


def all_networks():
    """Networks by name."""
    return {name: network for family in (transformers_networks, torchvision_networks, timm_networks, recurrent_networks,
                                                     llm.networks, dit.networks)
            for name, network in family()}
