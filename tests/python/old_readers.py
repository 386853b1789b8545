"""Reads what opbench prints in the formats of the programs that it stands for, by readers that know these alone:
old_readers.py BIN, the folder of opbench. Ends with status 1 where one of them cannot."""
import ast
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

OPBENCH = pathlib.Path(sys.argv[1]).resolve() / "opbench"
MODELS = pathlib.Path(__file__).resolve().parents[1] / "inputs/models"
SMALL = ["--seqLength", "3", "--miniBatch", "2", "--inputSize", "4", "--hiddenSize", "4", "--nloops", "2", "--warmup", "1",
         "--rnns", "aten", "py"]


def run(folder, *words):
    return subprocess.run([OPBENCH, *words, "--device", "cpu", "--threads", "1"], cwd=folder, text=True, capture_output=True,
                          check=True, timeout=300)


def check(holds, what):
    if not holds:
        sys.exit(f"old_readers.py: {what}")


def read_fastrnns_table(text):
    """Times by name, of the first group: columns are 16 wide."""
    lines = text.splitlines()
    check(lines[0] == "Benchmarking LSTMs...", f"the first line is {lines[0]!r}")
    columns = lambda line: [line[start:start + 16].strip() for start in range(0, len(line), 17)]
    check(columns(lines[1]) == ["name", "avg_fwd", "std_fwd", "info_fwd", "avg_bwd", "std_bwd", "info_bwd"], lines[1])
    table = {}
    for line in lines[2:]:
        name, *times = columns(line)
        table[name] = [float(time) for time in times if time != "None"]
        check(len(times) == 6 and len(table[name]) == 4, line)
    return table


def fastrnns(folder):
    table = read_fastrnns_table(run(folder, "rnn", *SMALL).stderr)
    check(set(table) == {"aten", "py"}, f"the table has {set(table)}")
    check(all(0 < times[0] < 1 for times in table.values()), "times on a CPU are no seconds")
    results = json.loads(run(folder, "rnn", *SMALL, "--print-json").stdout)
    check(set(results) == {"lstm", "lstm-backward"} and set(results["lstm"]) == {"aten", "py"}, str(results))
    for line in run(folder, "rnn", *SMALL, "--print-json", "pep").stdout.splitlines():
        word, observed = line.split(" ", 1)
        check(word == "Caffe2Observer" and float(json.loads(observed)["value"]) > 0, line)


def hugging_face(folder):
    run(folder, "model", f"small={MODELS / 'mlp.pt2'}", "--training", "--batch-sizes", "2", "--repeat", "1", "--contenders",
        "eager", "--no-memory", "--save-to-csv", "--inference-time-csv-file", "times.csv", "--train-time-csv-file", "train.csv",
        "--env-info-csv-file", "environment.csv")
    for name in ("times.csv", "train.csv"):
        for row in csv.DictReader(open(folder / name)):
            int(row["batch_size"]), int(row["sequence_length"]), float(row["result"])
            check(row["model"] == "small", str(row))
    check(not list(folder.glob("*memory*")), "a file of memory that was not measured")
    facts = dict(csv.reader(open(folder / "environment.csv")))
    check(re.fullmatch(r"\d+\.\d+\.\d+.*", facts["framework_version"]) is not None, str(facts))


def torchbench(folder):
    for mode, numbers in (("--accuracy", []), ("--performance", ["speedup", "abs_latency"])):
        run(folder, "model", f"small={MODELS / 'mlp.pt2'}", mode, "--output", "runner.csv")
        for row in csv.DictReader(open(folder / "runner.csv")):
            check(row["dev"] == "cpu" and row["name"] == "small" and int(row["batch_size"]) > 0, str(row))
            check(numbers != [] or row["accuracy"] == "pass", str(row))
            check(all(float(row[number]) > 0 for number in numbers), str(row))


def operatorbench(folder):
    (folder / "log.txt").write_text("Operator: aten.sub.Tensor\ncnt: 1, ((T([8], f32), T([8], f32)), {})\n"
                                    "Operator: aten.convolution.default\n"
                                    "cnt: 1, ((T([1, 2, 4, 4], f32), T([2, 2, 1, 1], f32), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1), {})\n"
                                    "Operator: aten.gather.default\ncnt: 1, ((T([4], f32), 0, T([2], i64)), {})\n"
                                    "Operator: aten.addmm.default\ncnt: 1, ((T([4], f32), T([2, 3], f32), T([3, 4], f32)), {})\n")
    text = run(folder, "--compat", "operatorbench", "--inp-file", "log.txt", "--op", "all", "--dtype", "float32").stdout
    check("Skipping aten.gather.default, input generator nyi\n" in text and "convolution" not in text, text)
    speedups = re.findall(r"Running (\S+)\nIter 0\n\1:\nInductor Speedups : (\[.*\])\n", text)
    check([op for op, _ in speedups] == ["aten.sub.Tensor", "aten.addmm.default"], text)
    check(all(len(ast.literal_eval(figures)) == 3 for _, figures in speedups), text)
    check((folder / "timings_torchbench_allfloat32.txt").read_text().count("Inductor Speedups") == 2, "the file of timings")


for program in (fastrnns, hugging_face, torchbench, operatorbench):
    with tempfile.TemporaryDirectory() as name:
        program(pathlib.Path(name))
    print(f"{program.__name__}: read")
