"""Of what the compiled core is built: CMake keeps the digest of a build, and a command compares the present one.

CMake runs this file, so it needs the standard library only.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tomllib
from pathlib import Path

DIGEST_FILE = "_core.sources"
"""Beside the compiled module of a checkout."""
_FOLDERS = ("core", "elastic", "bindings")


def changed_since_build(checkout: Path, module: Path) -> bool:
    """Return whether the compiled module was built of other sources than those in a checkout.

    Contents are compared only where a file or folder is newer than the module: git touches times. Where the digest or
    the sources are missing, as in a wheel, nothing has changed.
    """
    kept = module.with_name(DIGEST_FILE)
    try:
        built = kept.stat().st_mtime_ns
        if not (checkout / "cpp" / "core").is_dir() or not _is_newer(checkout, built):
            return False
        return kept.read_text(encoding="ascii") != digest(checkout)
    except (OSError, ValueError):
        return False


def digest(checkout: Path) -> str:
    """Return the SHA-256 of the C++ sources, of CMakeLists.txt, and of what pyproject.toml says on the build."""
    whole = hashlib.sha256((checkout / "CMakeLists.txt").read_bytes())
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    settings = {name: value for name, value in project["tool"]["scikit-build"].items() if name != "wheel"}
    whole.update(repr((project["build-system"], settings)).encode())
    for path in sorted(path for name in _FOLDERS for path in (checkout / "cpp" / name).rglob("*.[ch]pp")):
        whole.update(path.relative_to(checkout).as_posix().encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


def _is_newer(checkout: Path, built: int) -> bool:
    """Return whether one of the files, or a folder of sources, was changed after a time in nanoseconds."""
    if any((checkout / name).stat().st_mtime_ns > built for name in ("CMakeLists.txt", "pyproject.toml")):
        return True
    folders = [os.fspath(checkout / "cpp" / name) for name in _FOLDERS]
    while folders:
        folder = folders.pop()
        if os.stat(folder).st_mtime_ns > built:  # noqa: PTH116 (of 123 files: pathlib takes three times as long)
            return True
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.stat().st_mtime_ns > built:
                    return True
    return False


if __name__ == "__main__":
    sys.stdout.write(digest(Path(__file__).resolve().parent.parent))
