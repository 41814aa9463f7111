"""Runs as one table: a row for each point of their curves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.columns import COLUMNS
from svm_cost_curves.experiments.store.run_folder import FinishedRun
from svm_cost_curves.experiments.store.serialize import DESCRIPTIONS, settings_in

if TYPE_CHECKING:
    import pandas as pd

FIRST = ("algo", "dataset", "seed")
ARRAYS: Final = "arrays.npz"
"""File of the arrays of `experiments.run`; its folder is another one each time."""


def tidy(runs: Sequence[FinishedRun]) -> pd.DataFrame:
    """Return the curves of some runs as one table.

    Parameters
    ----------
    runs : sequence of FinishedRun

    Returns
    -------
    DataFrame
        A row for each point, with the columns ``algo``, ``dataset`` and ``seed``, each setting that differs between the
        runs (``problem.C``), what differs of their builds (``build.isa``), ``run`` (the run's key), and those of
        `experiments.columns.COLUMNS` that a run has: counts as integers, seconds, and measures (errors are fractions).
    """
    import pandas as pd

    records = [record_of(run) for run in runs]
    names, frames = differing(records), []
    for run, record in zip(runs, records, strict=True):
        own = {name: run.result[name] for name in FIRST}
        own |= {name: entry(record, name) for name in names} | {"run": run.key}
        points = run.curve.dropna(axis="columns", how="all").reset_index(drop=True)
        facts = pd.DataFrame({name: [value] * len(points) for name, value in own.items()}, index=points.index)
        frames.append(pd.concat([facts, points], axis="columns"))
    if not frames:
        return pd.DataFrame(columns=[*FIRST, "run", *COLUMNS])
    whole = pd.concat(frames, ignore_index=True)
    return whole[[name for name in whole.columns if name not in COLUMNS] + [c for c in COLUMNS if c in whole.columns]]


def record_of(run: FinishedRun) -> dict[str, Any]:
    """Return the settings of a run in their groups, and of its build what a run's key depends on."""
    recorded = run.result["provenance"]["build"]
    build = {name: str(recorded[name])[:12] for name in ("build_id", "isa", "code") if name in recorded}
    settings = settings_in(run.result)
    data = {name: value for name, value in settings["dataset"].items() if name not in DESCRIPTIONS}
    if PurePath(data.get("train") or "").name == ARRAYS:
        del data["train"]
    return {**settings, "dataset": data, "build": build}


def entry(record: Mapping[str, Any], name: str) -> Any:
    """Return the value of a dotted name in nested groups; None if there is none."""
    value: Any = record
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def differing(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names, other than seed, algorithm and data set, whose values are not the same in all records."""
    names: dict[str, None] = {}
    for record in records[1:]:
        names |= dict.fromkeys(_differing(records[0], record, ""))
    return [name for name in names if name not in ("seed", "algo.name", "dataset.name")]


def _differing(first: Mapping[str, Any], second: Mapping[str, Any], prefix: str) -> Iterator[str]:
    for name in dict.fromkeys((*first, *second)):
        one, other = first.get(name), second.get(name)
        if isinstance(one, Mapping) or isinstance(other, Mapping):
            if one != other:
                yield from _differing(one or {}, other or {}, f"{prefix}{name}.")
        elif one != other or type(one) is not type(other):
            yield f"{prefix}{name}"


def separating(records: Sequence[Mapping[str, str]], names: Iterable[str], kept: Sequence[str]) -> list[str]:
    """Return `kept`, and each of `names` that tells records apart which agree in all before it.

    So of two settings of which one follows from the other, as lambda and C, the first is returned.
    """
    result = list(kept)
    for name in names:
        values: dict[tuple[str, ...], set[str]] = {}
        for record in records:
            values.setdefault(tuple(record[other] for other in result), set()).add(record[name])
        if any(len(texts) > 1 for texts in values.values()):
            result.append(name)
    return result
