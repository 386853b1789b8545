#!/usr/bin/env bash
# Runs the program of this bundle that has this script's name, on the torch 2.11 (CUDA 13) that is found on this machine.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/share/opbench/find_torch.sh"
status=0
torch=$(find_torch) || status=$?
[ $status != 2 ] || exit 2
[ $status = 0 ] || { echo "opbench: no torch $torch_release (CUDA 13): name one in OPBENCH_TORCH, or pip install torch==$torch_pinned" >&2; exit 2; }
LD_LIBRARY_PATH=$here/bin:$(torch_library_path "$torch")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/bin/$(basename "$0")" "$@"
