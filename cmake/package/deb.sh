#!/usr/bin/env bash
# deb.sh BUNDLE VERSION GLIBC FOLDER: makes a Debian package of a bundle in FOLDER, and prints its path: the program in /usr/bin, its
# manual page, and the completions of three shells.
set -euo pipefail
bundle=$1 version=$2 glibc=$3 out=$4/opbench_$2_amd64.deb
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
mkdir -p "$root/usr/lib" "$root/usr/bin" "$root/DEBIAN"
cp -r "$bundle" "$root/usr/lib/opbench"
ln -s ../lib/opbench/opbench "$root/usr/bin/opbench"
# file PATH COMMAND...: what the program prints, as a file of the package.
file() {
  mkdir -p "$root/usr/share/$(dirname "$1")"
  "$root/usr/bin/opbench" "${@:2}" >"$root/usr/share/$1"
}
file man/man1/opbench.1 man
gzip -9n "$root/usr/share/man/man1/opbench.1"
file bash-completion/completions/opbench completion bash
file zsh/vendor-completions/_opbench completion zsh
file fish/vendor_completions.d/opbench.fish completion fish
mkdir -p "$root/usr/share/doc/opbench"
cp "$bundle/share/opbench/LICENSE" "$root/usr/share/doc/opbench/copyright"
cat >"$root/DEBIAN/control" <<TEXT
Package: opbench
Version: $version
Architecture: amd64
Maintainer: the developers of opbench <opbench@localhost>
Section: devel
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: bash, libc6 (>= $glibc), libgcc-s1, libstdc++6
Recommends: python3, bash-completion
Description: races generated kernels for ATen operators against eager ATen
 It runs on the torch ${version#*+torch} (CUDA 13) of python3, or on the one that OPBENCH_TORCH names.
TEXT
dpkg-deb --root-owner-group --build "$root" "$out" >/dev/null
echo "$out"
