#!/usr/bin/env python3
"""Prints the table of inputs/models/README.md, from what the archives say. Needs the packages of requirements.txt."""
import json

import archive
import networks
from network import name_of

FLOAT16_MAX = 65504


def program_of(path):
    return json.loads(archive.records_of(path)["archive/models/model.json"])


def values(tree, kind):
    """Arguments of one kind, such as as_float, anywhere in a tree of JSON."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == kind:
                yield value
            yield from values(value, kind)
    elif isinstance(tree, list):
        for value in tree:
            yield from values(value, kind)


def extent(size, ranges):
    """5 for a fixed extent, 2.. or 2..512 for an open one."""
    if "as_int" in size:
        return str(size["as_int"])
    symbol = size["as_expr"]["expr_str"].split("'")[1]  # Symbol('s23', ...)
    bounds = ranges[symbol]
    return f"{bounds['min_val']}..{bounds['max_val'] or ''}"


def inputs(program):
    graph = program["graph_module"]["graph"]
    dtypes = {5: "i64", 7: "f32"}
    for spec in program["graph_module"]["signature"]["input_specs"]:
        if "user_input" in spec:
            name = spec["user_input"]["arg"]["as_tensor"]["name"]
            meta = graph["tensor_values"][name]
            sizes = ", ".join(extent(size, program["range_constraints"]) for size in meta["sizes"])
            yield f"{name}: {dtypes[meta['dtype']]}[{sizes}]"


def baked(program):
    """What a cast of the weights would not change."""
    nodes = [node["inputs"] for node in program["graph_module"]["graph"]["nodes"]
             if not node["target"].endswith("._assert_tensor_metadata.default")]
    if 7 in values(nodes, "as_scalar_type"):
        yield "float32"
    wide = {x for x in map(float, values(nodes, "as_float")) if FLOAT16_MAX < abs(x) < float("inf")}
    yield from (f"{x:.1e}" for x in sorted(wide))


def row(name, network):
    suffixes = ["_training" * training for training in network.modes()]
    programs = [program_of(archive.MODELS / f"{name}{suffix}.pt2") for suffix in suffixes]
    nodes = " / ".join(str(len(program["graph_module"]["graph"]["nodes"])) for program in programs)
    cells = (f"`{name}`", network.package, f"`{network.class_name}`", nodes, ", ".join(inputs(programs[0])),
             ", ".join(baked(programs[0])), name_of(network.half) if network.half else "", network.note)
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print("| name | package | class | nodes, evaluation / training | inputs | baked | exported in | widths of |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, network in sorted(networks.all_networks().items()):
        print(row(name, network))
