"""Published figures are drawn without Hydra, solvers and data sets, and through few files."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from passed_files import HEAVY, ROOT

from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure

MOST_FILES = 47
"""76 when settings were composed again to find the runs."""


def python(*words: str | Path) -> str:
    return subprocess.run([sys.executable, *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def test_a_published_figure_passes_few_files_and_imports_nothing_heavy(tmp_path: Path) -> None:
    words = ("figure=asset_fig2", "scale=paper", "from=evidence", f"figures={tmp_path}")
    last = python(Path(__file__).with_name("passed_files.py"), *words).splitlines()[-1]
    match = re.fullmatch(r"(\d+) files; imported: none", last)
    assert match, last
    assert int(match[1]) <= MOST_FILES + 1  # choices.py checks `figures=`
    assert (tmp_path / "asset_fig2" / "paper" / "figure.png").exists()


def test_no_module_of_a_figure_imports_a_solver_a_data_set_or_hydra() -> None:
    specs = [read_figure(name) for name in catalogue()]
    modules = {spec.maker for spec in specs} | {"svm_cost_curves.experiments.papers.elsewhere.bases"}
    code = f"import sys, {', '.join(sorted(modules))}; print([name for name in {HEAVY[:-1]} if name in sys.modules])"
    assert python("-c", code).strip() == "[]"
