#!/bin/sh
# Races each wrong operator with default options, from so many seeds, and prints how often it was found as a table of Markdown.
#     bench/wrong_kernels/run.sh SEEDS [DTYPE...]        in the folder of a build that has zoo_wrong.so
set -eu
seeds=${1:?how many seeds}
shift
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "| operator | dtype | found | on |"
echo "| --- | --- | --- | --- |"
for dtype in ${*:-float32 float16 bfloat16}; do
  grep -v '^#' "$here/samples.txt" | while read -r name op call; do
    printf 'Operator: %s\ncnt: 1, %s\n' "$op" "$call" > "$folder/sample.txt"
    found=0 on=
    for seed in $(seq "$seeds"); do
      bin/opbench --inp-file "$folder/sample.txt" --op all --device cpu --dtype "$dtype" --seed "$seed" --load bin/zoo_wrong.so \
        --contenders "eager,wrong::$name" --max-time 0.05 --no-cases --json "$folder/rows.jsonl" > /dev/null 2>&1 || true
      row=$(grep "\"contender\":\"wrong::$name\"" "$folder/rows.jsonl" || true)
      rm -f "$folder/rows.jsonl"
      case $row in
        *'"status":"wrong"'*) found=$((found + 1)) ;;
        *) continue ;;
      esac
      case $row in
        *'; data '*) on=$(printf '%s' "$row" | sed 's/.*; data \([a-z-]*\).*/\1/') ;;
        *'one by one'*) on="runs looked at" ;;
        *) on=normal ;;
      esac
    done
    echo "| $name | $dtype | $found of $seeds | $on |"
  done
done
