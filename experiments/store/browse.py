"""Lists, shows, compares, exports and deletes runs of a store, chosen by their settings."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from svm_cost_curves.experiments.configuration.settings import nearest
from svm_cost_curves.experiments.store.errors import StoreError
from svm_cost_curves.experiments.store.run_folder import FinishedRun
from svm_cost_curves.experiments.store.serialize import flatten, setting_names
from svm_cost_curves.experiments.store.store import Store
from svm_cost_curves.experiments.store.tidy import FIRST, differing, entry, record_of, tidy
from svm_cost_curves.support.text import printable

KEY: Final = "key"
MOST: Final = 12
"""Runs that fit side by side."""
MEASURES: Final = ("test_error", "primal", "relative_gap", "support_vectors")


def choose(store: Store, words: Sequence[str]) -> list[FinishedRun]:
    """Return the finished runs that have some settings.

    Parameters
    ----------
    store : Store
    words : sequence of str
        ``algo=sbp``, ``seed=0,1,2``, ``problem.nu=0.01``; ``key=`` takes the beginning of a run's key.

    Raises
    ------
    StoreError
        There is no store, a word has another form, no run has a setting of this name, or no run has these values.
    """
    if not store.exists():
        raise StoreError(f"there are no runs in {store.root}")
    filters: dict[str, list[Any]] = {}
    for word in words:
        name, equals, values = word.partition("=")
        if not equals or not values:
            raise StoreError(f"{word!r} is no filter: write NAME=VALUE, as algo=sbp or seed=0,1")
        filters[name] = [read for text in values.split(",") for read in _readings(text)]
    starts = tuple(str(value) for value in filters.pop(KEY, [""]))
    runs = [run for run in store.runs(**filters) if run.key.startswith(starts)]
    if not runs:
        known = sorted({KEY, *(name for run in store.runs() for name in setting_names(run.result))})
        for name in filters:
            if known != [KEY] and name not in known:
                raise StoreError(f"no run has a setting {name!r}{nearest(name, known)}")
        raise StoreError(f"no finished run in {store.root}" + (f" has {' '.join(words)}" if words else ""))
    return runs


def _readings(text: str) -> list[Any]:
    """Return a value as text and as a number, so that 0.010 finds 0.01."""
    with contextlib.suppress(ValueError):
        return [text, float(text)] if math.isfinite(float(text)) else [text]
    return [text]


def lines(runs: Sequence[FinishedRun]) -> list[str]:
    """Return a table with a line for each run: key, names, the settings that differ, test error, time, start."""
    records = [record_of(run) for run in runs]
    columns = differing(records)
    heads = ["key", *FIRST, *columns, "test error", "CPU s", "started (UTC)"]
    rows = [
        [
            run.key[:12],
            *(str(run.result[name]) for name in FIRST),
            *(_text(entry(record, name)) for name in columns),
            _text(run.result["final"].get("test_error")),
            f"{run.result['cpu_seconds']:.1f}",
            _started(run),
        ]
        for run, record in zip(runs, records, strict=True)
    ]
    return _aligned([heads, *rows])


def facts(run: FinishedRun) -> list[str]:
    """Return everything that is recorded of a run, a line for each value."""
    values = [[name, _text(value) or "none"] for name, value in flatten(run.result)]
    return [*_aligned(values), f"files: {run.directory}"]


def comparison(runs: Sequence[FinishedRun]) -> list[str]:
    """Return the settings and builds that differ between some runs, and their costs and measures, side by side.

    Raises
    ------
    StoreError
        There are fewer than two runs, or too many.
    """
    if not 2 <= len(runs) <= MOST:
        raise StoreError(f"compare shows 2 to {MOST} runs, and {len(runs)} have these settings")
    records = [record_of(run) for run in runs]
    names = differing(records)
    costs = [name for name in runs[0].result["counters"] if any(run.result["counters"].get(name) for run in runs)]
    rows = [["key", *(run.key[:12] for run in runs)]]
    rows += [[name, *(str(run.result[name]) for run in runs)] for name in FIRST]
    rows += [[name, *(_text(entry(record, name)) for record in records)] for name in names]
    rows += [[name, *(_text(run.result["counters"].get(name)) for run in runs)] for name in costs]
    rows += [[name, *(_text(run.result.get(name)) for run in runs)] for name in ("cpu_seconds", "wall_seconds")]
    rows += [[name, *(_text(run.result["final"].get(name)) for run in runs)] for name in MEASURES]
    return _aligned(rows)


def export(runs: Sequence[FinishedRun], path: Path) -> int:
    """Write the curves of some runs as one table (`experiments.store.tidy.tidy`), and return its number of rows.

    Parameters
    ----------
    runs : sequence of FinishedRun
    path : Path
        Ends in ``.csv`` or ``.parquet``.

    Raises
    ------
    StoreError
        It ends in something else, or cannot be written.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise StoreError(f"{path}: a table is exported as .csv or .parquet")
    table = tidy(runs)
    try:
        if path.suffix == ".csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path, index=False, compression="zstd")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
    return len(table)


def _started(run: FinishedRun) -> str:
    text = run.result["provenance"].get("started", "")
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M}" if text else ""


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[printable(cell) for cell in row] for row in rows]  # a run of a server may be called anything
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
