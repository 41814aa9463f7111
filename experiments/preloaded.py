"""What every run needs, for the server that workers are forked from (`experiments.forked`): seconds to import.

Threads, connections and open files would not survive the fork: nothing here makes any.
"""

import matplotlib.backends.backend_agg
import matplotlib.figure
import matplotlib.style  # noqa: F401
from matplotlib.mathtext import MathTextParser

import experiments.evaluation
import experiments.plotting
import experiments.runner  # noqa: F401
from experiments.store import mlflow_writer

mlflow_writer.load()

from mlflow.store.tracking import sqlalchemy_store, sqlalchemy_workspace_store  # noqa: E402, F401

MathTextParser("agg").parse("$0$")  # makes the grammar of what stands at an axis
