"""judge.py SOLUTION SAMPLE RESULTS [OPTION...]: races the function `mine` of a challenge's solution, in this process."""

import importlib.util
import pathlib
import re
import sys

import racing


def function_of(path):
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location("mine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.mine


solution, sample, results, *options = sys.argv[1:]
op = re.search(r"^Operator: (\S+)$", pathlib.Path(sample).read_text(), re.MULTILINE).group(1)
sys.path.insert(0, str(pathlib.Path(__file__).parent))
racing.race(op, {"mine": function_of(pathlib.Path(solution))}, "--inp-file", sample, *options, results=results)
