"""Runs, records and figures: everything between a solver and a verdict about a paper."""

from __future__ import annotations

if __name__ != "svm_cost_curves.experiments":
    raise ImportError("write svm_cost_curves.experiments for experiments: the folders of this checkout are one package")

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import run as _folder  # noqa: F401 (before `run` below: the folder's first import sets this name)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .run.arrays import Run
    from .store import FinishedRun


def run(
    algo: str,
    X: Any = None,
    y: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    *,
    dataset: str | Mapping[str, Any] | None = None,
    store: Path | str | None = None,
    **settings: Any,
) -> Run:
    """Run a solver on a data set, ``run(algo="sbp", dataset="digits")``, or on arrays, ``run("sbp", X, y)``.

    Parameters
    ----------
    algo : str
        Name of the solver, as for ``algo=``.
    X, X_test : (n, d) array, sparse matrix or DataFrame of real numbers
        Features of the training and test rows; they are rounded to float32.
    y, y_test : (n,) array of numbers or texts
        Labels, two values of them; the larger one, or the later one in alphabetical order, is the positive class.
        Without test rows, a seeded fifth of the rows is held out.
    dataset : str, or dict of settings
        Name of a data set, as for ``dataset=``: ``"adult"``, ``"sklearn:wine"``, ``"file:points.csv"``. With arrays:
        settings of the group ``dataset``.
    store : path or None
        Folder of the records: a run that is there already is not computed again. None: nothing is recorded.
    **settings
        Settings of ``run.py``, those of a group as a dict: ``seed=1, kernel="linear", budget={"epochs": 3}``.

    Raises
    ------
    DataError, SettingsError, StoreError
        Something is wrong with the data, the settings or the store; the message says what to do.
    KeyboardInterrupt
        The run was stopped by Ctrl-C.
    """
    from .run.arrays import run_here

    return run_here(algo, X, y, X_test, y_test, dataset, store, settings)


def load(
    algo: str | Sequence[str] | None = None,
    dataset: str | Sequence[str] | None = None,
    *,
    store: Path | str | None = None,
    **filters: Any,
) -> pd.DataFrame:
    """Return finished runs as one table, as `experiments.store.tidy.tidy` describes it.

    A damaged run is left out, and a line of the log names its folder. Settings and builds that differ between the runs
    are columns of the table, so that runs of different problems are not mixed, and none is left out for a newer one.

    Parameters
    ----------
    algo, dataset : str or sequence of str
        None: all.
    store : path
        Folder of the records. None: ``results`` in the working folder, or else in the checkout.
    **filters
        Further settings and their values, as for `experiments.store.Store.runs`: ``seed=range(3)``,
        ``**{"budget.epochs": 10}``; ``key`` takes the beginning of a run's key, ``sweep`` the name of a sweep's folder.

    Raises
    ------
    StoreError
        There is no store, no run has a setting of this name, or none has these values.
    """
    from .store.browse import chosen, opened
    from .store.tidy import tidy

    named = {name: value for name, value in (("algo", algo), ("dataset", dataset)) if value is not None}
    runs_of = opened(store)
    return tidy(runs_of.readable(chosen(runs_of, named | filters)))


def plot(
    runs: FinishedRun | Sequence[FinishedRun] | pd.DataFrame,
    *,
    cost: str | None = None,
    measure: str = "test_error",
) -> Figure:
    """Draw error against cost: the mean of the runs that differ in their seed only, with a band.

    Parameters
    ----------
    runs : Run, sequence of Run, or DataFrame
        Results of `run`, or a table as `load` returns it.
    cost, measure : str
        Columns of the curves. Cost None: the first of kernel evaluations, feature accesses and iterations that all runs
        count.

    Returns
    -------
    matplotlib.figure.Figure
        ``.savefig("curves.pdf")`` writes it; a notebook shows it.

    Raises
    ------
    NothingToDrawError
        No run has a point with this cost and this measure.
    """
    import pandas as pd

    from .columns import COLUMNS, STEP_COSTS
    from .command_line.sweep_figures import styles
    from .command_line.sweep_names import in_order
    from .curve import conform
    from .plotting import curves_picture
    from .store import FinishedRun
    from .store.tidy import FIRST, separating, tidy

    if not isinstance(runs, pd.DataFrame):
        runs = tidy([runs] if isinstance(runs, FinishedRun) else runs)
    data = list(dict.fromkeys(runs["dataset"]))
    names = ["dataset", *(name for name in runs.columns if name not in (*FIRST, "run", *COLUMNS))]
    firsts = runs.drop_duplicates("run")[["algo", "run", *names]].to_dict("records")
    kinds = [{str(name): str(value) for name, value in first.items()} for first in firsts]
    telling = separating(kinds, names, ["algo"])[1:]  # within an algorithm: others have settings of their own
    curves: dict[Any, list[pd.DataFrame]] = {}
    for kind in kinds:
        points = runs.loc[runs["run"] == kind["run"], [name for name in runs.columns if name in COLUMNS]]
        values = tuple((name, kind[name]) for name in telling if kind[name] not in ("None", "nan"))
        curves.setdefault((kind["algo"], values), []).append(conform(points))
    ordered = sorted(curves, key=lambda kind: (kind[0], in_order(kind[1])))
    labels = styles(ordered)
    all_curves = [curve for members in curves.values() for curve in members]
    picture = curves_picture(
        {label: curves[kind] for label, kind in zip(labels, ordered, strict=True)},
        cost=cost or next(name for name in STEP_COSTS if not any(curve[name].isna().any() for curve in all_curves)),
        measure=measure,
        title=f"{measure.replace('_', ' ').capitalize()} against cost on {', '.join(data)}",
        small_print=f"{len(all_curves)} run{'s' * (len(all_curves) > 1)}",
        styles=labels,
        in_order=bool(telling),
    )
    return picture.figure()
