#!/usr/bin/env python3
"""Remakes torch.export archives: public architectures without weights in inputs/models, small ones in tests/inputs/models.

A file that has the same records already is left alone.
"""
import argparse
import functools
import sys
import warnings

import torch

import archive
import networks
import oddities
from network import name_of

MODELS = archive.MODELS
TESTS = archive.TESTS


def network_archive(network, training, dtype):
    examples = tuple(example.to(dtype) if example.is_floating_point() else example for example in network.examples)
    module = in_dtype(network.make(), dtype).train(training)
    return archive.packed(archive.reduced(archive.exported(module, examples, network.dynamic_shapes())))


def in_dtype(module, dtype):
    """The module with its weights in another dtype. What it computes and does not save, such as the frequencies of rotary
    embeddings, keeps its dtype, as where transformers makes a model in bfloat16."""
    saved = module.state_dict().keys()
    computed = {name: buffer for name, buffer in module.named_buffers() if name not in saved}
    module.to(dtype)
    for name, buffer in computed.items():
        path, _, attribute = name.rpartition(".")
        setattr(module.get_submodule(path), attribute, buffer)
    return module


def small_archive(oddity):
    module = oddity.make().train(oddity.training)
    keeps_weights = oddity.keep_weights or oddity.as_saved
    records = archive.exported(module, oddity.examples, oddity.dynamic_shapes, keeps_weights, kwargs=oddity.keywords)
    if oddity.as_saved:
        return archive.as_saved(records)
    return archive.packed(archive.reduced(records, oddity.keep_weights))


def network_archives(name, network):
    """A network in each mode and dtype: the file, and a function that makes its bytes."""
    for dtype in network.dtypes():
        for training in network.modes():
            file = name + "_training" * training + f".{name_of(dtype)}" * (dtype == network.half)
            yield MODELS / f"{file}.pt2", functools.partial(network_archive, network, training, dtype)


def small_archives():
    for name, oddity in oddities.all_oddities().items():
        yield TESTS / f"{name}.pt2", functools.partial(small_archive, oddity)


def all_archives():
    """What is made by each name: files, and functions that make their bytes."""
    archives = {name: list(network_archives(name, network)) for name, network in networks.all_networks().items()}
    return archives | {"tests": list(small_archives())}


def update(path, data, check_only):
    """Writes an archive if it changes; says whether it does."""
    if archive.same_records(path, data):
        return False
    if not check_only:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"{path.name}: {'differs' if check_only else 'written'}", flush=True)
    return True


def parse(arguments, known):
    parser = argparse.ArgumentParser(prog="./dev models", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to make, all by default: " + ", ".join(known))
    parser.add_argument("--check", action="store_true", help="write nothing; status 1 if an archive differs from what is made now")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; known are {', '.join(known)}")
    return options


def main(arguments):
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    archives = all_archives()
    options = parse(arguments, archives)
    changed = total = 0
    for name in options.names or archives:
        for path, make in archives[name]:
            torch.manual_seed(0)
            changed += update(path, make(), options.check)
            total += 1
    print(f"{total} archives, {changed} {'differ' if options.check else 'written'}")
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
