"""A diffusion transformer with adaptive layer norms: DiT-XL/2 (Peebles and Xie, 2022) on latents of 32x32, with few of its layers."""
import torch
from torch import nn

from network import Network

WIDTH, HEADS, LAYERS = 1152, 16, 4
CHANNELS, SIDE, PATCH = 4, 32, 2
CLASSES, FREQUENCIES = 1000, 256


def modulated(x, shift, scale):
    return x * (1 + scale[:, None]) + shift[:, None]


def angles_of(positions, count, slowest):
    """Cosines and sines of positions at frequencies from 1 down to almost 1 / slowest."""
    rates = slowest ** (-torch.arange(count, dtype=torch.float32, device=positions.device) / count)
    angles = positions.float()[..., None] * rates
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


class Block(nn.Module):
    """Attention and a perceptron, each between a norm and a gate that the condition sets."""

    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(WIDTH, elementwise_affine=False, eps=1e-6)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.mlp_norm = nn.LayerNorm(WIDTH, elementwise_affine=False, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"), nn.Linear(4 * WIDTH, WIDTH))
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(WIDTH, 6 * WIDTH))

    def attention(self, x):
        query, key, value = self.qkv(x).unflatten(2, (3, HEADS, WIDTH // HEADS)).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(nn.functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2))

    def forward(self, x, condition):
        shift, scale, gate, mlp_shift, mlp_scale, mlp_gate = self.modulation(condition).chunk(6, dim=1)
        x = x + gate[:, None] * self.attention(modulated(self.attention_norm(x), shift, scale))
        return x + mlp_gate[:, None] * self.mlp(modulated(self.mlp_norm(x), mlp_shift, mlp_scale))


class DiffusionTransformer(nn.Module):
    """Noise and its variance from noisy latents, their times, and the classes of their images; one class more stands for any."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(CHANNELS, WIDTH, PATCH, stride=PATCH)
        self.register_buffer("positions", self.grid())
        self.time = nn.Sequential(nn.Linear(FREQUENCIES, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.classes = nn.Embedding(CLASSES + 1, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH, elementwise_affine=False, eps=1e-6)
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(WIDTH, 2 * WIDTH))
        self.out = nn.Linear(WIDTH, PATCH * PATCH * 2 * CHANNELS)

    @staticmethod
    def grid():
        """What a patch's row and column add to it."""
        row, column = torch.meshgrid(*2 * [torch.arange(SIDE // PATCH)], indexing="ij")
        return torch.cat([angles_of(axis.flatten(), WIDTH // 4, 10000) for axis in (row, column)], dim=-1)[None]

    def forward(self, latents, time, classes):
        x = self.patches(latents).flatten(2).transpose(1, 2) + self.positions
        condition = self.time(angles_of(time, FREQUENCIES // 2, 10000).to(x.dtype)) + self.classes(classes)
        for block in self.blocks:
            x = block(x, condition)
        shift, scale = self.modulation(condition).chunk(2, dim=1)
        x = self.out(modulated(self.norm(x), shift, scale))
        side = SIDE // PATCH
        return x.unflatten(1, (side, side)).unflatten(3, (PATCH, PATCH, 2 * CHANNELS)).permute(0, 5, 1, 3, 2, 4).flatten(4).flatten(2, 3)


def networks():
    examples = (torch.randn(3, CHANNELS, SIDE, SIDE), torch.rand(3), torch.randint(CLASSES, (3,)))
    yield "dit_xl_2", Network("opbench", "DiffusionTransformer", DiffusionTransformer, examples, 3 * ((0,),), torch.bfloat16,
                              note=f"{LAYERS} layers of 28")
