"""Lists, shows, compares and exports runs of a store, chosen by their settings."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ...support.errors import reason
from ...support.files import write_output
from ...support.text import nearest, printable, quoted
from ...support.values import flatten
from ..configuration.presets import COMMAND_LINE
from ..configuration.schema import StoreConfig
from ..processes.outcome import outcomes_in
from ..provenance import PROJECT_ROOT
from .run_folder import FinishedRun, StoreError
from .serialize import filter_texts, named_values
from .store import SWEEPS, Store
from .tidy import FIRST, differing, record_of, separating, tidy

KEY: Final = "key"
SWEEP: Final = "sweep"
"""Filters that are no settings."""
WIDTH: Final = 100
NAME_WIDTH: Final = 20
"""Characters of a line of the short table, and of a name in it."""
CUT: Final = "..."
MOST: Final = 12
"""Runs that fit side by side."""
MEASURED: Final = ("cpu_seconds", "wall_seconds", "test_error", "primal", "relative_gap", "support_vectors")


def default_root() -> Path:
    """Return the folder of records where none is named: ``results`` here, or else in the checkout."""
    here, checkout = Path(StoreConfig.root), PROJECT_ROOT / StoreConfig.root
    return checkout if checkout.is_dir() and not here.is_dir() else here


def opened(root: Path | str | None, *, read_only: bool = True) -> Store:
    """Return a store that has runs; None: that of `default_root`.

    Raises StoreError: there are no runs.
    """
    store = Store.open(default_root() if root is None else root, read_only=read_only)
    if not store.exists():
        raise StoreError(f"there are no runs in {store.root}" + ("" if root else ": name their folder by store=FOLDER"))
    return store


def choose(store: Store, texts: Sequence[str]) -> list[FinishedRun]:
    """Return the finished runs that have some settings, given as ``algo=sbp``, ``seed=0,1,2``, ``problem.nu=0.01``.

    Several values of one setting are a union, in one word or in several. Hexadecimal digits are a key's beginning.

    Raises StoreError: a word has another form, or as `chosen`.
    """
    filters: dict[str, list[str]] = {}
    for word in texts:
        name, equals, values = (KEY, "=", word) if re.fullmatch("[0-9a-f]+", word) else word.partition("=")
        if not equals or not values:
            raise StoreError(f"{word!r} is no filter: write NAME=VALUE, as algo=sbp or seed=0,1, or a key's beginning")
        filters.setdefault(name, []).extend(values.split(","))
    return chosen(store, filters)


def chosen(store: Store, filters: Mapping[str, Any]) -> list[FinishedRun]:
    """Return the finished runs that have some settings; there is at least one.

    `filters` are those of `Store.runs`. Further, ``key`` takes the beginning of a run's key, and ``sweep`` the name of
    a sweep's folder.

    Raises StoreError: there is no such sweep, no run has a setting of this name, or none has these values.
    """
    given = {name: [value] if isinstance(value, str) else value for name, value in filters.items()}
    starts = tuple(map(str, given.get(KEY, [""])))
    keys = {key for name in given[SWEEP] for key in _keys_of_sweep(store, name)} if SWEEP in given else None
    wanted = {name: value for name, value in given.items() if name not in (KEY, SWEEP)}
    runs = [run for run in store.runs(**wanted) if run.key.startswith(starts) and (keys is None or run.key in keys)]
    if runs:
        return runs
    values = [named_values(run.result) for run in store.runs()]
    names = sorted({KEY, SWEEP, *(name for record in values for name in record)})
    for name, value in wanted.items() if values else ():
        if name not in names:
            similar = [recorded_name for recorded_name in names if recorded_name.rpartition(".")[2].rstrip("_") == name]
            hint = f"; did you mean {' or '.join(similar)}?" if similar else nearest(name, names)
            raise StoreError(f"no run has a setting {name!r}{hint}")
        recorded = set[str]().union(*(filter_texts(record[name]) for record in values if name in record))
        if not recorded & filter_texts(value):
            shown = ", ".join(sorted(recorded)[:MOST]) + (", ..." if len(recorded) > MOST else "")
            folder = next((text for text in filter_texts(value) if name == "algo" and _is_folder(Path(text))), None)
            where = f"; a folder of records is store={folder!r}" if folder else ""
            raise StoreError(f"no run in {store.root} has {_filter(name, value)}; there are {shown}{where}")
    together = " and ".join(_filter(name, value) for name, value in given.items())
    raise StoreError(f"no finished run in {store.root}" + (f" has {together}" if together else ""))


def _filter(name: str, value: Any) -> str:
    """Return a filter as it is written on the command line."""
    values = value if isinstance(value, list | tuple | set | frozenset | range) else [value]
    return f"{name}={quoted(','.join(map(str, values)))}"


def _keys_of_sweep(store: Store, name: str) -> list[str]:
    """Return the keys of a sweep's runs; the sweep is named by its folder in ``sweeps/`` or by a path."""
    for folder in (store.root / SWEEPS / name, Path(name)):
        if _is_folder(folder) and (outcomes := outcomes_in(folder)):
            return [outcome.key for outcome in outcomes if outcome.key]
    sweeps = sorted(path.name for path in (store.root / SWEEPS).glob("*") if path.is_dir())
    raise StoreError(f"no sweep {name!r} in {store.root / SWEEPS}; the latest are {', '.join(sweeps[-5:]) or 'none'}")


