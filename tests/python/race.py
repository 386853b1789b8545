"""race.py BIN: functions of Python race beside ATen, in this process. Status 77 where there is no torch for it."""

import os
import pathlib
import sys
import tempfile

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


REGION = """Operator: region.add_relu
cnt: 1, ((T([32, 48], f32), T([32, 48], f32)), {'graph': 'graph\\x0a  in x0 f32[32, 48]\\x0a  in x1 f32[32, 48]\\x0a\
  y0 f32[32, 48] = aten.add.Tensor(self=x0, other=x1, alpha=1)\\x0a  y1 f32[32, 48] = aten.relu.default(self=y0)\\x0a\
  return y1\\x0a'})
"""
with tempfile.TemporaryDirectory() as folder:
    region = pathlib.Path(folder) / "region.txt"
    region.write_text(REGION)
    rows = opbench.race("region.add_relu", {"right": lambda x, y: torch.relu(x + y), "planted": lambda x, y: torch.relu(x - y)},
                        *OPTIONS, "--inp-file", region)
expect("a region", [row["status"] for row in rows], ["ok", "ok", "ok", "wrong"])


def norm(x, weight, eps: float):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight


rows = opbench.race("mine.norm", {"fast": norm, "planted": lambda x, weight, eps: norm(x, weight, 0)}, *OPTIONS, reference=norm,
                    samples=["((T([32, 48], f32), T([48], f32), 0.5), {})"], contenders=["eager"])
expect("an operator that ATen has not", [row["status"] for row in rows], ["ok", "ok", "wrong"])


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
