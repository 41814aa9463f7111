"""One run on arrays in memory: ``experiments.run_arrays(algo="sbp", X=X, y=y)``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets import DataError
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.files import temporary_folder

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ArrayRun:
    """The result of `run_arrays`.

    Attributes
    ----------
    curve : DataFrame
        One row for each evaluation, in order of cost; the columns are those of `experiments.columns`.
    counters : dict
        What the whole run has spent: ``kernel_evaluations``, ``inner_products``, ...; None: not counted.
    result : dict
        Settings and who chose them, final measures, provenance: the content of ``result.json``.
    folder : Path or None
        Folder of the run's record; None if it has none.
    """

    curve: pd.DataFrame
    counters: dict[str, Any]
    result: dict[str, Any]
    folder: Path | None


def run_arrays(
    algo: str,
    X: Any,
    y: Any,
    X_test: Any = None,
    y_test: Any = None,
    *,
    store: Path | str | None = None,
    **settings: Any,
) -> ArrayRun:
    """Run a solver on arrays. They are written to a temporary file, on which the run is made as ``run.py`` does.

    Parameters
    ----------
    algo : str
        Name of the solver, as for ``algo=``.
    X, X_test : (n, d) array, sparse matrix or DataFrame of real numbers
        Features of the training and test rows; they are rounded to float32.
    y, y_test : (n,) array of numbers or texts
        Labels, two values of them; the larger one, or the later one in alphabetical order, is the positive class.
        Without test rows, a seeded fifth of the rows is held out.
    store : path or None
        Folder of the records: a run that is there already is not computed again. None: nothing is recorded.
    **settings
        Settings of ``run.py``, those of a group as a dict: ``seed=1, kernel="linear", budget={"epochs": 3}``.

    Raises
    ------
    DataError, SettingsError, StoreError
        Something is wrong with the arrays, the settings or the store; the message says what to do.
    KeyboardInterrupt
        The run was stopped by Ctrl-C.
    """
    # imported here: importing the package must not load Hydra and mlflow
    from svm_cost_curves.experiments.configuration.composition import settings_of
    from svm_cost_curves.experiments.processes.outcome import STOPPED
    from svm_cost_curves.experiments.run import runner
    from svm_cost_curves.experiments.run.console import Display
    from svm_cost_curves.experiments.store import Store

    with temporary_folder() as folder:
        path, root = folder / "arrays.npz", folder / "store" if store is None else Path(store)
        test = {} if X_test is None else _parts(X_test, y_test, "_test")
        np.savez(path, allow_pickle=False, **_parts(X, y, ""), **test)
        given = {"dataset": {"train": str(path), "name": "arrays"}, "store": {"root": str(root)}}
        composed = settings_of([f"algo={algo}", "dataset=file", *_words(given), *_words(settings)])
        if composed.engine != "local":
            raise SettingsError(
                "svm_cost_curves.experiments.run_arrays computes in this process: leave engine=local, or use run.py"
            )
        outcome = runner.run(composed, Display(), ["svm_cost_curves.experiments.run_arrays"])
        if outcome.status in STOPPED:
            raise KeyboardInterrupt
        done = Store.open(root).find_finished(str(outcome.key))
        assert done is not None  # it has just been found or finished
        return ArrayRun(done.curve, done.result["counters"], done.result, None if store is None else done.directory)


def _parts(X: Any, y: Any, suffix: str) -> dict[str, Any]:
    """Return the arrays of an ``.npz``; see `datasets.readers.npz`."""
    if y is None:
        raise DataError(f"X{suffix} is given without y{suffix}.")
    labels = {f"y{suffix}": _plain(y, f"y{suffix}", texts=True)}
    is_sparse = sparse.issparse(X)
    if not is_sparse:
        return {f"X{suffix}": _plain(X, f"X{suffix}", texts=False), **labels}
    rows = sparse.csr_matrix(X)
    arrays = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}
    return {f"{name}{suffix}": array for name, array in arrays.items()} | labels


def _plain(values: Any, name: str, *, texts: bool) -> NDArray[Any]:
    """Return values as an array of numbers, or of texts where these are allowed."""
    array = np.asarray(values)
    if array.dtype.kind in ("biufU" if texts else "biuf"):
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        if texts:
            return array.astype(str)
        raise DataError(
            f"{name} holds a value that is not a number ({error}); write all features as numbers."
        ) from error


def _words(settings: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield settings as on a command line: ``budget.epochs=3`` of ``{"budget": {"epochs": 3}}``."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _words(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}={json.dumps(value, default=_as_json)}"


def _as_json(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise SettingsError(f"a setting cannot be {value!r}: numbers, texts, truth values, None and lists can be given")
