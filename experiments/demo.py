"""``python -m experiments.demo``: five kernel solvers on real digits, three seeds each, in under a minute.

It is one sweep of ``run.py``, followed by the command that opens the mlflow UI on its runs. Further settings can be
given as for ``run.py`` (``python -m experiments.demo budget.epochs=2``).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import experiments.processes.program_start  # noqa: F401
from experiments.configuration.schema import StoreConfig
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store

SOLVERS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS = 3


def main(arguments: Sequence[str]) -> int:
    """Run the demonstration; return the exit status of its sweep."""
    sweep = ["-m", f"algo={','.join(SOLVERS)}", "dataset=digits", f"seed=range({SEEDS})", *arguments]
    code = subprocess.run([sys.executable, str(PROJECT_ROOT / "run.py"), *sweep], check=False).returncode
    if code == 0:
        roots = [text.removeprefix("store.root=") for text in arguments if text.startswith("store.root=")]
        root = Path(roots[-1] if roots else StoreConfig.root)
        print(f"all runs in the mlflow UI: {ui_command(root)}\nand there: {Store.open(root).ui_address()}")
    return code


def ui_command(root: Path) -> str:
    """Return the command that opens the mlflow UI on a store, with mlflow's path where the shell would not find it."""
    command = Store.open(root).ui_command()
    beside = Path(sys.executable).with_name("mlflow")
    return command if shutil.which("mlflow") or not beside.exists() else command.replace(" mlflow ui", f" {beside} ui")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
