"""Notes which curves, and which of their columns, are read: by a judge, or by all that makes a figure."""

from __future__ import annotations

import dataclasses
from functools import cache, cached_property
from typing import Any, TypeAlias, cast

import pandas as pd

from experiments.columns import COLUMNS
from experiments.reproduction.evidence import Evidence, Panel
from experiments.store import FinishedRun

Reads: TypeAlias = dict[str, dict[str, set[str]]]
"""Columns by the paper's data set and by series."""


class NotedRun:
    """A run whose curve notes the names of its columns that are read.

    Parameters
    ----------
    source : FinishedRun
    names : set of str
        Shared by all runs of a series.
    """

    def __init__(self, source: FinishedRun, names: set[str]) -> None:
        self._source, self._names = source, names

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the source."""
        return getattr(self._source, name)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The curve of the source."""
        own = self._source.curve
        kind: Any = type(own)
        table = _noting(kind)(own).__finalize__(own)
        table.notes = (*getattr(own, "notes", ()), self._names)
        return cast(pd.DataFrame, table)


def noted(evidence: Evidence) -> tuple[Evidence, Reads]:
    """Return the evidence with curves that note what is read, and the notes, empty at first.

    Evidence that is noted already can be noted again: what is read stands in both notes.
    """
    reads: Reads = {}
    panels = tuple(_noted(panel, reads.setdefault(panel.paper_dataset, {})) for panel in evidence.panels)
    return dataclasses.replace(evidence, panels=panels), reads


def as_read(reads: Reads) -> dict[str, dict[str, list[str]]]:
    """Return the notes without series of which nothing was read, in the order of a curve's columns."""
    found: dict[str, dict[str, list[str]]] = {}
    for panel, series in reads.items():
        own: dict[str, list[str]] = {
            name: [column for column in COLUMNS if column in columns] for name, columns in series.items() if columns
        }
        if own:
            found[panel] = own
    return found


def _noted(panel: Panel, reads: dict[str, set[str]]) -> Panel:
    runs: dict[str, Any] = {
        series: tuple(NotedRun(run, reads.setdefault(series, set())) for run in members)
        for series, members in panel.runs.items()
    }
    return dataclasses.replace(panel, runs=runs)


@cache
def _noting(kind: Any) -> Any:
    """Return a subclass of a class of tables whose tables note the columns that are read, in each set of ``notes``."""
    if hasattr(kind, "notes"):
        return kind

    def read(self: Any, key: Any) -> Any:
        for names in self.notes:
            names.update([key] if isinstance(key, str) else key if isinstance(key, list) else COLUMNS)
        return kind.__getitem__(self, key)

    return type("NotedCurve", (kind,), {"_metadata": [*kind._metadata, "notes"], "notes": (), "__getitem__": read})
