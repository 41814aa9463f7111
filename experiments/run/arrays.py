"""One run in this process, from Python: the work behind ``experiments.run``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.columns import STEP_COSTS
from svm_cost_curves.experiments.store import FinishedRun, Store
from svm_cost_curves.experiments.store.tidy import ARRAYS
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.files import temporary_folder
from svm_cost_curves.support.values import flatten

_SHOWN: Final = ("test_error", "train_error", "primal", "relative_gap")


@dataclass(frozen=True, repr=False)
class Run(FinishedRun):
    """The result of `experiments.run`; printed, it has five lines.

    ``key`` is its identity, ``curve`` has one row for each evaluation, in order of cost, with the columns of
    `experiments.columns`, and ``result`` is the content of ``result.json``: settings and who chose them, final
    measures, provenance.
    """

    recorded: bool
    """Whether `directory` has its record; else that was temporary."""

    @property
    def counters(self) -> dict[str, Any]:
        """Costs of the whole run: ``kernel_evaluations``, ``inner_products``, ...; None: not counted."""
        return dict(self.result["counters"])

    @property
    def folder(self) -> Path | None:
        """Folder of the run's record; None if it has none."""
        return self.directory if self.recorded else None

    def __repr__(self) -> str:
        result, rows = self.result, self.result["provenance"]["data"]["counts"]
        final = {name.replace("_", " "): result["final"].get(name) for name in _SHOWN}
        cost = next((name for name in STEP_COSTS if self.counters.get(name) is not None), "iterations")
        lines = {
            "algo": f"{result['algo']}, {result['kernel']} kernel, seed {result['seed']}",
            "data": f"{result['dataset']}: {rows['train']['n']:,} training and {rows['test']['n']:,} test rows, "
            f"{rows['train']['d']:,} features",
            "key": self.key,
            "final": ", ".join(
                f"{name} {100 * value:.4g} %" if name.endswith("error") else f"{name} {value:.6g}"
                for name, value in final.items()
                if value is not None
            ),
            "cost": f"{self.counters[cost]:,} {cost.replace('_', ' ')}, {self.counters['epochs']:.4g} epochs, "
            f"{result['cpu_seconds']:.3g} CPU s",
        }
        return "\n".join(f"{name:<6} {text}" for name, text in lines.items())


def run_here(
    algo: str,
    X: Any,
    y: Any,
    X_test: Any,
    y_test: Any,
    dataset: str | Mapping[str, Any] | None,
    store: Path | str | None,
    settings: Mapping[str, Any],
) -> Run:
    """Make a run as ``run.py`` does; arrays are written to a temporary file first. See `experiments.run`."""
    # imported here: importing the package must not load Hydra and mlflow
    from svm_cost_curves.experiments.configuration.composition import settings_of
    from svm_cost_curves.experiments.processes.outcome import STOPPED
    from svm_cost_curves.experiments.run import runner
    from svm_cost_curves.experiments.run.console import Display

    if isinstance(X, str):
        raise SettingsError(f"X holds features; the name of a data set is dataset={X!r}")
    if (X is None) != isinstance(dataset, str):
        raise SettingsError("a run needs either arrays, X= and y=, or the name of a data set, as dataset='digits'")
    with temporary_folder() as folder:
        root = folder / "store" if store is None else Path(store)
        words = [f"algo={algo}", f"dataset={json.dumps(dataset) if X is None else 'file'}"]
        if X is not None:
            test = {} if X_test is None else _parts(X_test, y_test, "_test")
            np.savez(folder / ARRAYS, allow_pickle=False, **_parts(X, y, ""), **test)
            chosen = {} if dataset is None or isinstance(dataset, str) else dataset
            words += _words({"dataset": {"train": folder / ARRAYS, "name": "arrays", **chosen}})
        words += _words(settings)
        composed = settings_of([*words, *_words({"store": {"root": root}})])
        if composed.engine != "local":
            raise SettingsError("experiments.run computes in this process: leave engine=local, or use run.py")
        command = ["run.py", *words] if X is None else ["experiments.run", *_words({"algo": algo, **settings})]
        try:
            outcome = runner.run(composed, Display(), command)
        except (DataError, SettingsError) as error:
            if X is None:
                raise
            # the caller has arrays, and knows no temporary file
            raise type(error)(str(error).replace(f"{folder / ARRAYS}", "the arrays")) from error
        if outcome.status in STOPPED:
            raise KeyboardInterrupt
        done = Store.open(root).find_finished(str(outcome.key))
        assert done is not None  # it has just been found or finished
        run = Run(done.key, done.result, done.directory, store is not None)
        assert run.curve is not None  # read while its file is there
        return run


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


def _words(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as on a command line: ``budget.epochs=3`` of ``{"budget": {"epochs": 3}}``."""
    return [f"{name}={json.dumps(value, default=_as_json)}" for name, value in flatten(settings)]


def _as_json(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise SettingsError(f"a setting cannot be {value!r}: numbers, texts, truth values, None and lists can be given")
