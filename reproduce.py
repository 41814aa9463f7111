"""The command line: ``python3 reproduce.py figure=sbp_fig2``; ``python3 reproduce.py --help`` lists what there is.

Any python3 will do: without the program it continues in ``.venv``.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

if __name__ == "__main__" and find_spec("svm_cost_curves") is None:
    run_path(str(Path(__file__).resolve().parent / "requirements" / "environment.py"))["enter"]()

import svm_cost_curves.experiments.processes.collector  # noqa: F401
from svm_cost_curves.experiments.reproduction.cli import command

if __name__ == "__main__":
    sys.exit(command())
