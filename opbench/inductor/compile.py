"""Compiles graphs of ATen calls with AOTInductor. It is started by opbench (opbench/inductor/python.h), with the kind of device that
the code is for, cpu or cuda.

Descriptor 3 is a socket. Lines of JSON go through it: first a greeting, {"torch": VERSION} or {"failure": WHY}; then for each
request (opbench/inductor/request.h), which also names the file that is to be written and the processors that may compile,
{"seconds": WALL TIME} or {"failure": WHY}, and with either "gpu": whether this process computes on the GPU, also while it waits.
"""

import contextlib
import ctypes
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest.mock

MOST_LETTERS = 300  # of a failure
PR_SET_PDEATHSIG = 1  # of Linux
# opbench has torch's libraries already, but for libtorch.so itself, which is none but their list.
SETTINGS = {"aot_inductor.link_libtorch": False}
SEED = "tangents_of_loss"  # the name of the gradient of a loss, as an input


def failure(error):
    """The first line of an error, and what a compiler says first where that is in another line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = ": ".join([type(error).__name__, *lines[:1]])
    said = [line.split("error: ", 1)[1] for line in lines[1:] if "error: " in line]
    return {"failure": ": ".join([text, *said[:1]])[:MOST_LETTERS]}


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

    def module(self, request, before=lambda call: None):
        """The request's calls as a module, which tells `before` of each."""
        inputs = [given["value"] for given in request["inputs"]]
        compiler = self

        class Calls(self.torch.nn.Module):
            def forward(self, *tensors):
                values = dict(zip(inputs, tensors))
                for call in request["calls"]:
                    before(call)
                    compiler.call(call, values, request["device"])
                return tuple(values[output] for output in request["outputs"] if output not in inputs)

        return Calls()

    def compile(self, request):
        torch = self.torch
        from torch._inductor import config
        from torch._subclasses.fake_tensor import FakeTensorMode

        if request["processors"]:
            os.sched_setaffinity(0, request["processors"])
        settings = {**SETTINGS, "compile_threads": max(1, len(request["processors"])), **request["settings"]}
        if request["threads"]:
            torch.set_num_threads(request["threads"])
        mode = FakeTensorMode()
        with mode:
            tensors = tuple(
                torch.empty_strided(given["sizes"], given["strides"], dtype=getattr(torch, given["dtype"]), device=given["device"])
                for given in request["inputs"]
            )
        is_step = any(call["backward"] for call in request["calls"])
        start = time.monotonic()
        with torch.no_grad(), config.patch(settings), grouped_products_by_dispatcher(torch):
            if is_step:
                Step(self, request, tensors, mode).compile()
            else:
                self.compile_whole(request, tensors)
        return {"seconds": time.monotonic() - start}

    def compile_whole(self, request, tensors):
        count = len(tensors)
        made = range(count, count + len(request["outputs"]))
        program = self.torch.export.export(self.module(request), tensors, strict=False)
        options = {"aot_inductor.metadata": {"takes": text_of(range(count)), "returns": text_of(returned(request, made))}}
        self.torch._inductor.aoti_compile_and_package(program, package_path=request["file"], inductor_configs=options)


def returned(request, made):
    """The places of the graph's outputs, where `made` are the places of those that are no inputs."""
    inputs = {given["value"]: place for place, given in enumerate(request["inputs"])}
    made = iter(made)
    return [inputs[output] if output in inputs else next(made) for output in request["outputs"]]


def text_of(places):
    """Places of tensors among the graph's inputs and, after these, the results of each stage of a package: what a stage is given
    and what the last one returns, for runtime/contenders/packaged."""
    return ",".join(str(place) for place in places)


