# Sourced by ./dev: installs what is missing, through the system's package manager, and finds or unpacks LibTorch.
. cmake/find_torch.sh

# Debian packages by the command that needs them; every command needs those of `build`.
declare -A packages=(
  [build]="g++ cmake ninja-build ccache mold git python3 python3-pip ca-certificates llvm-19-dev zlib1g-dev libzstd-dev
    libfmt-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libeigen3-dev libjs-chart.js"
  [test]="doctest-dev clang-format-19"
  [all]="doctest-dev clang-format-19 python3-venv slurm-wlm chromium"
  [fuzz]="doctest-dev clang-19 libclang-rt-19-dev"
  [lint]="doctest-dev clang-format-19 clang-tidy-19 libomp-19-dev"
  [bundle]="doctest-dev"
  [models]="python3-venv"
)

# missing_packages PACKAGE...: prints those that are not installed.
missing_packages() {
  local installed
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package} ' "$@" 2>/dev/null || true)"
  for package in "$@"; do
    case $installed in *" installed $package "*) ;; *) echo "$package" ;; esac
  done
}

# install_packages PACKAGE...: those that are missing.
install_packages() {
  command -v dpkg-query >/dev/null || die "setup knows Debian 12 and Ubuntu 24.04 (apt); install these yourself: $*"
  local missing offered absent log start=$SECONDS
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  [ ${#missing[@]} -gt 0 ] || return 0
  local line="apt-get install -y --no-install-recommends ${missing[*]}"
  [ "$(id -u)" = 0 ] || { say "packages are missing; run this, then ./dev again:"; echo "sudo $line"; exit 1; }
  log=$(mktemp)
  say "installing ${#missing[@]} packages: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update >"$log" 2>&1 || { tail -n 3 "$log" >&2; die "apt-get update failed: see the lines above"; }
  offered=$(apt-cache policy "${missing[@]}" | awk '/^[^ ]/ { name = $1 } /Candidate:/ && $2 != "(none)" { print name }')
  for package in "${missing[@]}"; do
    case $'\n'$offered in *$'\n'"$package:"*) ;; *) absent="${absent:-} $package" ;; esac
  done
  [ -z "${absent:-}" ] || die "this system's package sources offer no$absent: Debian 12 or Ubuntu 24.04 (with universe) have them"
  # The percentage that apt reports is the progress; its own output is only for when it fails.
  $line -o APT::Status-Fd=3 3> >(show_percent) >>"$log" 2>&1 || { tail -n 5 "$log" >&2; die "'$line' failed: see the lines above"; }
  rm -f "$log"
  say "installed ${#missing[@]} packages in $((SECONDS - start)) s"
}

# Shows apt's status lines ("dlstatus:..:percent:.." and "pmstatus:..:percent:.."), a line each ten per cent where it is no terminal.
show_percent() {
  local kind percent last=-1 step=10 end=$'\n'
  if [ -t 2 ]; then step=1; end=$'\r'; fi
  while IFS=: read -r kind _ percent _; do
    percent=${percent%%.*}
    if [[ $kind == ??status && $percent =~ ^[0-9]+$ ]] && [ $((percent / step)) != "$last" ]; then
      last=$((percent / step))
      case $kind in dl*) kind=downloading ;; *) kind=installing ;; esac
      printf 'opbench: packages: %s %s%%  %s' "$kind" "$percent" "$end" >&2
    fi
  done
}

has_gpu() { [ -e /dev/nvidia0 ] || [ -e /dev/dxg ]; }

# wheels KIND...: prints those of these kinds for the release that is used, as in cmake/torch_wheels.txt.
wheels() {
  local kind releases name hashes
  while read -r kind releases name hashes; do
    case " $* " in *" $kind "*) case ,$releases, in *",${torch_version%.*},"*) echo "$name $hashes" ;; esac ;; esac
  done <cmake/torch_wheels.txt | awk '!seen[$0]++'
}

# Prints the wheels of these kinds that are not in the cache yet.
missing_wheels() {
  local name hashes
  wheels "$@" | while read -r name hashes; do [ -e "$torch_cache/.unpacked-$name" ] || echo "$name $hashes"; done
}

