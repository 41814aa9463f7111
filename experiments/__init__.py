"""Runs, records and figures: everything between a solver and a verdict about a paper."""

from __future__ import annotations

if __name__ != "svm_cost_curves.experiments":
    raise ImportError("write svm_cost_curves.experiments for experiments: the folders of this checkout are one package")

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from svm_cost_curves.experiments.run.arrays import run_arrays as run_arrays


def __getattr__(name: str) -> Any:
    """Import `run_arrays` when it is first asked for: commands that need no run start sooner."""
    if name == "run_arrays":
        from svm_cost_curves.experiments.run.arrays import run_arrays

        return run_arrays
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load(algo: str, dataset: str, *, store: Path | str = "results", **filters: Any) -> pd.DataFrame:
    """Return the finished runs of a solver on a data set as one table, as `experiments.store.tidy.tidy` describes it.

    Settings and builds that differ between the runs are columns of the table, so that runs of different problems are
    not mixed, and none is left out for a newer one.

    Parameters
    ----------
    algo, dataset : str
    store : path
        Folder of the records.
    **filters
        Further settings and their values, as for `experiments.store.Store.runs`: ``seed=range(3)``.

    Raises
    ------
    StoreError
        There is no store, or none of its runs has these settings.
    """
    from svm_cost_curves.experiments.store import Store, StoreError
    from svm_cost_curves.experiments.store.tidy import tidy

    runs = Store.open(Path(store), read_only=True).runs(algo=algo, dataset=dataset, **filters)
    if not runs:
        given = ", ".join(f"{name}={value}" for name, value in {"algo": algo, "dataset": dataset, **filters}.items())
        raise StoreError(f"no finished run in {store} has {given}")
    return tidy(runs)
