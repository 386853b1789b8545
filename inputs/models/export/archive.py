"""Archives of torch.export, cut to what a race needs, and the same bytes whenever they are made from the same program."""
import contextlib
import io
import json
import pathlib
import zipfile
from unittest import mock

import torch
from torch.export.pt2_archive import _package

MODELS = pathlib.Path(__file__).resolve().parents[1]
TESTS = MODELS.parents[1] / "tests/inputs/models"

# As torch._export.serde.schema.ScalarType counts them; weights of other dtypes (counters, masks) are kept.
FLOATING = {6: "float16", 7: "float32", 8: "float64", 13: "bfloat16"}


def exported(module, examples, dynamic_shapes, keep_weights=False, **options):
    """The records of the archive, by name, in torch's order; without floating point weights unless they are kept."""
    program = torch.export.export(module, examples, strict=False, dynamic_shapes=dynamic_shapes, **options)
    buffer = io.BytesIO()
    with contextlib.nullcontext() if keep_weights else without_weights(program):
        torch.export.save(program, buffer)
    return records_of(buffer)


def without_weights(program):
    """Has torch write nothing for these weights, which may be larger than memory is."""
    def memory(tensor):
        return tensor.untyped_storage().data_ptr()

    weights = {memory(tensor) for tensor in program.state_dict.values() if tensor.is_floating_point()}
    bytes_of = _package._get_raw_tensor_bytes
    return mock.patch.object(_package, "_get_raw_tensor_bytes", lambda x: b"" if memory(x) in weights else bytes_of(x))


def records_of(file):
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def reduced(records, keep_weights=False):
    """Without floating point weights, example inputs, and what tells of the machine or the Python code: stack traces, and an
    identifier made from them."""
    emptied = set() if keep_weights else floating_weights(records)
    result = {}
    for name, data in records.items():
        if "/sample_inputs/" in name or name.endswith("/serialization_id"):
            continue
        if name in emptied:
            data = b""
        elif name.endswith("/models/model.json"):
            data = reduced_program(data)
        elif name.endswith(".json"):
            data = compact(json.loads(data))
        result[name] = data
    return result


def floating_weights(records):
    folder = "archive/data/weights/"
    config = json.loads(records[folder + "model_weights_config.json"])["config"]
    return {folder + weight["path_name"] for weight in config.values() if weight["tensor_meta"]["dtype"] in FLOATING}


def reduced_program(text):
    program = json.loads(text)
    program["torch_version"] = program["torch_version"].split("+")[0]  # the graph is the same with and without CUDA
    reduce_metadata(program["graph_module"]["graph"])
    return compact(program)


def reduce_metadata(graph):
    """Leaves the path of the innermost module of each node, in graphs inside of it as well."""
    for node in graph["nodes"]:
        path = innermost_module(node["metadata"].get("nn_module_stack", ""))
        node["metadata"] = {"nn_module_stack": path} if path else {}
        for given in node["inputs"]:
            if "as_graph" in given["arg"]:
                reduce_metadata(given["arg"]["as_graph"]["graph"])


def innermost_module(stack):
    """'L__self__,,a.Net;L__self___fc,fc,torch.nn.Linear' is 'fc': entries of key, path and class, the innermost one last."""
    entry = stack.split(";")[-1].split(",")
    return entry[1] if len(entry) == 3 and entry[0].startswith("L__self__") else ""


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


def packed(records):
    """The bytes of a zip file whose entries have no times."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in records.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED if data else zipfile.ZIP_STORED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, compresslevel=9)
    return buffer.getvalue()


def as_saved(records):
    """An archive as torch.export.save writes it, without the paths of this machine."""
    buffer = io.BytesIO()
    writer = torch._C.PyTorchFileWriter(buffer)
    writer.set_min_version(6)  # as torch.export.save does: where the version stands
    own = ("/version", "/byteorder", "/serialization_id", "/.format_version", "/.storage_alignment")
    for name, data in records.items():
        if name.endswith("/models/model.json"):
            data = without_stack_traces(data)
        if not name.endswith(own):
            writer.write_record(name.removeprefix("archive/"), data, len(data))
    writer.write_end_of_file()
    return buffer.getvalue()


def without_stack_traces(text):
    program = json.loads(text)
    for node in program["graph_module"]["graph"]["nodes"]:
        node["metadata"].pop("stack_trace", None)
    return json.dumps(program).encode()


def same_records(path, data):
    """Whether the file has the same records: their compressed bytes may differ from one zlib to the next."""
    try:
        return list(records_of(path).items()) == list(records_of(io.BytesIO(data)).items())
    except FileNotFoundError:
        return False
