"""Published figures are drawn without Hydra, solvers and data sets, and through few files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from benchmarks.passed import HEAVY, ROOT
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure

MOST_FILES = 53
"""76 when settings were composed again to find the runs. One is the index of runs, and five guard: signals, streams,
messages, paths, YAML."""


def python(*words: str) -> tuple[str, str]:
    """Output and errors of a program."""
    ended = subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return ended.stdout, ended.stderr


def test_a_published_figure_passes_few_files_and_imports_nothing_heavy(tmp_path: Path) -> None:
    words = ("figure=asset_fig2", "scale=paper", "from=evidence", f"figures={tmp_path}")
    counts = python("-m", "benchmarks.passed", "reproduce.py", *words)[1]
    match = re.search(r"^(\d+) files, \d+ functions\nimported: none$", counts, re.MULTILINE)
    assert match, counts
    assert int(match[1]) <= MOST_FILES + 1  # choices.py checks `figures=`
    assert (tmp_path / "asset_fig2" / "paper" / "figure.png").exists()


def test_no_module_of_a_figure_imports_a_solver_a_data_set_or_hydra() -> None:
    specs = [read_figure(name) for name in catalogue()]
    modules = {spec.maker for spec in specs} | {"svm_cost_curves.experiments.papers.elsewhere.bases"}
    code = f"import sys, {', '.join(sorted(modules))}; print([name for name in {HEAVY[:-1]} if name in sys.modules])"
    assert python("-c", code)[0].strip() == "[]"
