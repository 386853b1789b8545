"""What a network is to the exporter: how to make it, what to feed it, and in which forms its program is exported."""
import dataclasses
from collections.abc import Callable

import torch
from torch import nn
from torch.export import Dim


@dataclasses.dataclass(frozen=True)
class Network:
    package: str
    class_name: str
    make: Callable[[], nn.Module]
    examples: tuple[torch.Tensor, ...]
    open_dims: tuple[tuple[int, ...], ...]  # of each input: those whose extent the user chooses
    half: torch.dtype | None = None  # the dtype beside float32 that there are archives in
    trains: bool = True  # whether there are archives for training
    note: str = ""  # where it differs from the published network

    def dynamic_shapes(self):
        return tuple({dim: Dim.AUTO for dim in dims} or None for dims in self.open_dims)

    def dtypes(self):
        return (torch.float32,) if self.half is None else (torch.float32, self.half)

    def modes(self):
        return (False, True) if self.trains else (False,)


def name_of(dtype):
    """float16, without the module that torch prints."""
    return str(dtype).removeprefix("torch.")