class Step:
    """Compiles a step of training in two stages, as torch.compile does: forward and backward are cut apart where the fewest bytes
    are kept between them, cheap calls are made once more, and what is kept lies in memory as forward likes. An optimizer is a part
    of backward."""

    def __init__(self, compiler, request, tensors, mode):
        self.torch, self.request, self.mode = compiler.torch, request, mode
        self.joint = self.trace(compiler, tensors)
        self.inputs = self.joint.graph.find_nodes(op="placeholder")
        self.seed = self.name_tangents()
        self.places = {node.name: place for place, node in enumerate(self.inputs)}

    def trace(self, compiler, tensors):
        """The graph of all calls, functional and decomposed."""
        import torch._inductor.lowering  # decompositions look into it
        from torch._functorch.aot_autograd import aot_export_module
        from torch._inductor.decomposition import select_decomp_table
        from torch.fx import traceback

        def tag(call):
            traceback.current_meta["partitioner_tag"] = "is_backward" if call["backward"] else "is_forward"

        calls = compiler.module(self.request, tag)
        decompositions = {**select_decomp_table(), **self.dropout()}
        with traceback.preserve_node_meta():
            return aot_export_module(calls, tensors, trace_joint=False, decompositions=decompositions)[0]

    def dropout(self):
        """On a CPU ATen drops out by coins, which torch.compile never sees: it draws numbers of Inductor's."""
        torch = self.torch
        if torch._inductor.config.fallback_random:
            return {}
        return {torch.ops.aten.bernoulli.p: lambda like, p: (torch.rand_like(like, dtype=torch.float32) < p).to(like.dtype)}

    def name_tangents(self):
        """Gives what backward alone is given names of tangents, by which torch knows them: inputs that it alone reads, and the
        gradient of the loss, ones that its first call makes. Returns the node that made these, if one did."""
        graph = self.joint.graph

        def is_backward(node):
            return node.op == "call_function" and node.meta.get("partitioner_tag") == "is_backward"

        for node in self.inputs:
            if node.users and all(is_backward(user) for user in node.users):
                node._rename(f"tangents_{node.name}")
                node.target = node.name
        seed = next(filter(is_backward, graph.nodes))
        if seed.all_input_nodes:
            return None
        with graph.inserting_before(self.inputs[0]):
            ones = graph.placeholder(SEED)
        ones.meta["val"] = seed.meta["val"]
        seed.replace_all_uses_with(ones)
        graph.erase_node(seed)
        return seed

    def compile(self):
        from torch._inductor.compile_fx import compile_fx_backward, compile_fx_forward
        from torch._inductor.package import package_aoti

        early, late = self.results()
        forward, backward = self.partition(early, late)
        made = self.end(forward, *early)
        counts = {"num_orig_model_outputs": len(early[0]), "num_example_inputs": len(self.inputs)}
        files, strides = self.build(functools.partial(compile_fx_forward, **counts), forward, next="backward")
        first = len(self.inputs)
        self.places.update((node.name, first + place) for place, node in enumerate(made))
        self.begin(backward, {node.name: stride for node, stride in zip(made, strides)})
        self.end(backward, *late)
        then = first + len(made)
        places = dict(zip(early[0], range(first, then))) | dict(zip(late[0], range(then, then + len(late[0]))))
        returns = returned(self.request, (places[number] for number in sorted(places)))
        late_files, _ = self.build(compile_fx_backward, backward, returns=text_of(returns))
        package_aoti(self.request["file"], {"model": files, "backward": late_files})

    def results(self):
        """What of the joint graph's results forward gives, and what backward: of each the numbers of the results that are outputs,
        and the inputs whose new values others are, by number. Forward gives what depends on no tangent."""
        output = self.joint.graph.output_node()
        dependent = set()
        for node in self.joint.graph.nodes:
            if "tangents" in str(node.target) or any(given in dependent for given in node.all_input_nodes):
                dependent.add(node)
        found = ([], {}), ([], {})
        for number, (node, what) in enumerate(zip(output.args[0], output.meta["desc"])):
            outputs, writes = found[node in dependent]
            if hasattr(what, "mutated_input"):
                writes[number] = self.inputs[what.mutated_input.idx]
            else:
                outputs.append(number)
        return found

    def partition(self, early, late):
        from torch._inductor.compile_fx import partition_fn

        graph = self.joint.graph
        output = graph.output_node()
        order = [number for outputs, writes in (early, late) for number in (*outputs, *writes)]
        output.args = (tuple(output.args[0][number] for number in order),)
        output.meta["desc"] = [output.meta["desc"][number] for number in order]
        self.joint.recompile()
        given = graph.find_nodes(op="placeholder")
        primals = [node for node in given if "tangents" not in node.target]
        kept = [place for place, node in enumerate(primals) if self.request["inputs"][self.places[node.name]]["kept"]]
        tensors = [node.meta["val"] for node in given]
        counts = {"num_fwd_outputs": sum(map(len, early)), "static_lifetime_input_indices": kept}
        with self.torch._inductor.virtualized.V.set_fake_mode(self.mode):
            return partition_fn(self.joint, tensors, **counts)

    def begin(self, backward, strides):
        """Gives what forward kept the strides that it has there, and makes the gradient of the loss."""
        graph = backward.graph
        given = graph.find_nodes(op="placeholder")
        for node in given:
            value, stride = node.meta["val"], strides.get(node.name)
            if stride is not None:
                with self.mode:
                    node.meta["val"] = value.new_empty_strided(value.size(), stride)
            if node.name == SEED:
                with graph.inserting_after(given[-1]):
                    ones = graph.call_function(self.seed.target, self.seed.args, self.seed.kwargs)
                ones.meta = self.seed.meta
                node.replace_all_uses_with(ones)
                graph.erase_node(node)

    def end(self, stage, outputs, writes):
        """Has a stage write the inputs itself whose new values it gives. Returns what it gives besides: outputs, and what it keeps
        for the next stage, but for inputs."""
        graph = stage.graph
        output = graph.output_node()
        results = output.args[0]
        given = {node.name: node for node in graph.find_nodes(op="placeholder")}
        for node, value in zip(writes.values(), results[len(outputs) :]):
            if node.name not in given:
                with graph.inserting_before(next(iter(graph.nodes))):
                    given[node.name] = graph.placeholder(node.name)
                given[node.name].meta = node.meta
            with graph.inserting_before(output):
                graph.call_function(self.torch.ops.aten.copy_.default, (given[node.name], value))
        kept = [node for node in results[len(outputs) + len(writes) :] if node.op != "placeholder"]
        output.args = ((*results[: len(outputs)], *kept),)
        stage.recompile()
        return output.args[0]

    def build(self, compile, stage, **metadata):
        """The files of a stage of the package, and the strides of what it gives; None for what is no tensor."""
        from torch._dynamo.utils import get_metrics_context
        from torch._guards import CompileContext, compile_context
        from torch._inductor import compile_fx, config
        from torch._inductor.codecache import code_hash
        from torch._inductor.virtualized import V

        given = stage.graph.find_nodes(op="placeholder")
        tensors = [node.meta["val"] for node in given]
        metadata["takes"] = text_of(self.places[node.name] for node in given)
        settings = {
            "cpp_wrapper": True,
            "aot_inductor.package": True,
            "aot_inductor.output_path": code_hash(stage.code),
            "aot_inductor.metadata": metadata,
        }
        with contextlib.ExitStack() as stack:
            for context in (
                V.set_aot_compilation(True),
                V.set_fake_mode(self.mode),
                V.set_real_inputs(tensors),
                compile_context(CompileContext(None)),
                get_metrics_context(),
                config.patch(settings),
                config.patch(compile_fx.get_cpp_wrapper_config()),
            ):
                stack.enter_context(context)
            strides = stack.enter_context(strides_of_results())
            inner = functools.partial(compile_fx.compile_fx_inner, cpp_wrapper=True)
            extra = compile_fx.create_compiler_config_extra(config)
            compiled = compile(stage, tensors, compiler_config_extra=extra, inner_compile=inner)
        return compiled.filename, strides


