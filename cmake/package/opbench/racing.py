"""Functions of Python as contenders."""

import ctypes
import json
import os
import pathlib
import re
import signal
import sys
import tempfile

BIN = pathlib.Path(__file__).resolve().parent / "bundle" / "bin"
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
registered = {}  # by name: what torch knows of a function as long as it is held


def library():
    """The program, in this process. Its libraries are those that torch has loaded, but for one of its own."""
    import torch

    folder = pathlib.Path(os.environ.get("OPBENCH_LIBRARY", BIN))
    built = (folder.parent / "share" / "opbench" / "torch").read_text().strip()  # the version that the program is built with
    release = built.rpartition(".")[0]
    if not torch.__version__.startswith(release + "."):
        raise ImportError(f"this opbench runs with torch {release}, this is {torch.__version__}: pip install torch=={built}")
    for name in [*sorted(folder.glob("libyaml-cpp.so.*")), folder / "libopbench.so"]:
        program = ctypes.CDLL(str(name), mode=ctypes.RTLD_GLOBAL)
    return program


def overload(op):
    """ATen's operator of a name such as aten.add.Tensor, add.Tensor or _softmax."""
    import torch

    parts = op.split(".")
    parts = parts[1:] if parts[0] == "aten" else parts
    packet = getattr(torch.ops.aten, parts[0], None)
    if packet is None or len(parts) > 2:
        raise ValueError(f"ATen has no operator {op}")
    name = parts[1] if len(parts) == 2 else "default"
    if name not in packet.overloads():
        raise ValueError(f"aten.{parts[0]} has the overloads {', '.join(packet.overloads())}, not {name}")
    return getattr(packet, name), f"aten.{parts[0]}.{name}"


def register(name, function, schema):
    """An operator py::name with a schema of ATen's."""
    import torch

    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError(f"a contender's name has letters, digits and underscores, got '{name}'")
    earlier = registered.pop(name, None)
    if earlier is not None:
        earlier._destroy()
    fragment = torch.library.Library("py", "FRAGMENT")
    text = str(schema)
    fragment.define(name + text[text.index("("):])
    fragment.impl(name, function, "CompositeExplicitAutograd")
    registered[name] = fragment
    return f"py::{name}"


def race(op, functions, *options, samples=(), contenders=("eager", "opbench")):
    """Races functions beside ATen and opbench, in this process.

    op: one of ATen's operators, such as aten._softmax.default. functions: {name: function}; each takes the arguments of ATen's
    operator, in its order and by its names, and returns what it returns. options: those of the command, as in "--dtype",
    "float16". samples: calls to race, in the format of recorded files, as in "((T([128, 512], f16), -1, False), {})"; without
    them those of the suites. contenders: the others.

    Prints the report, and returns the rows of --json as dictionaries: one for each sample and contender. A result that is wrong
    is a row; a function that ends its process ends this one. Errors: ValueError for input that cannot be raced.
    """
    import torch

    program = library()
    operator, name = overload(op)
    own = [register(function, functions[function], operator._schema) for function in functions]
    threads, handlers = torch.get_num_threads(), {number: signal.getsignal(number) for number in ENDINGS}
    with tempfile.TemporaryDirectory(prefix="opbench-") as folder:
        results = pathlib.Path(folder) / "results.jsonl"
        words = ["opbench", "--in-process", "--op", name, "--contenders", ",".join([*contenders, *own]), "--json", str(results)]
        if samples:
            recorded = pathlib.Path(folder) / "samples"
            recorded.mkdir()
            lines = [f"Operator: {name}", *(f"cnt: 1, {' '.join(sample.split())}" for sample in samples)]
            (recorded / "python.txt").write_text("\n".join(lines) + "\n")
            words += ["--inputs", str(recorded)]
        words += [str(option) for option in options]
        sys.stdout.flush()
        try:
            status = program.opbench_run(len(words), (ctypes.c_char_p * len(words))(*(word.encode() for word in words)))
        finally:
            torch.set_num_threads(threads)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    if status > 128:
        raise KeyboardInterrupt
    if status > 1:
        raise ValueError("opbench cannot race this: standard error says why")
    return rows
