"""Start of a program, which imports this module before any other of the project's.

It tunes the garbage collector, and imports the compiled core: a value of SVM_ISA that the core refuses ends the program
with one sentence and status 2.
"""

import sys

import svm_cost_curves.experiments.processes.collector  # noqa: F401

try:
    from svm_cost_curves import solvers  # noqa: F401
except ImportError as error:
    if "SVM_ISA" not in str(error):
        raise
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)
