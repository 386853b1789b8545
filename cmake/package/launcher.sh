#!/usr/bin/env bash
# Runs the program of this bundle that has this script's name. Where it needs a torch, this is the one found on this machine of the
# release that the bundle was built with.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
path=$here/bin
case ${1:-} in
  # What these do needs no torch (opbench/front), and takes less time than to look for one.
  compare | completion | convert | man | merge | show | -h | --help | --help-all | --version) ;;
  *)
    . "$here/share/opbench/find_torch.sh"
    use_torch "$(<"$here/share/opbench/torch")"
    torch_releases=${torch_version%.*}
    torch_remedy() { echo "this opbench runs with torch $torch_releases (CUDA 13): pip install torch==$torch_version, or name one in OPBENCH_TORCH"; }
    status=0
    torch=$(find_torch) || status=$?
    [ $status != 2 ] || exit 2
    [ $status = 0 ] || { echo "opbench: $(torch_at_hand): $(torch_remedy)" >&2; exit 2; }
    path=$path:$(torch_library_path "$torch")
    ;;
esac
LD_LIBRARY_PATH=$path${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/bin/$(basename "$0")" "$@"
