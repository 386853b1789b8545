#!/usr/bin/env python3
"""Calls at the edges of what operators take, in the recorded format: calls.py FOLDER writes a file of them for each theme.

Tensors of rank 0, of one element and of none, strides of 0, every dtype, limits and factors that no model has. Floats are f16,
which --dtype makes the run's; nothing here depends on PyTorch.
"""
import itertools
import pathlib
import sys


def tensor(sizes, dtype="f16", strides=None, values=None):
    text = f"T({list(sizes)}, {dtype}"
    if strides is not None:
        text += f", stride=({', '.join(map(str, strides))}{',' if len(strides) == 1 else ''})"
    if values is not None:
        text += f", values={values}"
    return text + ")"


def call(*arguments, **keywords):
    positional = ", ".join(map(str, arguments)) + ("," if len(arguments) == 1 else "")
    return f"(({positional}), {{{', '.join(f'{name!r}: {value}' for name, value in keywords.items())}}})"


def numbers(count, bound):
    return [(7 * i + bound - 1) % bound for i in range(count)]


def indices(sizes, bound):
    count = 1
    for extent in sizes:
        count *= extent
    return tensor(sizes, "i64", values=numbers(count, bound) if count else None)


class Calls:
    """The calls of a theme, by operator, in the order in which they are added."""

    def __init__(self):
        self.of = {}

    def add(self, operator, *arguments, **keywords):
        name = operator if "." in operator else operator + ".default"
        calls = self.of.setdefault(f"aten.{name}", [])
        text = call(*arguments, **keywords)
        if text not in calls:
            calls.append(text)

    def write(self, path):
        with open(path, "w") as file:
            for operator, calls in self.of.items():
                file.write(f"Operator: {operator}\n")
                file.writelines(f"cnt: 1, {one}\n" for one in calls)


def ranks():
    """A number for a tensor of one element, either way, wherever ATen indexes."""
    calls = Calls()
    pairs = [((), ()), ((), (1,)), ((5,), ()), ((5,), (1,)), ((5,), (3,)), ((1,), ())]
    for dtype in ("f16", "i64", "b8"):
        for self_sizes, index_sizes in pairs:
            bound = self_sizes[0] if self_sizes else 1
            self, index = tensor(self_sizes, dtype), indices(index_sizes, bound)
            calls.add("gather", self, 0, index)
            calls.add("gather", self, -1, index)
            calls.add("index_select", self, 0, index)
            calls.add("take", self, index)
            calls.add("index_fill.int_Scalar", self, 0, index, 1)
            calls.add("scatter.value", self, 0, index, 1)
            calls.add("scatter.src", self, 0, index, tensor(index_sizes, dtype))
            if dtype == "b8":
                continue
            source = tensor(index_sizes, dtype)
            calls.add("scatter_add", self, 0, index, source)
            calls.add("scatter_reduce.two", self, 0, index, source, "'amax'")
            if len(self_sizes) == len(index_sizes):
                calls.add("index_add", self, 0, index, source)
                calls.add("index_copy", self, 0, index, source)
            calls.add("put", self, index, source, "True")
    for operator in ("sum", "mean", "amax", "prod", "argmax", "logsumexp", "softmax", "cumsum", "flip", "unfold_backward"):
        for sizes in ((), (1,), (0,), (1, 1)):
            x = tensor(sizes)
            if operator in ("sum", "mean", "prod"):
                calls.add(operator, x)
            elif operator == "amax" and 0 not in sizes:
                calls.add(operator, x, "[]")
            elif operator == "argmax" and 0 not in sizes:
                calls.add(operator, x, 0)
            elif operator == "logsumexp":
                calls.add(operator, x, "[0]")
            elif operator == "softmax":
                calls.add("_softmax", x, 0, "False")
                calls.add("_log_softmax", x, -1, "False")
                calls.add("_softmax_backward_data", x, x, 0, "f16")
                calls.add("_log_softmax_backward_data", x, x, 0, "f16")
            elif operator == "cumsum":
                calls.add(operator, x, 0)
            elif operator == "flip":
                calls.add(operator, x, "[0]" if sizes else "[]")
    calls.add("unfold_backward", tensor((1,)), "[]", 0, 1, 1)
    calls.add("unfold_backward", tensor((0,)), "[]", 0, 0, 1)
    return calls


