"""Calls eager ATen alone on the arguments of a case, and prints what comes out. It needs nothing but torch.

case.json beside this script says what is called; inputs/ holds the data of its tensors. Both are read as data, and nothing in
them is run: this script is the same for every case.
"""
import json
import pathlib
import re
import sys

import torch

FOLDER = pathlib.Path(__file__).parent


def stop(what):
    sys.exit(f"driver.py: {what}")


def plain(text):
    """Text of a file in characters that a terminal only shows."""
    return str(text).encode("unicode_escape").decode("ascii")


def constant(name, *kinds):
    """A constant of torch, of one of the kinds."""
    found = getattr(torch, name, None) if isinstance(name, str) else None
    if not isinstance(found, kinds):
        stop(f"case.json names torch.{plain(name)}, which is none of {', '.join(kind.__name__ for kind in kinds)}")
    return found


def operator(name):
    """The operator of torch.ops.aten that has this name."""
    if not isinstance(name, str) or not re.fullmatch(r"aten(\.[A-Za-z0-9_]+){1,2}", name):
        stop(f"case.json names '{plain(name)}', which is no operator of aten")
    found = torch.ops
    for part in name.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        stop(f"torch has no operator {name}")
    return found


class Values:
    """Makes arguments of what case.json has for them: an object of one field, whose name says what its content is."""

    def __init__(self, device):
        self.device = torch.device(device)
        self.makers = {
            "none": lambda content: None,
            "bool": bool,
            "int": int,
            "float": float,
            "complex": lambda content: complex(float(content[0]), float(content[1])),
            "string": str,
            "list": lambda content: [self.make(item) for item in content],
            "tuple": lambda content: tuple(self.make(item) for item in content),
            "dtype": lambda content: constant(content, torch.dtype),
            "torch": lambda content: constant(content, torch.layout, torch.memory_format, torch.dtype),
            "device": torch.device,
            "tensor": self.tensor,
        }

    def make(self, value):
        if not isinstance(value, dict) or len(value) != 1:
            stop("case.json has an argument that is no object of one field")
        ((tag, content),) = value.items()
        if tag not in self.makers:
            stop(f"case.json has an argument of a kind that is unknown here: '{plain(tag)}'")
        return self.makers[tag](content)

    def tensor(self, content):
        """A tensor whose storage repeats what its file holds."""
        name = content["file"]
        if not re.fullmatch(r"[0-9]+\.bin", name):
            stop(f"case.json names the file '{plain(name)}', which is none of inputs/")
        data = bytearray((FOLDER / "inputs" / name).read_bytes())
        dtype = constant(content["dtype"], torch.dtype)
        drawn = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        elements = content["elements"]
        repeated = drawn.repeat(-(-elements // max(len(drawn), 1)))[:elements]
        return repeated.to(self.device).as_strided(content["sizes"], content["strides"])


def shown(value):
    if isinstance(value, torch.Tensor):
        return f"T({list(value.shape)}, {value.dtype}, stride={tuple(value.stride())})"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
    return ascii(value)


def main():
    try:
        case = json.loads((FOLDER / "case.json").read_text(encoding="utf-8"))
        call = operator(case["operator"])
        values = Values(case["device"])
        arguments = [values.make(value) for value in case["arguments"]]
        keywords = {name: values.make(value) for name, value in case["keywords"].items()}
    except (AttributeError, IndexError, KeyError, OSError, TypeError, ValueError) as error:
        stop(f"case.json or inputs/ cannot be read: {type(error).__name__}: {plain(error)}")
    print(f"torch {torch.__version__}")
    for line in str(case.get("about", "")).splitlines():
        print(f"# {plain(line)}")
    texts = [shown(value) for value in arguments] + [f"{plain(name)}={shown(value)}" for name, value in keywords.items()]
    print(f"torch.ops.{case['operator']}({', '.join(texts)})")
    print(call(*arguments, **keywords))


main()
