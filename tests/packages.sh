#!/usr/bin/env bash
# packages.sh TORCH: the wheel and the Debian package, as their users have them: installed elsewhere, on the torch in the folder TORCH.
set -euo pipefail
torch=$1
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OPBENCH_TORCH=$torch OPBENCH_CACHE=$folder/cache
export DPKG_DEB_COMPRESSOR_LEVEL=1  # the highest level takes most of a minute, and nobody downloads this package
failed=0

# says WHAT COMMAND...: the command prints the version of the program that was packed.
says() {
  local found
  found=$("${@:2}" 2>&1) || true
  [ "$found" = "$version" ] || { echo "$1: expected '$version', got '$found'"; failed=1; }
}

wheel=$(./dev bundle --wheel --as-built | tail -n 1)
version=$(build/release/bin/opbench --version)
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-index --disable-pip-version-check "$wheel"
says "the command of the wheel" "$folder/venv/bin/opbench" --version
says "its module" "$folder/venv/bin/python" -m opbench --version
mkdir -p "$folder/python/torch" && touch "$folder/python/torch/__init__.py"  # a Python that seems to have torch
says_python='import opbench, os; os.execv = lambda *_: print(os.environ["OPBENCH_PYTHON"]); opbench.main()'
found=$(PYTHONPATH=$folder/python "$folder/venv/bin/python" -c "$says_python")
[ "$found" = "$folder/venv/bin/python" ] || { echo "Inductor compiles by '$found', not by the Python that has the wheel"; failed=1; }
"$folder/venv/bin/opbench" --list --op softplus | grep -q softplus || { echo "the wheel has no suites"; failed=1; }
"$folder/venv/bin/pip" uninstall -q -y opbench
[ -z "$(find "$folder/venv" -name '*opbench*')" ] || { echo "uninstalling the wheel leaves files"; failed=1; }
number=$(sed 's/.*opbench-\(.*\)-py3-.*/\1/' <<<"$wheel") glibc=$(sed 's/.*manylinux_\([0-9]*\)_\([0-9]*\)_.*/\1.\2/' <<<"$wheel")
for words in "--version" "--help" "man" "completion bash"; do
  env -i PATH=/usr/bin:/bin OPBENCH_TORCH=/nowhere "build/bundle/opbench-$number-linux-x86_64/opbench" $words >/dev/null || { echo "a bundle without torch has no $words"; failed=1; }
done
again=$(python3 -B cmake/package/wheel.py "build/bundle/opbench-$number-linux-x86_64" "$number" "$glibc" "$folder")
cmp -s "$wheel" "$again" || { echo "equal bundles make other wheels"; failed=1; }

package=$(./dev bundle --deb --as-built | tail -n 1)
dpkg-deb --extract "$package" "$folder/root"
says "the program of the Debian package" "$folder/root/usr/bin/opbench" --version
for file in man/man1/opbench.1.gz bash-completion/completions/opbench zsh/vendor-completions/_opbench fish/vendor_completions.d/opbench.fish; do
  [ -s "$folder/root/usr/share/$file" ] || { echo "the Debian package has no $file"; failed=1; }
done
[ "$(dpkg-deb --field "$package" Version)" = "$number" ] || { echo "the Debian package has another version"; failed=1; }
exit $failed
