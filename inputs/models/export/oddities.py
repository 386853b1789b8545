"""Small archives for tests of what reads archives: one thing in each that the networks of inputs/models do not have."""
import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.export import Dim


@dataclasses.dataclass(frozen=True)
class Oddity:
    make: Callable[[], nn.Module]
    examples: tuple
    dynamic_shapes: Any = None
    keywords: dict = dataclasses.field(default_factory=dict)
    keep_weights: bool = False
    as_saved: bool = False
    training: bool = False


def numbered(*sizes):
    """Exact numbers in [-0.5, 0.5), the same on every machine."""
    count = torch.Size(sizes).numel()
    return (torch.arange(count) * 37 % 64 / 64 - 0.5).reshape(sizes)


def number_weights(module):
    with torch.no_grad():
        for tensor in module.state_dict().values():
            if tensor.is_floating_point():
                tensor.copy_(numbered(*tensor.shape))
    return module


class Mlp(nn.Module):
    """Three layers; the last two share their weight."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.second = nn.Linear(16, 16)
        self.third = nn.Linear(16, 16)
        self.third.weight = self.second.weight
        self.activation = nn.GELU()
        self.dropout = nn.Dropout(0.25)

    def forward(self, x):
        x = self.dropout(self.activation(self.first(x)))
        return self.third(self.activation(self.second(x)))


class Weights(nn.Module):
    """Weights of several dtypes, one not contiguous, two in one storage, and one that no call reads."""

    def __init__(self):
        super().__init__()
        storage = numbered(6, 4)
        self.f16 = nn.Parameter(numbered(4).half())
        self.bf16 = nn.Parameter(numbered(4).bfloat16())
        self.f64 = nn.Parameter(numbered(4).double())
        self.transposed = nn.Parameter(numbered(4, 3).t())
        self.upper = nn.Parameter(storage[:3])
        self.lower = nn.Parameter(storage[3:])
        self.unread = nn.Parameter(numbered(2))
        self.register_buffer("mask", torch.tensor([True, False, True, True]))
        self.register_buffer("steps", torch.tensor(7))
        self.register_buffer("transient", torch.tensor([3, 1, 2, 0]), persistent=False)

    def forward(self, x):
        x = x[:, self.transient] * self.f16.float() + self.bf16.float() + self.f64.float()
        return x.masked_fill(self.mask, 0) @ (self.transposed + self.upper - self.lower).t() * self.steps


class Bfloat16(nn.Module):
    """Weights in bfloat16, and a constant that stays in float32."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4).bfloat16()
        self.register_buffer("rates", numbered(4), persistent=False)

    def forward(self, x):
        return self.layer((x.float() * self.rates).to(x.dtype))


class Cond(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))


