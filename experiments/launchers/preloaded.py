"""Imports what every run needs, in the server that workers are forked from (`experiments.processes.forkserver`).

Threads, connections and open files do not survive a fork, so nothing here may make any.
"""

import matplotlib.backends.backend_agg
import matplotlib.figure
import matplotlib.style  # noqa: F401
from matplotlib.mathtext import MathTextParser

import experiments.plotting
import experiments.processes.program_start
import experiments.run.runner  # noqa: F401

MathTextParser("agg").parse("$0$")  # builds the grammar of axis labels, 0.3 s
