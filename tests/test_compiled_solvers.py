"""Solvers in C++: CONTRIBUTING's example in the core, and one outside of it, compile and run like those in Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_contributing import ROOT, example
from waiting import PATIENCE

HEADER = "cpp/core/solvers/margin_perceptron.hpp"
LIST = "cpp/core/solvers/by_name.cpp"
TOOLS = Path(sys.executable).parent


def tree_with_the_example(folder: Path) -> Path:
    """Copy the core's sources, and add the example to them as CONTRIBUTING says."""
    tree = folder / "tree"
    shutil.copytree(ROOT / "cpp", tree / "cpp")
    for name in ("CMakeLists.txt", ".clang-format"):
        shutil.copy(ROOT / name, tree / name)
    (tree / HEADER).write_text(example(HEADER), encoding="utf-8")
    include, _, line = example(LIST).partition("\n\n")
    text = (ROOT / LIST).read_text(encoding="utf-8")
    for mark, added in (('#include "solvers/perceptron.hpp"\n', f"{include}\n"), ("> list{\n", "")):
        assert text.count(mark) == 1
        text = text.replace(mark, added + mark if added else mark + line)
    (tree / LIST).write_text(text, encoding="utf-8")
    return tree


def done(*words: object, **settings: str) -> str:
    """Run a program, which has to succeed; return its output."""
    path = os.pathsep.join((str(TOOLS), os.environ["PATH"]))
    ended = subprocess.run(
        list(map(str, words)),
        cwd=ROOT,
        env={**os.environ, "PATH": path, **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


def test_the_example_compiles_without_warnings_and_has_the_projects_style(tmp_path: Path) -> None:
    tree = tree_with_the_example(tmp_path)
    warnings = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
    compiler = os.environ.get("CXX") or "c++"
    done(compiler, "-std=c++17", "-fsyntax-only", *warnings, f"-I{tree / 'cpp/core'}", tree / LIST)
    done("clang-format", "--dry-run", "-Werror", tree / HEADER, tree / LIST)
