#!/usr/bin/env bash
# record.sh OPBENCH FOLDER [MODEL...]: records a training step of each network of models.tsv, or of these, on a CUDA GPU: in float16,
# in bfloat16, in float32 under autocast to float16 (amp), and in float32 by calls that every device has. Networks that have no
# archive for training are recorded in inference. FOLDER gets SUITE/MODEL_{float16,bfloat16,amp,float32}.txt, and regions/ the regions
# of the steps in float16 and bfloat16.
set -euo pipefail
opbench=$(realpath "$1") folder=$2 here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
shift 2

# record SUITE MODEL SIZES float16|bfloat16|amp|float32: sizes of several inputs have ; between them.
record() {
  local out=$folder/$1/$2_$4.txt options=() sizes
  case $4 in
    float16) options=(--fp16 --regions "$folder/regions") ;;
    bfloat16) options=(--dtype bfloat16 --regions "$folder/regions") ;;
    amp) options=(--amp float16) ;;
    float32) options=(--portable) ;;
  esac
  if [ -e "$here/../models/$2_training.pt2" ]; then options+=(--training); fi
  for sizes in ${3//;/ }; do options+=(--input "$sizes"); done
  mkdir -p "$folder/$1"
  if "$opbench" record "$2" "${options[@]}" --device cuda --out "$out" >"$out.log" 2>&1; then
    echo "$1/$2_$4: $(sed -n 2p "$out.log")"
    rm "$out.log"
  else
    echo "$1/$2_$4: $(tail -n 1 "$out.log")" >&2
    rm "$out.log"
    return 1
  fi
}
export -f record
export opbench folder here

while IFS=$'\t' read -r suite model sizes kinds; do
  if [[ $suite == "#"* ]] || { [ $# -gt 0 ] && [[ " $* " != *" $model "* ]]; }; then continue; fi
  for kind in ${kinds//,/ }; do printf '%s\0' "$suite" "$model" "$sizes" "$kind"; done
done <"$here/models.tsv" | xargs -0 -r -n 4 -P 3 bash -c 'record "$@"' record
