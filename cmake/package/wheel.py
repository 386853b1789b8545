"""wheel.py BUNDLE VERSION GLIBC FOLDER: puts a bundle and the Python package that starts it into a wheel in FOLDER, and prints its
path. VERSION ends in the release of torch that it runs with, as in 0.1.0+torch2.15; GLIBC is the one that the programs need, as in 2.36. Equal bundles make equal wheels."""

import base64
import hashlib
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
BUNDLE, VERSION, GLIBC, FOLDER = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4])
TAG = f"py3-none-manylinux_{GLIBC.replace('.', '_')}_x86_64"
INFO = f"opbench-{VERSION}.dist-info"

TEXTS = {
    "METADATA": f"""Metadata-Version: 2.1
Name: opbench
Version: {VERSION}
Summary: Races generated kernels for ATen operators against eager ATen
License-File: LICENSE
Requires-Python: >=3.9

opbench runs on the torch {VERSION.partition("+torch")[2]} (CUDA 13) of the Python that it is installed for, or on the one that OPBENCH_TORCH names.
""",
    "WHEEL": f"Wheel-Version: 1.0\nGenerator: opbench\nRoot-Is-Purelib: false\nTag: {TAG}\n",
    "entry_points.txt": "[console_scripts]\nopbench = opbench:main\n",
}


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def contents():
    """All files by their name in the wheel: content, and whether it is a program."""
    for path in sorted((HERE / "opbench").glob("*.py")):
        yield f"opbench/{path.name}", path.read_bytes(), False
    for path in sorted(BUNDLE.rglob("*")):
        if path.is_file():
            yield f"opbench/bundle/{path.relative_to(BUNDLE)}", path.read_bytes(), bool(path.stat().st_mode & 0o100)
    yield f"{INFO}/licenses/LICENSE", (BUNDLE / "share/opbench/LICENSE").read_bytes(), False
    for name, text in TEXTS.items():
        yield f"{INFO}/{name}", text.encode(), False


def entry(name, is_program):
    info = zipfile.ZipInfo(name)  # of a fixed date
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100755 if is_program else 0o100644) << 16
    return info


wheel = FOLDER / f"opbench-{VERSION}-{TAG}.whl"
with zipfile.ZipFile(wheel, "w") as file:
    record = []
    for name, content, is_program in contents():
        file.writestr(entry(name, is_program), content)
        record.append(f"{name},{digest(content)},{len(content)}\n")
    file.writestr(entry(f"{INFO}/RECORD", False), "".join(record) + f"{INFO}/RECORD,,\n")
print(wheel)