def dtypes():
    """Operators whose result, or whose limits, have another dtype than their argument."""
    calls = Calls()
    for dtype in ("f16", "f64", "i64", "i32", "i16", "i8", "u8"):
        x = tensor((5, 7), dtype)
        low, high = (0, 3) if dtype == "u8" else (-2, 3)
        calls.add("hardtanh", x, low, high)
        calls.add("hardtanh", x, low + 0.5 if dtype[0] == "f" else low, high)
        calls.add("clamp", x, low, high)
        calls.add("native_dropout_backward", x, tensor((5, 7), "b8"), 1.25)
        for value in (0, 1, 2.5 if dtype in ("f16", "f64") else 2):
            calls.add("masked_fill.Scalar", x, tensor((5, 1), "b8"), value)
            calls.add("fill_.Scalar", x, value)
            calls.add("fill.Scalar", x, value)
        calls.add("masked_fill.Tensor", x, tensor((7,), "b8"), tensor((), dtype))
        calls.add("fill.Tensor", x, tensor((), dtype))
        calls.add("sum.dim_IntList", x, "[1]")
        calls.add("cumsum", x, 1)
        calls.add("argmax", x, 1)
        calls.add("max.dim", x, 1)
        calls.add("where.self", tensor((5, 1), "b8"), x, tensor((), dtype))
        calls.add("add.Tensor", x, tensor((7,), "f16"))
        calls.add("mul.Tensor", x, tensor((), "f64"))
        calls.add("div.Tensor", x, tensor((5, 7), dtype))
    calls.add("masked_fill.Scalar", tensor((5, 5), "b8"), tensor((5, 5), "b8"), 10)
    calls.add("native_dropout_backward", tensor((5, 5), "b8"), tensor((5, 5), "b8"), 2.0)
    for operator in ("hardsigmoid", "hardswish", "silu", "gelu", "sigmoid", "elu"):
        calls.add(operator, tensor((40,), "f64"))
    for operator in ("hardsigmoid_backward", "hardswish_backward", "silu_backward", "gelu_backward"):
        calls.add(operator, tensor((40,), "f64"), tensor((40,), "f64"))
    for exponent in (-2, -1, -0.5, 0, 0.5, 1, 2, 3, 1.7):
        calls.add("pow.Tensor_Scalar", tensor((4, 5)), exponent)
        calls.add("pow_.Scalar", tensor((4, 5)), exponent)
    for i64 in ([0, 1 << 32, 2 << 32, 3 << 32],):
        calls.add("searchsorted.Tensor", tensor((4,), "i64", values=i64), tensor((3,), "i64", values=[(1 << 32) + 1, 5, 3 << 32]))
        calls.add("bucketize.Tensor", tensor((3,), "i64", values=[(1 << 32) + 1, 5, 3 << 32]), tensor((4,), "i64", values=i64))
    for operator in ("argmax", "argmin"):
        calls.add(operator, tensor((2,), "i64", values=[1, 4294967297]))
        calls.add(operator, tensor((2,), "i64", values=[4294967297, 1]), 0)
    for operator in ("max.dim", "min.dim"):
        calls.add(operator, tensor((2,), "i64", values=[1, 4294967297]), 0)
        calls.add(operator, tensor((2, 2), "i64", values=[4294967297, 1, 1, 4294967297]), 1)
    for complex_dtype in ("c64", "c128"):
        x = tensor((3, 4), complex_dtype)
        for operator in ("_conj", "neg", "view_as_real", "abs", "conj_physical"):
            calls.add(operator, x)
        calls.add("add.Tensor", x, x)
        calls.add("cat", f"[{x}, {x}]", 1)
        calls.add("stack", f"[{x}, {x}]", -1)
    return calls


