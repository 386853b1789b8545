"""race.py BIN: functions of Python race beside ATen, in this process. Status 77 where there is no torch for it."""

import os
import pathlib
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
built = (pathlib.Path(sys.argv[1]).parent / "share" / "opbench" / "torch").read_text()
if torch.__version__.split(".")[:2] != built.split(".")[:2]:
    sys.exit(77)

os.environ["OPBENCH_LIBRARY"] = sys.argv[1]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cmake" / "package"))
import opbench  # noqa: E402

SAMPLES = ["((T([64, 48], f32), -1, False), {})"]
OPTIONS = ["--device", "cpu", "--dtype", "float32", "--no-timing", "--no-cases", "--quiet"]


def right(self, dim, half_to_float):
    return torch.softmax(self, dim)


def planted(self, dim, half_to_float):
    result = torch.softmax(self, dim)
    result[-1] = 0
    return result


def raises(self, dim, half_to_float):
    raise RuntimeError("out of luck")


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: expected {expected}, found {found}")


rows = opbench.race("aten._softmax.default", {"right": right, "planted": planted, "raises": raises}, *OPTIONS, samples=SAMPLES)
found = {row["contender"]: row["status"] for row in rows}
expect("statuses", found, {"eager": "ok", "opbench": "ok", "py::right": "ok", "py::planted": "wrong", "py::raises": "error"})
reason = next(row["reason"] for row in rows if row["contender"] == "py::raises")
expect("the exception's words", "out of luck" in reason, True)

rows = opbench.race("_softmax", {"planted": right}, *OPTIONS, samples=SAMPLES, contenders=["eager"])
expect("a name that stands for another function now", [row["status"] for row in rows], ["ok", "ok"])


def refusal(*arguments, **more):
    try:
        opbench.race(*arguments, *OPTIONS, **more)
    except ValueError as error:
        return str(error)
    return "nothing"


expect("no such operator", refusal("no_such", {"right": right}), "ATen has no operator no_such")
expect("no such overload", refusal("_softmax.no", {"right": right}), "aten._softmax has the overloads default, out, not no")
expect("a name", refusal("_softmax", {"a b": right}), "a contender's name has letters, digits and underscores, got 'a b'")
expect("a sample", refusal("_softmax", {"right": right}, samples=["nonsense"]), "opbench cannot race this: standard error says why")
