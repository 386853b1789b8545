#!/usr/bin/env bash
# Runs the program of this bundle that has this script's name, on the torch 2.11 (CUDA 13) that is found on this machine where it
# needs one.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
path=$here/bin
case ${1:-} in
  # What these do needs no torch (opbench/front), and takes less time than to look for one.
  compare | completion | convert | man | merge | show | -h | --help | --help-all | --version) ;;
  *)
    . "$here/share/opbench/find_torch.sh"
    status=0
    torch=$(find_torch) || status=$?
    [ $status != 2 ] || exit 2
    [ $status = 0 ] || { echo "opbench: no torch $torch_release (CUDA 13): name one in OPBENCH_TORCH, or pip install torch==$torch_pinned" >&2; exit 2; }
    path=$path:$(torch_library_path "$torch")
    ;;
esac
LD_LIBRARY_PATH=$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/bin/$(basename "$0")" "$@"