def resizing():
    """Factors that are not the quotient of the sizes, both layouts, and every floating dtype."""
    calls = Calls()
    for dtype in ("f16", "f64", "u8"):
        for given, wanted, factor in ((11, 11, 1.05), (11, 22, 2.05), (11, 23, 2.1), (7, 5, "None"), (5, 7, "None"), (6, 12, 2.0)):
            for dims in (1, 2, 3):
                sizes, results = (2, 3) + (given,) * dims, [wanted] * dims
                factors = [factor] * dims
                layouts = [None]
                if dims > 1:
                    strides, step = [0] * (dims + 2), 1
                    for d in [1] + list(range(dims + 1, 1, -1)) + [0]:
                        strides[d], step = step, step * sizes[d]
                    layouts.append(strides)
                for strides in layouts:
                    x = tensor(sizes, dtype, strides)
                    calls.add(f"upsample_nearest{dims}d", x, results, *factors)
                    if dtype == "u8":
                        continue
                    linear = {1: "upsample_linear1d", 2: "upsample_bilinear2d", 3: "upsample_trilinear3d"}[dims]
                    for corners in ("True", "False"):
                        calls.add(linear, x, results, corners, *factors)
                        if dims == 2:
                            calls.add("upsample_bicubic2d", x, results, corners, *factors)
                gradient = tensor((2, 3) + (wanted,) * dims, dtype)
                if dtype == "u8":
                    continue
                calls.add(f"upsample_nearest{dims}d_backward", gradient, results, list(sizes), *factors)
                for corners in ("True", "False"):
                    calls.add(f"{linear}_backward", gradient, results, list(sizes), corners, *factors)
                    if dims == 2:
                        calls.add("upsample_bicubic2d_backward", gradient, results, list(sizes), corners, *factors)
    for dims, name in ((2, "nearest2d"), (3, "nearest3d"), (2, "bilinear2d"), (3, "trilinear3d"), (2, "bicubic2d")):
        corners = () if "nearest" in name else ("False",)
        sizes, results, factors = (2, 4) + (11,) * dims, [13] + [11] * (dims - 1), ["None"] + [1.05] * (dims - 1)
        calls.add(f"upsample_{name}", tensor(sizes), results, *corners, *factors)
        calls.add(f"upsample_{name}_backward", tensor((2, 4) + tuple(results)), results, list(sizes), *corners, *factors)
    calls.add("upsample_bilinear2d", tensor((2, 3, 27, 27), "u8"), "[13, 13]", "False")
    calls.add("upsample_bicubic2d", tensor((2, 3, 27, 27), "u8"), "[13, 13]", "False")
    calls.add("upsample_linear1d_backward", tensor((2, 3, 40)), "[40]", "[2, 3, 20]", "True")
    calls.add("upsample_bilinear2d", tensor((1, 3, 37, 53), "f64"), "[301, 403]", "False")
    return calls


def layouts():
    """Views and results whose strides are 0, or of one element with any."""
    calls = Calls()
    for x in (tensor((1, 2), strides=(0, 0)), tensor((3, 5), strides=(0, 0)), tensor((5, 3), strides=(1, 5))):
        calls.add("select.int", x, 1, 0)
        calls.add("diagonal", x, -1)
        calls.add("diagonal", x, 1)
        calls.add("sum.dim_IntList", x, "[0]")
        calls.add("clone", x)
        calls.add("relu", x)
        calls.add("hardsigmoid_backward", x, x)
    for dtype in ("b8", "u8", "i64", "c64"):
        calls.add("select.int", tensor((1, 1, 2), dtype, strides=(0, 0, 0)), 2, 0)
        calls.add("diagonal", tensor((5, 3), dtype), 2)
    return calls


def sums():
    """Values that meet in one element, few and many, and the arguments that say which."""
    calls = Calls()
    for size, count in ((1000, 124), (1000, 126), (10, 1000), (4096, 2)):
        same, index = tensor((count,), "i64", strides=(0,)), tensor((count,), "i64")
        for one in (same, index):
            calls.add("scatter_add", tensor((size,)), 0, one, tensor((count,)))
            calls.add("index_add", tensor((size, 3)), 0, one, tensor((count, 3)))
            calls.add("index_put", tensor((size, 3)), f"[{one}]", tensor((count, 3)), "True")
            calls.add("put", tensor((size,)), one, tensor((count,)), "True")
            calls.add("embedding_dense_backward", tensor((count, 8)), one, size, -1, "False")
    calls.add("scatter_add", tensor((1000,)), 0, tensor((20,), "i64", values=[0] * 20), tensor((20,)))
    return calls


