#!/usr/bin/env bash
# docs.sh OPBENCH KNOWN_CEILINGS PAGE...: runs the commands of documentation pages as they are printed. Each page has a folder of its
# own, in which its blocks run in order. The info string of a block says what it is:
#   ```sh           commands, run here
#   ```sh gpus      needs the GPUs of a host; not run, only counted
#   ```sh slurm     run by tests/slurm.sh
#   ```sh example   has a name to be filled in; not run, only counted
# Any other block is text. A block that fails with a status other than 0 or 1 is broken: 1 says that a sample failed, or that a
# comparison found something, which is no matter of the page.
set -euo pipefail
opbench=$(realpath "$1") known_ceilings=$(realpath "$2") source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
shift 2
pages=("$@")
folder=$(mktemp -d)
trap 'cd / && rm -rf "$folder"' EXIT
export HOME=$folder/home OPBENCH_CACHE=$folder/cache OPBENCH_SUITES=$folder/suites COLUMNS=80
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT RANK WORLD_SIZE XDG_STATE_HOME
mkdir -p "$HOME" "$folder/bin"
# Measured by every command, as they are while the machine is busy, the ceilings would take longer than all else.
"$known_ceilings" "$OPBENCH_CACHE" "$HOME/.local/state/opbench/cache.key"

# A small call of each operator that the pages name, in place of the suites.
suite() {
  mkdir -p "$folder/suites/$1"
  cat >"$folder/suites/$1/model.txt"
}
suite huggingface <<'TEXT'
Operator: aten._softmax.default
cnt: 12, ((T([8, 64], f16), -1, False), {})
Operator: aten.add.Tensor
cnt: 24, ((T([8, 64], f16), T([8, 64], f16)), {})
Operator: aten.gelu.default
cnt: 12, ((T([8, 64], f16),), {})
Operator: aten.gelu_backward.default
cnt: 12, ((T([8, 64], f16), T([8, 64], f16)), {})
Operator: aten.native_layer_norm.default
cnt: 12, ((T([8, 64], f16), [64], T([64], f16), T([64], f16), 1e-05), {})
TEXT
suite timm <<'TEXT'
Operator: aten.sigmoid.default
cnt: 12, ((T([2, 8, 7, 7], f16),), {})
TEXT

# `opbench` as the pages call it, in a hurry: in one process, with hardly any time for a sample.
cat >"$folder/bin/opbench" <<SCRIPT
#!/usr/bin/env bash
case " \$* " in
  *" doctor "* | *" compare "* | *" show "* | *" man "* | *" completion "* | *" convert "* | *" merge "* | *" --help "* | *" --list "* | *" --version "*) hurry=() ;;
  *" record "*) hurry=(--threads 1) ;;
  *" model "*)
    hurry=(--in-process --max-time 0.001 --threads 1)
    [[ " \$* " == *" --repeat "* || " \$* " == *" --accuracy "* ]] || hurry+=(--repeat 1)
    ;;
  *)
    hurry=(--in-process)
    [[ " \$* " == *" --max-time "* ]] || hurry+=(--max-time 0.001)
    [[ " \$* " == *" --threads "* ]] || hurry+=(--threads 1)
    ;;
esac
status=0
"$opbench" "\$@" "\${hurry[@]}" || status=\$?
[ \$status = 1 ] || exit \$status
SCRIPT
# ./dev: builds nothing; what it would build is there. Its other commands are those that it has.
cat >"$folder/bin/dev" <<SCRIPT
#!/usr/bin/env bash
case \$1 in
  run) exec opbench "\${@:2}" ;;
  *) "$source/dev" help | grep -q "^./dev \$1 " || { echo "./dev has no command \$1" >&2; exit 2; } ;;
esac
SCRIPT
chmod +x "$folder/bin/"*
export PATH=$folder/bin:$PATH

# blocks PAGE: a line `LINE KIND` for each block of commands, and the block as LINE.sh in this folder.
blocks() {
  awk '/^```/ && on { on = 0; close(file); next }
       on { print > file; next }
       /^```sh/ { on = 1; file = NR ".sh"; printf "" > file; print NR, ($2 == "" ? "run" : $2); next }
       /^```/ { on = 1; file = "/dev/null" }' "$1"
}

commands() { sed 's/ *#.*//' "$1" | grep -cv '\\$\|^ *$' || true; }

declare -A count=([run]=0 [gpus]=0 [slurm]=0 [example]=0)
failed=0
for page in "${pages[@]}"; do
  place=$folder/pages/${page//\//-}
  mkdir -p "$place/my/logs" "$place/.blocks"
  cp "$folder/suites/huggingface/model.txt" "$place/my/logs/bert.txt"
  for yaml in sweeps/suite models/torchbench; do
    name=${yaml#*/}.yaml
    awk -v name="$name" '/^```yaml/ && $2 == name { on = 1; next } /^```/ { on = 0 } on' "$source/docs/${yaml%/*}.md" >"$place/$name"
  done
  ln -s "$folder/bin/dev" "$place/dev"
  list=$(cd "$place/.blocks" && blocks "$source/$page")
  while read -r line kind; do
    [ -n "$line" ] || continue
    block=$place/.blocks/$line.sh
    [ -n "${count[$kind]+x}" ] || { echo "$page:$line: no kind of block '$kind'" >&2; exit 1; }
    count[$kind]=$((count[$kind] + $(commands "$block")))
    bash -n "$block" || { echo "$page:$line: not a shell script" >&2; failed=$((failed + 1)); }
    [ "$kind" = run ] || continue
    if ! (cd "$place" && bash -euo pipefail "$block") >"$place/.blocks/$line.log" 2>&1 </dev/null; then
      echo "$page:$line: this block fails:" >&2
      sed 's/^/    /' "$block" >&2
      tail -n 5 "$place/.blocks/$line.log" >&2
      failed=$((failed + 1))
    fi
  done <<<"$list"
done
echo "${#pages[@]} pages: ${count[run]} commands ran, ${count[gpus]} need several GPUs, ${count[slurm]} for Slurm, ${count[example]} have names to fill in"
[ "${count[run]}" -gt 0 ] || { echo "no command was found" >&2; exit 1; }
[ "$failed" = 0 ]
