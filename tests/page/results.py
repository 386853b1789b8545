"""Results files for the tests of the page: as many samples as asked for, from the lines of the golden results."""

import json
import math
import pathlib
import random

GOLDEN = pathlib.Path(__file__).parent.parent / "golden" / "report.jsonl"


def golden():
    return [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def write(path, lines):
    """Writes lines without their sums, which are of lines that nobody has changed."""
    with open(path, "w") as file:
        for line in lines:
            file.write(json.dumps({name: value for name, value in line.items() if name != "sum"}, separators=(",", ":")) + "\n")
    return path


def many(samples, slowdown=1.0):
    """Lines of samples with figures that differ from line to line. A tenth of the candidate's take `slowdown` as long."""
    dice = random.Random(1)
    eager, ours = (next(line for line in golden() if line["kind"] == kind and line["op"] == "aten.add.Tensor" and line["status"] == "ok")
                   for kind in ("fallback", "generated"))
    families = ["pointwise", "reduction", "movement", "indexing", "fallback"]
    for index in range(1, samples + 1):
        number = dice.randrange(200)
        a, b = dice.choice([1, 8, 64, 512, 4096]), dice.choice([16, 128, 1024, 2048])
        size = 6 * a * b
        time = 4 + size / 3e6
        speedup = math.exp(dice.gauss(0.1, 0.3)) / (slowdown if dice.random() < 0.1 else 1)
        about = {"index": index, "op": f"aten.made_{number}.default", "line": index, "count": dice.randrange(1, 300), "samples": samples,
                 "sample": f"((T([{a}, {b}], f16), T([{a}, {b}], f16, ({b}, 1)), {index}), {{}})", "brief": f"f16[{a},{b}], f16[{a},{b}], {index}",
                 "family": families[number % len(families)], "bytes": size, "flops": float(a * b * number), "recorded_samples": 2 * samples,
                 "wall_s": round(dice.random(), 3), "clock_mhz": float(dice.randrange(1700, 1980))}
        for line, us, ratio in ((eager, time, 1), (ours, time / speedup, speedup)):
            noise = [round(us * factor, 3) for factor in (1, 0.995, 1.006, 0.98, 1.05)]
            yield {**line, **about, **dict(zip(("median_us", "low_us", "high_us", "p20_us", "p80_us"), noise)),
                   "speedup": round(ratio, 6), "speedup_low": round(0.996 * ratio, 6), "speedup_high": round(1.004 * ratio, 6),
                   "throughput_us": round(0.7 * us, 3), "throughput_low_us": round(0.69 * us, 3), "throughput_high_us": round(0.71 * us, 3),
                   "throughput_speedup": round(0.99 * ratio, 6), "gb_per_s": round(size / us / 1e3, 3), "of_roofline": round(min(1, size / 4e6 / us), 5),
                   "runs": dice.randrange(40, 900), "compile_ms": round(80 * dice.random(), 3) if line is ours else 0}


def network(index, name):
    """The lines of a network: eager's and opbench's."""
    for line in golden()[:2]:
        us = 900.0 if line["contender"] == "eager" else 700.0
        phases = [{"name": phase, "median_us": share * us, "mean_us": share * us, "std_us": 1.0, "runs_us": [share * us]}
                  for phase, share in (("forward", 0.4), ("backward", 0.6))]
        yield {**line, "index": index, "op": f"model.{name}.training", "sample": "((T([2, 3], f32),), {})", "brief": "batch 2", "kind": "fallback",
               "median_us": us, "low_us": us, "high_us": us, "p90_us": 1.1 * us, "p95_us": 1.2 * us, "p99_us": 1.5 * us, "speedup": 900.0 / us,
               "lines": 2, "phases": phases, "memory": {"allocated": 300000000, "reserved": None, "process": None, "device": None, "host": None}}


HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=\"window.hit=1\"><!--<script>'`${window.hit=1}"


def hostile():
    """The golden lines, with text that would run in a careless page wherever a line has free text, and as the name of a field. Words that
    opbench does not know, as of a kind or a status, are refused before there is a page."""
    fields = ("sample", "brief", "suite", "file", "reason", "family", "schedule", "device_name", "version", "options", "software", "started", "data",
              "measure", "library", "trivial_solution", "retried", "determinism", "case")
    for line in golden():
        made = {**line, **dict.fromkeys(fields, HOSTILE), HOSTILE: {HOSTILE: [HOSTILE]}, "__proto__": {"polluted": HOSTILE}}
        yield {**made, "sample": f"{line['index']} {HOSTILE}"}