def arguments():
    """Arguments that only some data are: lengths and classes of sequences, pivots, factors of matrices, places of maxima."""
    calls = Calls()
    probabilities = tensor((50, 4, 20), "f32")
    for targets in (tensor((4, 30), "i64"), tensor((120,), "i64")):
        lengths = "[50, 50, 50, 50]", "[30, 29, 12, 1]" if "30]" in targets else "[30, 30, 30, 30]"
        calls.add("_ctc_loss", probabilities, targets, *lengths)
        calls.add("_ctc_loss", probabilities, targets, *lengths, 0, "True")
    targets = tensor((4, 30), "i64")
    calls.add("_ctc_loss.Tensor", probabilities, targets, tensor((4,), "i64"), tensor((4,), "i64"))
    calls.add("_ctc_loss_backward", tensor((4,), "f32"), probabilities, targets, "[50, 50, 50, 50]", "[30, 29, 12, 1]",
              tensor((4,), "f32"), tensor((4, 50, 61), "f32"), 0)
    for dtype in ("f32", "f64", "c64"):
        calls.add("lu_unpack", tensor((3, 5, 5), dtype), tensor((3, 5), "i32"))
        calls.add("cholesky", tensor((2, 5, 5), dtype))
        calls.add("cholesky", tensor((5, 5), dtype), "True")
        calls.add("linalg_lu_solve", tensor((2, 5, 5), dtype), tensor((2, 5), "i32"), tensor((2, 5, 3), dtype))
    calls.add("cholesky", tensor((5,), "f32"))  # no matrix: refused
    calls.add("multilabel_margin_loss_backward", tensor((), "f32"), tensor((5, 4), "f32"), tensor((5, 4), "i64"), 1,
              tensor((5, 4), "f32"))
    calls.add("max_unpool2d", tensor((2, 3, 4, 4), "f32"), tensor((2, 3, 4, 4), "i64"), "[8, 8]")
    calls.add("max_unpool2d", tensor((2, 3, 8, 8), "f32"), tensor((2, 3, 8, 8), "i64"), "[5, 5]")
    masked = tensor((5, 5)), tensor((4, 4), "b8"), f"[{indices((4, 1), 5)}, {indices((1, 4), 5)}]"
    calls.add("_unsafe_masked_index", *masked, 2.5)
    calls.add("_unsafe_masked_index_put_accumulate", *masked, tensor((4, 4)))
    calls.add("_embedding_bag_backward", tensor((3, 5), "f32"), tensor((5,), "i64", values=[1, 5, 4, 5, 9]),
              tensor((3,), "i64", values=[0, 0, 3]), tensor((5,), "i64", values=[1, 1, 1, 2, 2]),
              tensor((3,), "i64", values=[0, 3, 2]), tensor((3, 5), "i64", values=[0] * 5 + [1, 5, 4, 5, 1] + [5, 5, 5, 5, 9]),
              10, "False", 2, "False", "None")
    for offsets in ([0, 3, 6], [0, 0, 4], [0, 7, 7]):
        weight, index = tensor((10, 3), "f32"), tensor((7,), "i64", values=[1, 4, 4, 0, 9, 2, 3])
        starts = tensor((3,), "i64", values=offsets)
        for mode in (0, 1, 2):
            calls.add("_embedding_bag", weight, index, starts, "False", mode)
    for sizes in ((3, 5), (2, 5, 4, 4)):
        target = tensor(sizes[:1] + sizes[2:], "i64")
        form = "nll_loss2d_forward" if len(sizes) == 4 else "nll_loss_forward"
        for reduction, weight in itertools.product((0, 1, 2), ("None", tensor((5,), "f32"))):
            calls.add(form, tensor(sizes, "f32"), target, weight, reduction, -100)
    return calls


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for theme in (ranks, dtypes, resizing, layouts, sums, arguments):
        theme().write(folder / f"{theme.__name__}.txt")