# choose_torch RELEASE: the version of that release that setup has, from now on in this tree. `newest` is the last one.
choose_torch() {
  local release=$1 version
  [ "$release" != newest ] || release=${torch_releases##* }
  version=$(awk -v release="$release" '$1 == "torch" && $2 == release && sub("^torch==", "", $3) { print $3 }' cmake/torch_wheels.txt)
  [ -n "$version" ] || die "setup has torch ${torch_releases// /, }, not '$1'"
  use_torch "$version"
  torch_chosen=$release
}

# What ./dev setup --torch chose holds for all commands.
chosen_file=build/chosen_torch
if [ -e "$chosen_file" ]; then choose_torch "$(<"$chosen_file")"; fi

# unpack_wheels KIND...: unpacks what is missing into the cache, one wheel after the other: a finished one is kept, one that was
# cut off starts over. pip checks each against its sha256 and follows the user's own index settings. Whatever writes into the cache
# holds its lock: also a pip that outlives a set-up that was killed.
unpack_wheels() {
  local name hashes free
  [ -n "$(missing_wheels "$@")" ] || return 0
  [ "$(uname -m)" = x86_64 ] || die "setup has CUDA 13 wheels for x86-64 only, this is $(uname -m)"
  mkdir -p "$torch_cache"
  say "downloading LibTorch to $torch_cache"
  exec 9>"$torch_cache/.lock"
  flock -n 9 || { say "waiting for another set-up, which is writing into $torch_cache"; flock 9; }
  while read -r name hashes; do
    free=$(df -Pk "$torch_cache" | awk 'NR == 2 { print int($4 / 1024) }')
    [ "$free" -gt 2500 ] || die "$torch_cache has $free MB free, LibTorch needs 2500: free some, or set XDG_CACHE_HOME"
    unpack_wheel "$name" "$hashes"
    touch "$torch_cache/.unpacked-$name"
  done < <(missing_wheels "$@")
  exec 9>&-
}

unpack_wheel() {
  local name=$1 partial=$torch_cache/.partial attempt start=$SECONDS
  for attempt in 1 2 3; do
    rm -rf "$partial"
    mkdir -p "$partial/tmp"
    { echo "$name \\"; printf '  --hash=sha256:%s \\\n' $2 | sed '$ s/ \\$//'; } >"$partial/requirement.txt"
    if TMPDIR=$partial/tmp PIP_ROOT_USER_ACTION=ignore python3 -m pip install --no-deps --no-compile --no-cache-dir --only-binary=:all: \
      --disable-pip-version-check --quiet --target "$partial/wheel" -r "$partial/requirement.txt" >&2; then
      cp -rlf "$partial/wheel/." "$torch_cache/"
      rm -rf "$partial"
      say "unpacked $name in $((SECONDS - start)) s"
      return 0
    fi
    say "the download of $name was cut off or did not verify (attempt $attempt of 3)"
  done
  rm -rf "$partial"
  die "could not download $name: check the network and pip's settings (pip config list), then run ./dev setup again"
}

# Prints the folder of CUDA 13's headers (runtime, driver, NVRTC, CUPTI) beside the torch folder $1 or in a toolkit. A Python torch alone has
# a part of them: cuda_runtime_api.h, but not the crt/ that it includes.
find_cuda_headers() {
  local folder
  for folder in "$1/../nvidia/cu13/include" "$1/include" /usr/local/cuda/include; do
    if [ -e "$folder/crt/host_defines.h" ] && [ -e "$folder/cuda.h" ] && [ -e "$folder/nvrtc.h" ] &&
      [ -e "$folder/cupti_range_profiler.h" ] &&
      grep -qs '^#define CUDART_VERSION *13' "$folder/cuda_runtime_api.h"; then
      (cd "$folder" && pwd -P)
      return 0
    fi
  done
  return 1
}

# setup [COMMAND]: installs what the build, and that command, need. Sets `torch` to the LibTorch to use and `torch_options` to what
# CMake needs to know of it. What is missing of LibTorch is downloaded while the packages are installed, but for those that it takes.
setup() {
  local headers kinds=(torch headers) status=0 download= wanted=(${packages[build]} ${1:+${packages[$1]}})
  if has_gpu; then
    [ -n "$(wheels gpu)" ] || say "setup has no GPU libraries for torch $torch_version: without a Python's torch in OPBENCH_TORCH only the CPU is used"
    kinds+=(gpu)
  fi
  torch=$(find_torch) || status=$?
  [ $status != 2 ] || exit 1
  if [ $status = 1 ] || [ "$torch" -ef "$torch_cache/torch" ]; then
    if [ "$(id -u)" = 0 ]; then install_packages python3 python3-pip ca-certificates; else install_packages "${wanted[@]}"; fi
    unpack_wheels "${kinds[@]}" &
    download=$!
  fi
  install_packages "${wanted[@]}"
  if [ -n "$download" ]; then
    wait "$download" || exit 1
    torch=$(find_torch) || die "$torch_cache is damaged: remove it and run ./dev setup again"
  fi
  [ -e "$torch/include/ATen/core/Tensor.h" ] || die "$torch has no headers: name a whole LibTorch in OPBENCH_TORCH"
  headers=$(find_cuda_headers "$torch") || { unpack_wheels headers; headers=$torch_cache/nvidia/cu13/include; }
  torch_options=("-DOPBENCH_TORCH_DIR=$torch" "-DOPBENCH_CUDA_HEADERS=$headers")
}