class NoGrad(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            scale = x.exp()
        return x * scale


class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            return self.layer(x)


@torch.library.custom_op("opbench_test::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


@twice.register_fake
def _(x):
    return torch.empty_like(x)


class CustomOperator(nn.Module):
    def forward(self, x):
        return torch.ops.opbench_test.twice(x).relu()


class UnboundedIntegers(nn.Module):
    """Nothing says which values the input may have."""

    def forward(self, ids):
        return (ids * 2 + 1).float()


class BoundedIntegers(nn.Module):
    """Two bounds for one input, of which 5 counts, through a view and a cast; the other input has the bound 3."""

    def __init__(self):
        super().__init__()
        self.wide = nn.Embedding(9, 4)
        self.narrow = nn.Embedding(5, 4)

    def forward(self, ids, rows):
        return (self.wide(ids.view(-1)) + self.narrow(ids.to(torch.int32).view(-1)), self.narrow.weight[:3][rows])


class IntegerInput(nn.Module):
    """An input that is a number, not a tensor."""

    def forward(self, x, n):
        return x[:, :n] * n


class Several(nn.Module):
    """Nested inputs, by keyword too, one of them unread; outputs that are an input, a constant, none, and a result given twice."""

    def forward(self, pair, named, unread, *, scale):
        total = (pair[0] + pair[1] - named["z"]) * scale
        return {"total": total, "again": [total, pair[0]], "number": 3, "none": None}


class Identity(nn.Module):
    def forward(self, x):
        return x


class Lists(nn.Module):
    """Operators with a list of results, of which some are read, and a list of tensors as argument."""

    def forward(self, x):
        first, _, last = x.split([1, 2, 3], dim=1)
        low, high = x.chunk(2, dim=1)
        values, indices = x.max(dim=1)
        return torch.cat([first, last], dim=1), low * high, values + indices, x.unbind(1)


class Arguments(nn.Module):
    """A complex number, strings, lists of floats and of optional tensors, dtypes, layouts, an infinity."""

    def forward(self, x, index):
        turned = torch.view_as_real(x * (1 + 2j))
        floored = torch.div(x, 3, rounding_mode="floor")
        product = torch.einsum("bi,bj->bij", x, x)
        larger = nn.functional.interpolate(product[:, None], scale_factor=[2.0, 1.5], mode="bilinear")
        picked = product[:, :, index]
        masked = x.masked_fill(x > 0, float("-inf")).nan_to_num(nan=0.5, neginf=-3.4e38)
        strided = larger.to(memory_format=torch.channels_last).to(torch.float64)
        return turned, floored, strided, picked, masked, nn.functional.gelu(x, approximate="tanh")


class Symbols(nn.Module):
    """Arithmetic on an open extent: a quotient, a product, a root, a sum, and a number made of it."""

    def forward(self, x):
        n = x.size(0)
        half = x[: n // 2]
        flat = x.reshape(n * 4)
        return half * n**0.5, torch.cat([flat, x.new_zeros(2 * n + 1)]), x * n


class Writes(nn.Module):
    """Writes into a buffer, into its input, and into a view of a value of its own."""

    def __init__(self):
        super().__init__()
        self.register_buffer("steps", torch.zeros((), dtype=torch.int64))
        self.register_buffer("sum", torch.zeros(4))

    def forward(self, x):
        self.steps.add_(1)
        self.sum += x.sum(0)
        y = x + 1
        y[:, 0].mul_(2)
        x.neg_()
        return y * self.sum


class Decoder(nn.Module):
    """A step of decoding, as Llama's: each text has one token more, and its keys and values stay in a cache of fixed length."""

    LAYERS, HEADS, GROUPS, WIDTH, TOKENS, TEXTS, LENGTH = 2, 4, 2, 8, 50, 2, 16

    def __init__(self):
        super().__init__()
        features = self.HEADS * self.WIDTH
        self.embedding = nn.Embedding(self.TOKENS, features)
        sizes = {"query": features, "key": self.GROUPS * self.WIDTH, "value": self.GROUPS * self.WIDTH, "out": features}
        self.layers = nn.ModuleList(
            nn.ModuleDict({name: nn.Linear(features, size, bias=False) for name, size in sizes.items()}
                          | {"gate": nn.Linear(features, 48, bias=False), "up": nn.Linear(features, 48, bias=False),
                             "down": nn.Linear(48, features, bias=False),
                             "attention_norm": nn.RMSNorm(features), "mlp_norm": nn.RMSNorm(features)})
            for _ in range(self.LAYERS))
        self.norm = nn.RMSNorm(features)
        self.head = nn.Linear(features, self.TOKENS, bias=False)
        cache = torch.zeros(self.LAYERS, self.TEXTS, self.GROUPS, self.LENGTH, self.WIDTH)
        self.register_buffer("keys", cache.clone())
        self.register_buffer("values", cache.clone())
        self.register_buffer("position", torch.zeros(1, dtype=torch.int64))

    def rotated(self, x):
        with torch.no_grad():
            rates = 10000.0 ** (-torch.arange(0, self.WIDTH, 2, dtype=torch.float32) / self.WIDTH)
            angles = (self.position.float() * rates).repeat(2)
            cosine, sine = angles.cos(), angles.sin()
        low, high = x.chunk(2, dim=-1)
        return x * cosine + torch.cat([-high, low], dim=-1) * sine

    def forward(self, ids):
        x = self.embedding(ids)
        seen = (torch.arange(self.LENGTH) <= self.position)[None]
        for number, layer in enumerate(self.layers):
            y = layer["attention_norm"](x)
            query, key, value = (layer[name](y).view(self.TEXTS, 1, -1, self.WIDTH).transpose(1, 2)
                                 for name in ("query", "key", "value"))
            self.keys[number].index_copy_(2, self.position, self.rotated(key))
            self.values[number].index_copy_(2, self.position, value)
            key, value = (cache[number].repeat_interleave(self.HEADS // self.GROUPS, dim=1) for cache in (self.keys, self.values))
            found = nn.functional.scaled_dot_product_attention(self.rotated(query), key, value, attn_mask=seen)
            x = x + layer["out"](found.transpose(1, 2).reshape(self.TEXTS, 1, -1))
            y = layer["mlp_norm"](x)
            x = x + layer["down"](nn.functional.silu(layer["gate"](y)) * layer["up"](y))
        self.position.add_(1)
        return self.head(self.norm(x))


class Random(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x, 0.5) + torch.rand_like(x) * torch.bernoulli(x.sigmoid())


BATCH = ({0: Dim.AUTO},)
AS_SAVED = f"torch_{'.'.join(torch.__version__.split('.')[:2])}"


def all_oddities():
    """Oddities by name."""
    x, y, z, row = (numbered(6, sizes) for sizes in (4, 4, 4, 8))
    ids = torch.arange(6).reshape(2, 3) % 3
    open_ids = {0: Dim.AUTO, 1: Dim.AUTO}
    batch = {0: Dim.AUTO}
    several = {"pair": (batch, batch), "named": {"z": batch}, "unread": batch, "scale": batch}
    return {
        "mlp": Oddity(Mlp, (row,), BATCH),
        "mlp_training": Oddity(Mlp, (row,), BATCH, training=True),
        "mlp_with_weights": Oddity(lambda: number_weights(Mlp()), (row,), BATCH, keep_weights=True),
        AS_SAVED: Oddity(lambda: number_weights(Mlp()), (row,), BATCH, as_saved=True),
        "weights": Oddity(Weights, (x,), BATCH),
        "weights_with_weights": Oddity(Weights, (x,), BATCH, keep_weights=True),
        "bfloat16": Oddity(Bfloat16, (x.bfloat16(),), BATCH),
        "cond": Oddity(Cond, (x,), BATCH),
        "no_grad": Oddity(NoGrad, (x,), BATCH),
        "autocast": Oddity(Autocast, (x,), BATCH),
        "custom_operator": Oddity(CustomOperator, (x,), BATCH),
        "unbounded_integers": Oddity(UnboundedIntegers, (ids,), (open_ids,)),
        "bounded_integers": Oddity(BoundedIntegers, (ids, ids[0]), (open_ids, None)),
        "integer_input": Oddity(IntegerInput, (x, 3), (batch, Dim.DYNAMIC)),
        "several": Oddity(Several, ((x, y), {"z": z}, row), several, {"scale": numbered(6, 1)}),
        "identity": Oddity(Identity, (x,), BATCH),
        "lists": Oddity(Lists, (numbered(2, 6),), BATCH),
        "arguments": Oddity(Arguments, (x, torch.tensor([2, 0])), (batch, None)),
        "symbols": Oddity(Symbols, (x,), BATCH),
        "writes": Oddity(Writes, (x,), BATCH),
        "decoder": Oddity(Decoder, (torch.tensor([[3], [7]]),)),
        "random": Oddity(Random, (x,), BATCH),
        "fixed": Oddity(Identity, (x,)),
    }