@contextlib.contextmanager
def strides_of_results():
    """A list, to which Inductor's decision on the strides of a graph's results is added once it is compiled."""
    from torch._inductor.graph import GraphLowering
    from torch._inductor.ir import IRNode

    strides = []
    generate = GraphLowering.codegen_with_cpp_wrapper

    def generated(graph):
        for result in graph.graph_outputs:
            is_tensor = isinstance(result, IRNode) and result.has_tensor_output()
            strides.append([int(stride) for stride in result.get_layout().stride] if is_tensor else None)
        return generate(graph)

    GraphLowering.codegen_with_cpp_wrapper = generated
    try:
        yield strides
    finally:
        GraphLowering.codegen_with_cpp_wrapper = generate


@contextlib.contextmanager
def grouped_products_by_dispatcher(torch):
    """libtorch has no C functions for these operators, which AOTInductor's code would call: that calls the same kernels of ATen's by
    the dispatcher. Where Inductor tries kernels of its own for products, it is left to."""
    from torch._inductor import config, lowering
    from torch._inductor.kernel import mm_grouped  # noqa: F401: it registers lowerings of its own

    if config.max_autotune or config.max_autotune_gemm:
        yield
        return
    operators = torch.ops.aten._grouped_mm.default, torch.ops.aten._scaled_grouped_mm.default
    with unittest.mock.patch.dict(lowering.lowerings, {one: lowering.fallback_handler(one) for one in operators}):
        yield


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
