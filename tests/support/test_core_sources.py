"""A core that is older than its sources is known by their contents."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from svm_cost_curves.experiments.processes import core
from svm_cost_curves.support.core_sources import DIGEST_FILE, changed_since_build, digest

PROJECT = """[build-system]
requires = []
[project]
version = "1"
[tool.scikit-build]
cmake.build-type = "{kind}"
wheel.packages = {{}}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose core was just built."""
    for name in ("core", "elastic", "bindings"):
        (tmp_path / "cpp" / name / "inner").mkdir(parents=True)
        (tmp_path / "cpp" / name / "inner" / "a.cpp").write_text("int a;")
    (tmp_path / "CMakeLists.txt").write_text("project(x)")
    (tmp_path / "pyproject.toml").write_text(PROJECT.format(kind="Release"))
    (tmp_path / "built").mkdir()
    kept = tmp_path / "built" / DIGEST_FILE
    kept.write_text(digest(tmp_path))
    for path in tmp_path.rglob("*"):
        os.utime(path, (1000, 1000))
    os.utime(kept, (2000, 2000))
    return tmp_path


def changed(checkout: Path) -> bool:
    return changed_since_build(checkout, checkout / "built" / "_core.so")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda root: None, False),
        (lambda root: (root / "cpp/core/inner/a.cpp").touch(), False),  # as git does
        (lambda root: (root / "cpp/core/inner/a.cpp").write_text("int b;"), True),
        (lambda root: (root / "cpp/bindings/inner/b.hpp").write_text(""), True),
        (lambda root: (root / "cpp/elastic/inner/a.cpp").unlink(), True),
        (lambda root: (root / "CMakeLists.txt").write_text("project(y)"), True),
        (lambda root: (root / "pyproject.toml").write_text(PROJECT.format(kind="Debug")), True),
        (lambda root: (root / "pyproject.toml").write_text(PROJECT.format(kind="Release") + "[tool.ruff]\n"), False),
        (lambda root: (root / "pyproject.toml").write_text("no TOML"), False),
        (lambda root: (root / "built" / DIGEST_FILE).unlink(), False),
        (lambda root: (root / "cpp").rename(root / "elsewhere"), False),  # a wheel
    ],
)
def test_only_changed_contents_count(checkout: Path, change: Callable[[Path], object], expected: bool) -> None:
    change(checkout)
    assert changed(checkout) == expected


def test_a_command_warns_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(core, "changed_since_build", lambda checkout, module: True)
    core.load_core()
    err = capsys.readouterr().err
    assert err.startswith("warning: the core was built before its sources in ")
    assert err.count("\n") == 1
