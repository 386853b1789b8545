#!/usr/bin/env bash
# first_race.sh OPBENCH_FIRST OPBENCH: the program of the first race is without much of opbench: calls that are generated, that go to a
# library, make views, are refused, or are wrong, have the same rows by both programs, and none of them ends it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder/home OPBENCH_CACHE=$folder/cache OPBENCH_SUITES=$folder/suites
unset XDG_STATE_HOME XDG_CACHE_HOME
mkdir -p "$HOME" "$folder/suites/timm"
cat >"$folder/suites/timm/model.txt" <<'TEXT'
Operator: aten.add.Tensor
cnt: 9, ((T([8, 64], f16), T([8, 64], f16)), {})
cnt: 8, ((T([8, 64], f32), T([64], f32)), {})
Operator: aten._softmax.default
cnt: 7, ((T([8, 64], f16), -1, False), {})
Operator: aten.mm.default
cnt: 6, ((T([8, 64], f32), T([64, 8], f32)), {})
Operator: aten.t.default
cnt: 5, ((T([8, 64], f32),), {})
Operator: aten.bernoulli.p
cnt: 4, ((T([8, 64], f32), 0.5), {})
Operator: aten.nonzero.default
cnt: 3, ((T([8, 64], f32),), {})
TEXT

# rows PROGRAM OPTION...: operator and statuses of each row, sorted, as rows come when they are done. The program's exit status has to be
# that of EXPECTED.
rows() {
  local status=0
  "$1" --device cpu --op all --max-samples 4 --max-time 0.001 --threads 1 --seed 1 --json "$folder/results.jsonl" "${@:2}" >"$folder/out" 2>&1 || status=$?
  [ $status = "$expected" ] || { cat "$folder/out"; echo "$1 ended with $status in place of $expected"; exit 1; } >&2
  python3 - "$folder/results.jsonl" <<'PYTHON' | sort
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    print(row["op"], row.get("contender"), row.get("status"))
PYTHON
  rm -f "$folder/results.jsonl"
}

expected=0
first=$(rows "$1") whole=$(rows "$2")
[ -n "$first" ] && [ "$first" = "$whole" ] || { printf 'rows differ:\n%s\n--\n%s\n' "$first" "$whole"; exit 1; }
expected=1
echo 'operators: [{names: [_softmax], tolerance: 1e-30}]' >"$folder/tolerances.yaml"
first=$(rows "$1" --tolerances "$folder/tolerances.yaml" --cases "$folder/cases")
[[ $first == *" wrong"* ]] || { cat "$folder/out"; echo "a row without tolerance is not wrong"; exit 1; }
[ -n "$(find "$folder/cases" -name case.json)" ] || { echo "a wrong row has no case"; exit 1; }
