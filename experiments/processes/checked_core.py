"""Imports the compiled core; if it refuses the value of SVM_ISA, ends the program with one sentence and status 2.

Programs import this module before any other module of the project.
"""

import sys

try:
    import solvers  # noqa: F401
except ImportError as error:
    if "SVM_ISA" not in str(error):
        raise
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)
