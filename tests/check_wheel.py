"""Check an installed wheel outside the checkout: its commit, a run, a sweep, a figure from evidence, an estimator.

``python tests/check_wheel.py EVIDENCE``, with the python of the environment that has the wheel, ends with status 0 if
all work. EVIDENCE is the folder of published runs of the checkout.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from svm_cost_curves.solvers.estimators import SBPClassifier


def command(name: str, *words: str, **options: Any) -> Any:
    """Run a command of the wheel, which has to end with status 0."""
    return subprocess.run([Path(sysconfig.get_path("scripts")) / name, *words], check=True, **options)


def main(evidence: Path) -> None:
    """Check the wheel of this environment in an empty folder."""
    os.environ |= {"SVM_MLFLOW": "off"}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        version = command("svm-run", "--version", stdout=subprocess.PIPE, text=True).stdout
        assert ", commit " in version, version
        command("svm-run", "algo=sbp", "dataset=digits", "budget.epochs=1")
        command("svm-run", "-m", "algo=sbp,smo", "dataset=digits", "seed=0,1", "budget.epochs=1")
        command("svm-reproduce", "figure=sbp_fig2", "scale=paper", "from=evidence", f"evidence={evidence}")
        assert next(Path().rglob("curves.png")).stat().st_size > 0
    X = np.random.default_rng(0).normal(size=(200, 5))
    assert SBPClassifier(epochs=2, random_state=0).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0) > 0.8


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
