"""The command line: ``python reproduce.py figure=sbp_fig2``; ``python reproduce.py --help`` lists what there is."""

import sys

import experiments.processes.collector  # noqa: F401
from experiments.processes import streams
from experiments.reproduction.cli import main

if __name__ == "__main__":
    sys.exit(streams.run(lambda: main(sys.argv[1:])))
