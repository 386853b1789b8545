# Sourced by ./dev and by a bundle's launcher: which LibTorch is used. Order: $OPBENCH_TORCH (a LibTorch, or the folder of an
# installed Python torch), the torch of the python3 on PATH if it fits, the one that ./dev setup unpacked into the user's cache.
torch_release=2.11
torch_pinned=2.11.0
torch_cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/opbench/torch-$torch_pinned

# Prints the torch folder meant by $1: itself, its torch/, or that of the virtual environment $1.
torch_at() {
  local folder
  for folder in "$1" "$1/torch" "$1"/lib/python3*/site-packages/torch; do
    if [ -e "$folder/lib/libtorch_cpu.so" ]; then (cd "$folder" && pwd -P); return 0; fi
  done
  return 1
}

# Prints why the torch folder $1 does not fit, or nothing.
torch_problem() {
  local version=unknown
  if [ -r "$1/version.py" ]; then version=$(sed -n "s/^__version__ = '\(.*\)'/\1/p" "$1/version.py")
  elif [ -r "$1/build-version" ]; then read -r version <"$1/build-version" || true; fi
  case $version in
    "$torch_release".*) grep -qs 'libcudart\.so\.13' "$1/lib/libc10_cuda.so" || echo "torch $version without CUDA 13" ;;
    *) echo "torch $version" ;;
  esac
}

# Prints the folder of the torch that python3 would import, without importing it.
torch_of_python() {
  command -v python3 >/dev/null || return 1
  local folder
  folder=$(python3 -c 'import importlib.util as u; s = u.find_spec("torch"); print(s.submodule_search_locations[0] if s else "")' \
    2>/dev/null) && [ -n "$folder" ] && torch_at "$folder"
}

# Prints the torch folder to use. Status 1 when there is none; status 2, after saying why, when OPBENCH_TORCH names a wrong one.
find_torch() {
  local folder problem
  if [ -n "${OPBENCH_TORCH:-}" ]; then
    folder=$(torch_at "$OPBENCH_TORCH") ||
      { echo "opbench: no lib/libtorch_cpu.so in OPBENCH_TORCH=$OPBENCH_TORCH: name a LibTorch $torch_release (CUDA 13)" >&2; return 2; }
    problem=$(torch_problem "$folder")
    [ -z "$problem" ] ||
      { echo "opbench: OPBENCH_TORCH=$OPBENCH_TORCH is $problem: name a LibTorch $torch_release (CUDA 13), or unset it" >&2; return 2; }
    echo "$folder"
    return 0
  fi
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
