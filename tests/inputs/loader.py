"""loader.py FOLDER: reads recorded files as PyTorch's operatorbench does, and binds each call to its operator's schema.

Its loader knows two kinds of lines, evaluates what follows a count with the names below, and takes the operator from torch.ops.
Regions are no operators of PyTorch's.
Without a Python torch there is nothing to test: status 77.
"""

import math
import pathlib
import sys

try:
    import torch
except ImportError:
    sys.exit(77)

DTYPES = {
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "b8": torch.bool,
    "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "c32": torch.complex32, "c64": torch.complex64, "c128": torch.complex128,
}


def tensor(size, dtype, stride=None):
    return torch.empty(size, dtype=dtype, device="meta") if stride is None else torch.empty_strided(
        size, stride, dtype=dtype, device="meta")


NAMES = {"T": tensor, "th": torch.device, "inf": math.inf, "torch": torch, "__builtins__": {}, **DTYPES}


def operator(name):
    found = torch.ops
    for part in name.split("."):
        found = getattr(found, part)
    return found


def calls(path):
    name = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("Operator: "):
            name = line.removeprefix("Operator: ")
            continue
        assert name and line.startswith("cnt: "), f"{path}:{number}: neither an operator nor a call"
        count, _, call = line.removeprefix("cnt: ").partition(", ")
        yield number, name, int(count), eval(call, dict(NAMES))  # the project's own files


def main(folder):
    files = sorted(path for path in pathlib.Path(folder).rglob("*.txt") if path.parent.name != "regions")
    assert files, f"{folder} has no recorded files"
    read = 0
    for path in files:
        for number, name, count, (arguments, keywords) in calls(path):
            schema = operator(name)._schema
            taken = [each.name for each in schema.arguments if not each.kwarg_only]
            assert count > 0 and len(arguments) <= len(taken), f"{path}:{number}: too many arguments for {schema}"
            known = {each.name for each in schema.arguments} - set(taken[: len(arguments)])
            assert set(keywords) <= known, f"{path}:{number}: {set(keywords) - known} are not in {schema}"
            given = set(taken[: len(arguments)]) | set(keywords)
            missing = [each.name for each in schema.arguments if each.name not in given and not each.has_default_value()]
            assert not missing, f"{path}:{number}: {missing} are missing for {schema}"
            read += 1
    print(f"{len(files)} files, {read} calls")


main(sys.argv[1])
