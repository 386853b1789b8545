"""Functions of Python as contenders."""

import ctypes
import inspect
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


def signature(function):
    """The arguments of a function that has no operator of ATen's, as a schema: tensors, and what is annotated as int, float or bool."""
    kinds, arguments = {int: "int", float: "float", bool: "bool"}, []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ValueError(f"a function names its arguments, {parameter} does not")
        if parameter.default is parameter.empty:
            arguments.append(f"{kinds.get(parameter.annotation, 'Tensor')} {parameter.name}")
    return f"({', '.join(arguments)}) -> Tensor[]"


def returning_a_list(function):
    """The same function, with a list of tensors as its result."""
    import torch

    def returning(*arguments):
        result = function(*arguments)
        return [result] if isinstance(result, torch.Tensor) else list(result or ())

    return returning


def register(name, function, schema):
    """An operator py::name with a schema."""
    import torch

    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError(f"a contender's name has letters, digits and underscores, got '{name}'")
    earlier = registered.pop(name, None)
    if earlier is not None:
        earlier._destroy()
    fragment = torch.library.Library("py", "FRAGMENT")
    fragment.define(name + schema)
    fragment.impl(name, function, "CompositeExplicitAutograd")
    registered[name] = fragment
    return f"py::{name}"


def register_all(op, functions, reference):
    """The functions as operators, the name of the samples' operator, and the options that say how it is computed."""
    if reference is None and not op.startswith("region."):
        operator, op = overload(op)
        text = str(operator._schema)
        schema = text[text.index("("):]
        return [register(name, functions[name], schema) for name in functions], op, []
    own = [register(name, returning_a_list(functions[name]), signature(reference or functions[name])) for name in functions]
    if reference is None:
        return own, op, []
    name = re.sub(r"\W", "_", op) + "_reference"
    return own, op, ["--reference", f"{op}={register(name, returning_a_list(reference), signature(reference))}"]


def race(op, functions, *options, samples=(), contenders=("eager", "opbench"), reference=None, results=None):
    """Races functions beside ATen and opbench, in this process.

    op: one of ATen's operators, such as aten._softmax.default; a region, region.NAME, whose file "--inp-file" names; or, with a
    reference, an operator of your own, my.norm. functions: {name: function}; each takes the arguments of the operator, in its order,
    of ATen's by its names, and returns what that returns; of a region it takes the inputs and returns the outputs. options: those
    of the command, as in "--dtype", "float16". samples: calls to race, in the format of recorded files, as in
    "((T([128, 512], f16), -1, False), {})"; without them those of the suites. contenders: the others. reference: a function that
    computes an operator of your own, slowly and right, in whatever dtype it is given. results: a new file for the rows.

    Prints the report, and returns the rows of --json as dictionaries: one for each sample and contender. A result that is wrong
    is a row; a function that ends its process ends this one. Errors: ValueError for input that cannot be raced.
    """
    import torch

    program = library()
    own, name, words_of_reference = register_all(op, functions, reference)
    threads, handlers = torch.get_num_threads(), {number: signal.getsignal(number) for number in ENDINGS}
    with tempfile.TemporaryDirectory(prefix="opbench-") as folder:
        results = pathlib.Path(results or folder + "/results.jsonl")
        words = ["opbench", "--in-process", "--op", name, "--contenders", ",".join([*contenders, *own]), "--json", str(results)]
        words += words_of_reference
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
