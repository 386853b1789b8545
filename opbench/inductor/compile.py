"""Compiles graphs of ATen calls with AOTInductor. It is started by opbench (opbench/inductor/python.h), with the kind of device that
the code is for, cpu or cuda.

Descriptor 3 is a socket. Lines of JSON go through it: first a greeting, {"torch": VERSION} or {"failure": WHY}; then for each
request (opbench/inductor/request.h), which also names the file that is to be written and the processors that may compile,
{"seconds": WALL TIME} or {"failure": WHY}, and with either "gpu": whether this process computes on the GPU, also while it waits.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

MOST_LETTERS = 300  # of a failure
PR_SET_PDEATHSIG = 1  # of Linux
# opbench has torch's libraries already, but for libtorch.so itself, which is none but their list.
SETTINGS = {"aot_inductor.link_libtorch": False}


def failure(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
    return {"failure": text[:MOST_LETTERS]}


class Compiler:
    def __init__(self, torch):
        self.torch = torch
        names = "strided contiguous_format preserve_format channels_last channels_last_3d".split()
        self.symbols = {name: getattr(torch, name) for name in names}

    def argument(self, value, values, device):
        if isinstance(value, list):
            return [self.argument(item, values, device) for item in value]
        if not isinstance(value, dict):
            return value
        (kind, held), = value.items()
        if kind == "value":
            return values[held]
        if kind == "dtype":
            return getattr(self.torch, held)
        if kind == "device":
            return self.torch.device(device)
        if kind == "symbol":
            return self.symbols[held]
        if kind == "float":
            return float(held)
        return complex(*(self.argument(part, values, device) for part in held))

    def operator(self, name):
        space, packet, overload = name.split(".")
        return getattr(getattr(getattr(self.torch.ops, space), packet), overload)

    def call(self, call, values, device):
        operator = self.operator(call["op"])
        positional, keywords = [], {}
        for formal in operator._schema.arguments:
            if formal.name not in call["arguments"]:
                continue
            actual = self.argument(call["arguments"][formal.name], values, device)
            if formal.kwarg_only:
                keywords[formal.name] = actual
            else:
                positional.append(actual)
        results = self.tensors(operator(*positional, **keywords))
        for output, result in zip(call["outputs"], results):
            values.setdefault(output, result)

    def tensors(self, value):
        if isinstance(value, self.torch.Tensor):
            return [value]
        if isinstance(value, (list, tuple)):
            return [tensor for item in value for tensor in self.tensors(item)]
        return []

    def module(self, request):
        inputs = [given["value"] for given in request["inputs"]]
        compiler = self

        class Calls(self.torch.nn.Module):
            def forward(self, *tensors):
                values = dict(zip(inputs, tensors))
                for call in request["calls"]:
                    compiler.call(call, values, request["device"])
                return tuple(values[output] for output in request["outputs"] if output not in inputs)

        return Calls()

    def compile(self, request):
        torch = self.torch
        from torch._inductor import aoti_compile_and_package
        from torch._subclasses.fake_tensor import FakeTensorMode

        if request["processors"]:
            os.sched_setaffinity(0, request["processors"])
        settings = {**SETTINGS, "compile_threads": max(1, len(request["processors"])), **request["settings"]}
        if request["threads"]:
            torch.set_num_threads(request["threads"])
        with FakeTensorMode():
            tensors = tuple(
                torch.empty_strided(given["sizes"], given["strides"], dtype=getattr(torch, given["dtype"]), device=given["device"])
                for given in request["inputs"]
            )
        start = time.monotonic()
        with torch.no_grad():
            program = torch.export.export(self.module(request), tensors, strict=False)
            aoti_compile_and_package(program, package_path=request["file"], inductor_configs=settings)
        return {"seconds": time.monotonic() - start}


def find_vector_instructions(torch, device):
    """Inductor tries which ones it can use, by a library for each that needs libtorch.so, and remembers what it found. What it
    compiles for a GPU computes nothing with them: there it is not to spend a minute on that."""
    from torch._inductor import config, cpu_vec_isa

    if device != "cpu":
        config.cpp.vec_isa_ok = False
        return
    has = torch.backends.cpu.get_cpu_capability()
    if not cpu_vec_isa.pick_vec_isa() and has != "DEFAULT":
        raise RuntimeError(f"Inductor cannot use this processor's vector instructions ({has}), and would be slow")


def folder_while_alive():
    """A new folder that goes when this process does, however it ends."""
    folder = tempfile.mkdtemp(prefix="opbench-inductor-")
    remove = ["sh", "-c", 'cat >/dev/null; rm -rf "$1"', "sh", folder]
    watch = subprocess.Popen(remove, stdin=subprocess.PIPE, start_new_session=True)
    return folder, watch


def main():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # it goes with who started it, also from within a compilation
    folder, watch = folder_while_alive()
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
    channel = socket.socket(fileno=3).makefile("rw", encoding="utf-8", newline="\n")

    def say(answer):
        channel.write(json.dumps(answer) + "\n")
        channel.flush()

    try:
        import torch

        find_vector_instructions(torch, sys.argv[1])
        compiler = Compiler(torch)
    except Exception as error:  # whatever a broken torch raises
        return say(failure(error))
    say({"torch": torch.__version__})
    for line in channel:
        try:
            torch._dynamo.reset()
            answer = compiler.compile(json.loads(line))
        except Exception as error:
            answer = failure(error)
        say({**answer, "gpu": torch.cuda.is_initialized()})


main()
