# Sourced by ./dev: runs a command as on a new machine. What a developer's machine has (a CUDA toolkit, packages of another day) hides
# a step that is missing in ./dev setup; a bare Debian 12 hides none.

# in_bare_debian COMMAND...: runs it on a clone of the working tree in the minimal system of Debian 12, with this user's LibTorch,
# compiler cache and downloaded packages. The system is made by debootstrap once and kept; each call begins with a new copy of it.
in_bare_debian() {
  local kept=${XDG_CACHE_HOME:-$HOME/.cache}/opbench ccache=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache} root start=$SECONDS
  [ "$(id -u)" = 0 ] || die "--bare needs root: it makes a Debian of its own and mounts folders in it"
  root=$kept/debian-12-bare
  install_packages debootstrap git ca-certificates util-linux
  make_debian "$kept/debian-12"
  mkdir -p "$torch_cache" "$ccache" "$kept/packages"
  rm -rf --one-file-system "$root" && cp -a "$kept/debian-12" "$root"
  copy_network_settings "$root"
  clone_tree "$root/home/opbench"
  say "made a bare Debian 12 in $root in $((SECONDS - start)) s"
  # In name spaces of its own: what was mounted and what still runs goes with it, however it ends.
  unshare --mount --pid --fork --kill-child bash -euc '
    root=$1 home=$2
    bind() { mkdir -p "$root$2" && mount --bind "$1" "$root$2"; }
    mount --rbind /dev "$root/dev"; mount -t proc proc "$root/proc"; mount --rbind /sys "$root/sys"
    bind "$3" "$home/.cache/opbench/${3##*/}"; bind "$4" "$home/.cache/ccache"; bind "$5" /var/cache/apt/archives
    kept=(HOME="$home" TERM="${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    while IFS= read -r variable; do kept+=("$variable"); done < <(env | grep -E "^(SSL_|CURL_CA|GIT_SSL|PIP_|REQUESTS_CA|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)")
    exec env -i "${kept[@]}" chroot "$root" bash -c "cd /home/opbench && exec \"\$@\"" bare "${@:6}"
  ' bare "$root" "$HOME" "$torch_cache" "$ccache" "$kept/packages" "$@" || die "that failed in the bare Debian, which is kept in $root"
  rm -rf --one-file-system "$root"
}

# make_debian FOLDER: the minimal system, from the package source of this machine.
make_debian() {
  local source log=$1.log
  [ ! -e "$1/.complete" ] || return 0
  source=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d/ 2>/dev/null | head -n 1 | tr -d ' ' || true)
  rm -rf "$1" && mkdir -p "$1"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$1" ${source:+"$source"} >"$log" 2>&1 ||
    { tail -n 3 "$log" >&2; die "debootstrap failed: see the lines above"; }
  touch "$1/.complete"
}

# copy_network_settings ROOT: how this machine reaches its package sources; those sources themselves where they are Debian 12's.
copy_network_settings() {
  local file
  cp -L /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || true
  rm -rf "$1/etc/ssl/certs" && cp -aL /etc/ssl/certs "$1/etc/ssl/"
  if [ -e /etc/pip.conf ]; then cp /etc/pip.conf "$1/etc/"; fi
  grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release || return 0
  rm -rf "$1/etc/apt/sources.list" "$1/etc/apt/sources.list.d" && mkdir -p "$1/etc/apt/sources.list.d"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian*; do
    if [ -e "$file" ]; then cp "$file" "$1$file"; fi
  done
}

# clone_tree FOLDER: this repository, with what is changed and not committed yet.
clone_tree() {
  git clone -q . "$1"
  git ls-files -z --deleted | (cd "$1" && xargs -0r rm -f)
  git ls-files -z --modified --others --exclude-standard | while IFS= read -r -d '' file; do
    if [ -e "$file" ]; then cp --parents -a "$file" "$1/"; fi
  done
}
