"""The build backend of the wheel (PEP 517): compiles the driver with Go and packs it, with nothing but the standard
library.

    pip wheel ./python -w dist        # from the root of the project

The wheel's tag says which glibc the two libraries really need.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PACKAGE = "adbc_driver_hudi"
EPOCH = (2020, 1, 1, 0, 0, 0)  # of all files, so that the same sources give the same wheel
MACHINES = {"x86_64": "x86_64", "aarch64": "aarch64"}
LIBRARIES = re.compile(r"^lib(adbc_driver_hudi|hudi_duckdb-[0-9]+)\.so$")


def version() -> str:
    """The version that the package states."""
    with open(os.path.join(HERE, PACKAGE, "_version.py"), encoding="utf-8") as f:
        found = re.search(r'^__version__ = "(.+)"', f.read(), re.M)
    if not found:
        raise SystemExit("backend: _version.py has no version")
    return found.group(1)


def compile_libraries() -> list[str]:
    """Builds the libraries and gives their paths."""
    out = os.path.join(ROOT, "dist", "adbc")
    command = ["go", "run", "./adbc/build", "-o", out, "-version", "v" + version()]
    subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    return sorted(os.path.join(out, name) for name in os.listdir(out) if LIBRARIES.match(name))


def tag(libraries: list[str]) -> str:
    """The wheel's tag: the newest glibc symbol that a library asks for says on which systems it loads."""
    newest = (2, 17)
    for path in libraries:
        with open(path, "rb") as f:
            data = f.read()
            if b"GLIBCXX_" in data:
                raise SystemExit(f"backend: {path} needs the system's C++ library")
            for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", data):
                newest = max(newest, (int(major), int(minor)))
    machine = MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        raise SystemExit(f"backend: no wheel for {sys.platform} on {platform.machine()} yet")
    return f"py3-none-manylinux_{newest[0]}_{newest[1]}_{machine}"


def metadata() -> str:
    """METADATA, of what pyproject.toml says."""
    import tomllib

    with open(os.path.join(HERE, "pyproject.toml"), "rb") as f:
        project = tomllib.load(f)["project"]
    with open(os.path.join(HERE, project["readme"]), encoding="utf-8") as f:
        readme = f.read()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
    ]
    lines += [f"Classifier: {c}" for c in project["classifiers"]]
    lines += [f"Project-URL: {k}, {v}" for k, v in project["urls"].items()]
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {d}; extra == "{extra}"' for d in wanted]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """PEP 517: makes the wheel and gives its name."""
    libraries = compile_libraries()
    label = tag(libraries)
    name = f"{PACKAGE}-{version()}-{label}.whl"
    info = f"{PACKAGE}-{version()}.dist-info"
    records = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED, compresslevel=6) as z:

        def add(path: str, data: bytes, mode: int = 0o644) -> None:
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            z.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            records.append(f"{path},sha256={digest},{len(data)}")

        def copy(path: str, source: str, mode: int = 0o644) -> None:
            with open(source, "rb") as f:
                add(path, f.read(), mode)

        for file in sorted(os.listdir(os.path.join(HERE, PACKAGE))):
            if file.endswith(".py") or file == "py.typed":
                copy(f"{PACKAGE}/{file}", os.path.join(HERE, PACKAGE, file))
        for library in libraries:
            copy(f"{PACKAGE}/{os.path.basename(library)}", library, 0o755)
        copy(f"{info}/licenses/LICENSE", os.path.join(ROOT, "LICENSE"))
        add(f"{info}/METADATA", metadata().encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: hudi-go\nRoot-Is-Purelib: false\nTag: {label}\n".encode())
        z.writestr(zipfile.ZipInfo(f"{info}/RECORD", EPOCH), "\n".join([*records, f"{info}/RECORD,,", ""]))
    return name


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """PEP 517: there is no source distribution, as the sources are a Go module."""
    raise SystemExit("backend: build a wheel from a checkout of the project")