def _is_folder(path: Path) -> bool:
    """Return whether a text of the command line is the path of a folder; it may be too long for a path."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def lines(runs: Sequence[FinishedRun], *, wide: bool = False) -> list[str]:
    """Return a table with a line for each run: key, names, the settings that differ, test error, and when.

    What follows from a run's algorithm or data set, and was not given on the command line, is left out. A line has at
    most `WIDTH` characters; with `wide` each of the settings has a column, in full, and there are further facts.
    """
    records = [record_of(run) for run in runs]
    origins = [run.result["settings"].get("origins", {}) for run in runs]
    columns = differing(records)
    given = [name for name in columns if any(origin.get(name) == COMMAND_LINE for origin in origins)]
    columns = [name for name in columns if name in given or not _follows(name, records)]
    texts = [{name: _text(record.get(name)) for name in columns} for record in records]
    if wide:
        heads = [KEY, *FIRST, *columns, "test error", "CPU s", "started (UTC)"]
        rows = [
            [
                run.key[:12],
                *(str(run.result[name]) for name in FIRST),
                *text.values(),
                _text(run.result["final"].get("test_error")),
                f"{run.result['cpu_seconds']:.1f}",
                _started(run),
            ]
            for run, text in zip(runs, texts, strict=True)
        ]
        return _aligned([heads, *rows])
    named = [
        {"algo": run.result["algo"], "dataset": run.result["dataset"], **text}
        for run, text in zip(runs, texts, strict=True)
    ]
    telling = separating(named, [name for name in columns if name not in given], ["algo", "dataset", *given])[2:]
    rows = [[KEY, *FIRST, "test error", "settings that differ"]]
    for run, text, origin in zip(runs, texts, origins, strict=True):
        error = run.result["final"].get("test_error")
        first = [name for name in telling if origin.get(name) == COMMAND_LINE]
        in_order = dict.fromkeys([*first, *telling])
        settings = " ".join(f"{name}={text[name]}" for name in in_order if text[name])
        names = [_cut(str(run.result[name]), NAME_WIDTH) for name in FIRST]
        rows.append([run.key[:8], *names, "" if error is None else f"{100 * error:.2f} %", settings])
    return [_cut(line, WIDTH) for line in _aligned(rows)]


def _follows(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a setting's value is the same in all runs of each algorithm, or of each data set."""
    source = {"algo": "algo.name", "build": "algo.name", "dataset": "dataset.name"}.get(name.partition(".")[0])
    if source is None:
        return False
    values: dict[str, set[str]] = {}
    for record in records:
        values.setdefault(str(record.get(source)), set()).add(str(record.get(name)))
    return all(len(texts) == 1 for texts in values.values())


def facts(run: FinishedRun) -> list[str]:
    """Return everything that is recorded of a run, a line for each value."""
    values = [[name, _text(value) or "none"] for name, value in flatten(run.result)]
    return [*_aligned(values), f"files: {run.directory}"]


def comparison(runs: Sequence[FinishedRun]) -> list[str]:
    """Return the settings and builds that differ between some runs, and their costs and measures, side by side.

    Raises StoreError: there are fewer than two runs, or too many.
    """
    if not 2 <= len(runs) <= MOST:
        raise StoreError(f"compare shows 2 to {MOST} runs, and {len(runs)} have these settings")
    records = [record_of(run) for run in runs]
    numbers = [{**run.result, **run.result["counters"], **run.result["final"]} for run in runs]
    costs = [name for name in runs[0].result["counters"] if any(number.get(name) for number in numbers)]
    rows = [[KEY, *(run.key[:12] for run in runs)]]
    rows += [[name, *(str(run.result[name]) for run in runs)] for name in FIRST]
    rows += [[name, *(_text(record.get(name)) for record in records)] for name in differing(records)]
    rows += [[name, *(_text(number.get(name)) for number in numbers)] for name in (*costs, *MEASURED)]
    return _aligned(rows)


def export(store: Store, runs: Sequence[FinishedRun], path: Path) -> tuple[int, int]:
    """Write the curves of some runs as one table (`experiments.store.tidy.tidy`), complete or not at all.

    Returns the number of rows, and of runs: those whose curve is damaged are left out, with a warning each.

    Raises StoreError: the path does not end in ``.csv`` or ``.parquet``, or cannot be written; no curve can be read.
    """
    if path.suffix not in (".csv", ".parquet"):
        raise StoreError(f"{path}: a table is exported as .csv or .parquet")
    kept = store.readable(runs)
    if not kept:
        raise StoreError(f"{path} is not written: no curve of these runs can be read")
    table, content = tidy(kept), io.BytesIO()
    for name in [name for name, kind in table.dtypes.items() if str(kind) == "object"]:
        if table[name].dropna().map(type).nunique() > 1:  # Parquet has one type for a column
            table[name] = table[name].map(lambda value: None if value is None else str(value))
    if path.suffix == ".csv":
        table.to_csv(content, index=False)
    else:
        table.to_parquet(content, index=False, compression="zstd")
    try:
        write_output(path, content.getbuffer())
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {reason(error, path)}") from error
    return len(table), len(kept)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - len(CUT)]}{CUT}"


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
