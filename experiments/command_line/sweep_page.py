"""The interactive page of a sweep: the curves of all its runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ...support.files import write_file
from ...support.text import command_line, number_of
from ..configuration.composition import influential
from ..plotting import styles_for
from ..plotting.interactive import PAGE, Curves, NoPlotlyError, RunCurve, Swept, curves_page
from ..processes.streams import print_error
from .sweep_figures import Member, called, styles
from .sweep_names import Values, in_order, short_name

Kind = tuple[str, Values]
"""Algorithm and differing settings: one curve."""
_FEW: Final = 3
"""Values of a setting that a title names; least values of a setting to be drawn against."""


def write_page(
    members: Sequence[Member],
    directory: Path,
    small_print: str,
    pictures: Sequence[bytes] = (),
    highlight: str | None = None,
) -> Path | None:
    """Write ``curves.html``: the curves of a sweep's runs, to choose data set, solvers, cost and measure.

    A browser without scripts shows the pictures, PNGs. An algorithm with one curve can be highlighted. Returns the
    path, or None if no run has a curve.
    """
    kinds = list(dict.fromkeys((group.algo, group.values) for group, _ in members))
    series_styles = styles(kinds)
    names = dict(zip(kinds, series_styles, strict=True))
    coloured = [series for (algo, _), series in names.items() if algo == highlight]
    shown = [
        RunCurve(
            group.dataset,
            names[group.algo, group.values],
            outcome.seed or 0,
            curve,
            command_line("run", *influential(outcome.overrides)),
            dict(word.partition("=")[::2] for word in influential(outcome.overrides)),
        )
        for group, runs in members
        for outcome, curve in runs
    ]
    content = Curves(
        _title(kinds, list(dict.fromkeys(group.dataset for group, _ in members))),
        shown,
        series_styles,
        facts=f"{number_of(len(shown), 'run')}.",
        small_print=small_print,
        pictures=pictures,
        highlight=coloured[0] if len(coloured) == 1 else "",
        swept=_swept(names),
    )
    try:
        page = curves_page(content)
    except ValueError:  # runs that ended before their first evaluation
        return None
    except NoPlotlyError as error:
        print_error(str(error))
        return None
    write_file(directory / PAGE, page.encode())
    return directory / PAGE


def _title(kinds: Sequence[Kind], datasets: Sequence[str]) -> str:
    """Return what was swept: ``SBP, SMO on adult: lambda from 1e-06 to 0.01``."""
    values: dict[str, list[str]] = {}
    for name, value in (pair for _, pairs in kinds for pair in pairs):
        values.setdefault(short_name(name), []).append(value)
    texts = []
    for name, swept in values.items():
        ordered = sorted(set(swept), key=lambda text: in_order(((name, text),)))
        few = len(ordered) <= _FEW
        texts.append(f"{name} {', '.join(ordered)}" if few else f"{name} from {ordered[0]} to {ordered[-1]}")
    solvers = list(dict.fromkeys(called(algo) for algo, _ in kinds))
    counted = [
        ", ".join(names) if len(names) <= _FEW + 1 else f"{len(names)} {kind}"
        for names, kind in ((solvers, "solvers"), (datasets, "data sets"))
    ]
    return " on ".join(counted) + (f": {'; '.join(texts)}" if texts else "")


def _swept(names: Mapping[Kind, str]) -> Swept | None:
    """Return the one number that differs between the curves of an algorithm; None if there is none, or only two values.

    `names` has the series of each kind.
    """
    settings = {name for _, values in names for name, _ in values}
    numbers = [value for _, values in names for value, _ in in_order(values)]
    are_numbers = len(numbers) == len(names) and all(map(math.isfinite, numbers))
    if len(settings) != 1 or len(set(numbers)) < _FEW or not are_numbers:
        return None
    algorithms = list(dict.fromkeys(algo for algo, _ in names))
    families = styles_for(algorithms)
    places = {
        series: (algorithms.index(algo), number)
        for ((algo, _), series), number in zip(names.items(), numbers, strict=True)
    }
    return Swept(short_name(*settings), [replace(families[algo], name=called(algo)) for algo in algorithms], places)
