"""The command line: ``python reproduce.py figure=sbp_fig2``; ``python reproduce.py --help`` lists what there is."""

import sys

import svm_cost_curves.experiments.processes.collector  # noqa: F401
from svm_cost_curves.experiments.reproduction.cli import command

if __name__ == "__main__":
    sys.exit(command())
