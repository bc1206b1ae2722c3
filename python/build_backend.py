"""Builds wheels: Python files, and the program boost for one platform. Nothing but Python and Go is needed.

`python build_backend.py OUT [GOOS/GOARCH …]` builds wheels for platforms, this one without any.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import platform
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
}
DATE = (1980, 1, 1, 0, 0, 0)  # of all files, so that the same tree makes the same wheel


def module_root() -> Path:
    """Return the folder of the Go module: around this one in a checkout, beside it in a source archive."""
    for folder in (HERE / "go", HERE.parent):
        if (folder / "go.mod").is_file():
            return folder
    raise RuntimeError("there is no Go module around: build from a checkout of boost or from its source archive")


def this_platform() -> str:
    system = {"Linux": "linux", "Darwin": "darwin", "Windows": "windows"}.get(platform.system(), platform.system())
    machine = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "")
    if f"{system}/{machine}" not in TAGS:
        raise RuntimeError(f"no wheels are built for {platform.system()} on {platform.machine()}")
    return f"{system}/{machine}"


def build_program(target: str) -> bytes:
    """Compile the program."""
    system, machine = target.split("/")
    out = HERE / "build" / target.replace("/", "-") / ("boost.exe" if system == "windows" else "boost")
    out.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "CGO_ENABLED": "0", "GOOS": system, "GOARCH": machine}
    command = ["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", str(out), "./cmd/boost"]
    try:
        subprocess.run(command, cwd=module_root(), env=environment, check=True)
    except FileNotFoundError:
        raise RuntimeError("building boost-gbt from source needs Go 1.26 or newer: https://go.dev/dl/") from None
    return out.read_bytes()


def project() -> dict[str, Any]:
    return dict(tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"])


def metadata(p: dict[str, Any]) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {p['version']}", f"Summary: {p['description']}"]
    lines += [f"Classifier: {c}" for c in p["classifiers"]]
    lines += [f"Requires-Python: {p['requires-python']}"] + [f"Requires-Dist: {d}" for d in p["dependencies"]]
    for extra, needed in p["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f'Requires-Dist: {d}; extra == "{extra}"' for d in needed]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / "README.md").read_text("utf-8")]
    return "\n".join(lines)


def name_of(p: dict[str, Any]) -> str:
    return f"{p['name'].replace('-', '_')}-{p['version']}"


def write_wheel(folder: str, target: str) -> str:
    """Write the wheel of a platform and return its name."""
    p = project()
    base, tag = name_of(p), TAGS[target]
    info = f"{base}.dist-info"
    files: dict[str, bytes] = {}
    source = HERE / "src"
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix in (".py", ".typed"):
            files[path.relative_to(source).as_posix()] = path.read_bytes()
    program = f"boost_gbt/bin/{'boost.exe' if target.startswith('windows') else 'boost'}"
    files[program] = build_program(target)
    files[f"{info}/METADATA"] = metadata(p).encode()
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: boost\nRoot-Is-Purelib: false\n{tags}".encode()
    scripts = "".join(f"{name} = {what}\n" for name, what in p["scripts"].items())
    files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{scripts}".encode()
    licence = HERE / "LICENSE" if (HERE / "LICENSE").is_file() else module_root() / "LICENSE"
    files[f"{info}/licenses/LICENSE"] = licence.read_bytes()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = f"{base}-py3-none-{tag}.whl"
    with zipfile.ZipFile(Path(folder) / out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o100755 if name == program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    return out


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel for this platform (PEP 517)."""
    return write_wheel(wheel_directory, this_platform())


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source archive: this folder, and the Go module under go/ (PEP 517)."""
    base, root = name_of(project()), module_root()
    files = {name: HERE / name for name in ("pyproject.toml", "build_backend.py", "README.md")}
    files["LICENSE"] = root / "LICENSE"
    for path in (HERE / "src").rglob("*"):
        if path.suffix in (".py", ".typed"):
            files[path.relative_to(HERE).as_posix()] = path
    listed = subprocess.run(
        [
            "go",
            "list",
            "-deps",
            "-f",
            "{{if not .Standard}}{{if .Module}}{{if .Module.Main}}{{.Dir}}{{end}}{{end}}{{end}}",
            "./cmd/boost",
        ],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\n")
    for folder in filter(None, listed):
        for path in Path(folder).iterdir():
            if path.is_file() and not path.name.endswith("_test.go"):
                files["go/" + path.relative_to(root).as_posix()] = path
    files["go/go.mod"], files["go/go.sum"] = root / "go.mod", root / "go.sum"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        entries = {name: path.read_bytes() for name, path in files.items()} | {"PKG-INFO": metadata(project()).encode()}
        for name in sorted(entries):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(entries[name])
            archive.addfile(entry, io.BytesIO(entries[name]))
    out = f"{base}.tar.gz"
    (Path(sdist_directory) / out).write_bytes(gzip.compress(buffer.getvalue(), mtime=0))
    return out


def main() -> None:
    out, *targets = sys.argv[1:]
    Path(out).mkdir(parents=True, exist_ok=True)
    for target in targets or [this_platform()]:
        path = Path(out) / write_wheel(out, target)
        print(f"{path}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
