"""The command line: ``python reproduce.py figure=sbp_fig2``; ``python reproduce.py --help`` lists what there is."""

import sys

try:
    import solvers  # noqa: F401  # first, so that nothing else is imported in vain
except ImportError as error:
    if "SVM_ISA" not in str(error):
        raise
    print(f"error: {error}", file=sys.stderr)  # the compiled core refuses that value of the environment variable
    sys.exit(2)

from experiments import streams
from experiments.reproduction.cli import main

if __name__ == "__main__":
    sys.exit(streams.run(lambda: main(sys.argv[1:])))
