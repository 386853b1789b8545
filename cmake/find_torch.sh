# Sourced by ./dev and by a bundle's launcher: which LibTorch is used. Order: $OPBENCH_TORCH (a LibTorch, or the folder of an
# installed Python torch), the release that ./dev setup --torch chose, the torch of the python3 on PATH if it fits, the pinned release
# in the user's cache, where ./dev setup unpacks it.
torch_releases="2.11 2.12 2.13 2.14 2.15" # that opbench is built with; a bundle runs with the one that it was built with

# use_torch VERSION: the version that is unpacked where no torch is found, and where.
use_torch() {
  torch_version=$1
  torch_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/opbench/torch-$torch_version
}
use_torch 2.11.0 # pinned: the one that was seen with GPUs
torch_chosen=    # the release of ./dev setup --torch

# Prints the releases that fit: `2.11 to 2.15`, or one.
fitting_releases() {
  local first=${torch_releases%% *} last=${torch_releases##* }
  if [ "$first" = "$last" ]; then echo "$first"; else echo "$first to $last"; fi
}

# Prints the torch folder meant by $1: itself, its torch/, or that of the virtual environment $1.
torch_at() {
  local folder
  for folder in "$1" "$1/torch" "$1"/lib/python3*/site-packages/torch; do
    if [ -e "$folder/lib/libtorch_cpu.so" ]; then (cd "$folder" && pwd -P); return 0; fi
  done
  return 1
}

# Prints the version of the torch in the folder $1: `2.11.0+cu130`.
version_of_torch() {
  local version=unknown
  if [ -r "$1/version.py" ]; then version=$(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$1/version.py")
  elif [ -r "$1/build-version" ]; then read -r version <"$1/build-version" || true; fi
  echo "$version"
}

# Prints why the torch folder $1 does not fit, or nothing.
torch_problem() {
  local version release
  version=$(version_of_torch "$1")
  for release in $torch_releases; do
    case $version in "$release".*) grep -qs 'libcudart\.so\.13' "$1/lib/libc10_cuda.so" || echo "torch $version without CUDA 13"; return 0 ;; esac
  done
  echo "torch $version"
}

# Prints the folder of the torch that python3 would import, without importing it.
torch_of_python() {
  command -v python3 >/dev/null || return 1
  local folder
  folder=$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' \
    2>/dev/null) && [ -n "$folder" ] && torch_at "$folder"
}

# Prints what python3 has where find_torch finds nothing: `python3 has torch 2.9.1`.
torch_at_hand() {
  local folder
  if folder=$(torch_of_python); then echo "python3 has $(torch_problem "$folder")"; else echo "no torch is found"; fi
}

# Prints what to do where a torch does not fit.
torch_remedy() { echo "name a LibTorch $(fitting_releases) (CUDA 13) in OPBENCH_TORCH, or unset it"; }

# Prints the torch folder to use. Status 1 when there is none; status 2, after saying why, when OPBENCH_TORCH names a wrong one.
find_torch() {
  local folder problem
  if [ -n "${OPBENCH_TORCH:-}" ]; then
    folder=$(torch_at "$OPBENCH_TORCH") && problem=$(torch_problem "$folder") || problem="a folder without lib/libtorch_cpu.so"
    [ -z "$problem" ] || { echo "opbench: OPBENCH_TORCH=$OPBENCH_TORCH is $problem: $(torch_remedy)" >&2; return 2; }
    echo "$folder"
    return 0
  fi
  [ -z "$torch_chosen" ] || { torch_at "$torch_cache"; return; }
  for folder in "$(torch_of_python)" "$(torch_at "$torch_cache")"; do
    if [ -n "$folder" ] && [ -z "$(torch_problem "$folder")" ]; then echo "$folder"; return 0; fi
  done
  return 1
}

# Prints the library folders of the torch folder $1 and of the CUDA wheels beside it, joined by colons.
torch_library_path() {
  local path=$1/lib folder
  for folder in "$1"/../nvidia/*/lib; do
    if [ -d "$folder" ]; then path=$path:$(cd "$folder" && pwd -P); fi
  done
  echo "$path"
}
