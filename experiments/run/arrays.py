"""One run in this process, from Python: the work behind ``experiments.run``."""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from ...datasets import DataError
from ...datasets.errors import shown_path
from ...datasets.readers.arrays import features_of, labels_of
from ...solvers import SettingsError
from ...support.files import temporary_folder
from ...support.values import flatten
from ..columns import STEP_COSTS
from ..processes.streams import PAUSE, ElapsedTime
from ..store import FinishedRun, Store
from ..store.tidy import ARRAYS
from .console import Display

if TYPE_CHECKING:
    from ..configuration.settings import RunSettings

log = logging.getLogger(__name__)

_SETTING = re.compile(
    r"\b(dataset|problem|kernel|budget|algo)\.([a-z]\w*)=(\[[^\]]*\]|[^\s,;:)]+?)(?=[\s,;:)]|\.?$|\. )"
)
_DROP = re.compile(r"dataset\.drop_columns=\[([\d,]+)\]")
_NAMED = re.compile(r"\bdataset\.([a-z_]+)(?=\[\d+\] | must )")
_A_LIST = re.compile(r": a list is not a sweep: write -m .*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")
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
    from ..configuration.composition import settings_of
    from ..processes.outcome import STOPPED
    from . import runner

    if isinstance(X, str):
        raise SettingsError(f"X holds features; the name of a data set is dataset={X!r}")
    if not isinstance(algo, str) or "," in algo or "(" in algo:
        raise SettingsError(f"algo={algo!r}: a run has one algorithm, given by its name, as 'sbp'; make a run for each")
    if not isinstance(dataset, str | Mapping | None):
        raise SettingsError(
            f"dataset={dataset!r}: it is a name, or with arrays a dict of settings, as {{'name': 'mine'}}"
        )
    if not isinstance(store, str | os.PathLike | None):
        raise SettingsError(f"store={store!r}: it is the path of a folder")
    if (X is None) != isinstance(dataset, str):
        raise SettingsError("a run needs either arrays, X= and y=, or the name of a data set, as dataset='digits'")
    for name, given, needed in (("y", y, X), ("X_test", X_test, X), ("y_test", y_test, X_test)):
        if given is not None and needed is None:
            missing = "X_test" if name == "y_test" else "X"
            raise DataError(
                f"{name} is given without {missing}{'' if X is not None else f'; with a named data set omit {name}'}."
            )
    if isinstance(y, str):
        raise DataError(
            f"y={y!r} is a text, and y holds the labels, one for each row of X"
            + (f"; for a column of X: y=X[{y!r}], X=X.drop(columns={y!r})." if hasattr(X, "drop") else ".")
        )
    with temporary_folder() as folder, _in_python_terms(folder / ARRAYS):
        root = folder / "store" if store is None else Path(store)
        overrides = [f"algo={algo}", f"dataset={json.dumps(dataset) if X is None else 'file'}"]
        if X is not None:
            test = {} if X_test is None else _parts(X_test, y_test, "_test")
            np.savez(folder / ARRAYS, allow_pickle=False, **_parts(X, y, ""), **test)
            chosen = {} if dataset is None or isinstance(dataset, str) else dataset
            overrides += _overrides({"dataset": {"train": folder / ARRAYS, "name": "arrays", **chosen}})
        overrides += _overrides(settings)
        composed = settings_of([*overrides, *_overrides({"store": {"root": root}})])
        if composed.engine != "local":
            raise SettingsError("experiments.run computes in this process: leave engine=local, or use run.py")
        if store is None:
            composed = dataclasses.replace(composed, picture=False)  # its folder goes when this function ends
        command = ["run.py", *overrides] if X is None else ["experiments.run", *_overrides({"algo": algo, **settings})]
        with closing(_Warnings()) as display:
            outcome = runner.run(composed, display, command)
        if outcome.status in STOPPED:
            raise KeyboardInterrupt
        done = Store.open(root).find_finished(str(outcome.key))
        assert done is not None  # it has just been found or finished
        run = Run(done.key, done.result, done.directory, store is not None)
        assert run.curve is not None  # read while its file is there
        return run


class _Warnings(Display):
    """Warnings of a run as those of Python; a step that takes longer than seconds, such as a download, is logged."""

    def __init__(self) -> None:
        self._elapsed = ElapsedTime(log.warning)

    def note(self, text: str) -> None:
        self._elapsed.begin(text, after=PAUSE)

    def header(self, run: RunSettings, facts: Mapping[str, str]) -> None:
        self.close()

    def close(self) -> None:
        self._elapsed.end()

    def warn(self, text: str) -> None:
        warnings.warn(_python_terms(text), stacklevel=2)


@contextmanager
def _in_python_terms(arrays: Path) -> Iterator[None]:
    """Reword error messages for a Python caller, who passed arrays and knows no file."""
    try:
        yield
    except (DataError, SettingsError) as error:
        text = str(error)
        for named in (f"Data set arrays, {arrays.name}", shown_path(arrays), "Data set arrays"):
            text = text.replace(named, "X and y")
        error.args = (_python_terms(text), *error.args[1:])  # its class may need more than a text
        raise


def _python_terms(text: str) -> str:
    """Write settings as arguments: ``dataset={"scaling": "standard"}`` for ``dataset.scaling=standard``."""
    text = _A_LIST.sub(": a run has one; make a run for each", text)
    text = _DROP.sub(r"X.drop(columns=X.columns[[\1]])", text)
    text = _NAMED.sub(r'dataset["\1"]', text)
    return _SETTING.sub(lambda match: f'{match[1]}={{"{match[2]}": {_literal(match[3])}}}', text)


def _literal(word: str) -> str:
    """Return a value of the command line as Python writes it."""
    if word.startswith("["):
        return f"[{', '.join(_literal(part.strip()) for part in word[1:-1].split(','))}]"
    if word in ("true", "false"):
        return word.capitalize()
    return word if _NUMBER.fullmatch(word) or word in ("...", "NUMBER", "NAME") else f'"{word}"'


def _parts(X: Any, y: Any, suffix: str) -> dict[str, Any]:
    """Return the arrays of an ``.npz``; see `datasets.readers.arrays`."""
    if y is None:
        raise DataError(f"X{suffix} is given without y{suffix}.")
    labels = {f"y{suffix}": labels_of(y, f"y{suffix}")}
    is_sparse = sparse.issparse(X)
    if not is_sparse:
        features, names = features_of(X, f"X{suffix}")
        columns = {f"columns{suffix}": np.array(names, str)} if names else {}
        return {f"X{suffix}": features, **columns, **labels}
    rows = sparse.csr_matrix(X)
    arrays = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}
    return {f"{name}{suffix}": array for name, array in arrays.items()} | labels


def _overrides(settings: Mapping[str, Any]) -> list[str]:
    """Return settings as on a command line: ``budget.epochs=3`` of ``{"budget": {"epochs": 3}}``."""
    return [f"{name}={json.dumps(value, default=_as_json)}" for name, value in flatten(settings)]


def _as_json(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise SettingsError(f"a setting cannot be {value!r}: numbers, texts, truth values, None and lists can be given")
