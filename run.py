"""The command line: ``python3 run.py algo=sbp dataset=adult``; ``python3 run.py --help`` lists what there is.

Any python3 will do: without the program it continues in ``.venv``. The function with ``@hydra.main`` is in
`experiments.command_line.program`.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

if __name__ == "__main__" and find_spec("svm_cost_curves") is None:
    run_path(str(Path(__file__).resolve().parent / "requirements" / "environment.py"))["enter"]()

import svm_cost_curves.experiments.processes.program_start  # noqa: F401
from svm_cost_curves.experiments.command_line.program import command

if __name__ == "__main__":
    sys.exit(command())
