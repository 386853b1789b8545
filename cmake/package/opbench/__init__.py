"""opbench: races generated kernels for ATen operators against eager ATen. The program is beside this file; it runs on the torch
(CUDA 13) that this Python has, which is of the release that it was built with. race() races functions of Python beside them."""

import importlib.util
import os
import pathlib
import sys

from .racing import race

__all__ = ["main", "race"]


def _torch_of_this_python():
    """The folder of the torch that this Python would import; nothing where it has none."""
    found = importlib.util.find_spec("torch")
    return found.submodule_search_locations[0] if found and found.submodule_search_locations else None


def main():
    """Becomes the program, with this process's arguments. A torch that OPBENCH_TORCH names comes first, then that of this Python, which
    also compiles for the contender inductor, unless OPBENCH_PYTHON names another."""
    torch = _torch_of_this_python()
    if torch and not os.environ.get("OPBENCH_TORCH"):
        os.environ["OPBENCH_TORCH"] = torch
    if torch and not os.environ.get("OPBENCH_PYTHON"):
        os.environ["OPBENCH_PYTHON"] = sys.executable
    program = str(pathlib.Path(__file__).resolve().parent / "bundle" / "opbench")
    os.execv(program, [program, *sys.argv[1:]])
