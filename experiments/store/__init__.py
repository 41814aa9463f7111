"""The store: settings, curve and provenance of every run, in a folder whose name is the run's key.

Layout, below one folder (by default ``results/``)::

    runs/<key>/                  a finished run: result.json, curve.parquet, further files, SHA256SUMS
    unfinished/<time>-<key>/     a run that was interrupted or has failed
    locks/<key>.lock             held by the process that computes the run
    mlflow.db, mlflow-artifacts/ the same runs in mlflow
    recorded/                    which runs mlflow has, and what recorders have to say to the next command

* **A run is found by a look at its path**: no database, no index. A folder is written beside its place and renamed, so
  that it is there complete or not at all; a run with a missing or changed file counts as not done.
* **mlflow is a copy** that a process beside the command makes (`recorder`, `tracking`). It can be deleted and made
  again from the folders. An mlflow server that machines share is the same copy at another address.
* **Opening writes nothing.** The first run creates the store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run_folder import FinishedRun, StoreError
    from .store import Store

__all__ = ["FinishedRun", "Store", "StoreError"]


def __getattr__(name: str) -> Any:
    """Import one of `__all__` when it is used: ``python -m`` imports this file before the command can answer Ctrl-C."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import run_folder, store

    return getattr(store, name, None) or getattr(run_folder, name)
