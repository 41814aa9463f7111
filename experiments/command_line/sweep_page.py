"""The interactive page of a sweep: the curves of all its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from svm_cost_curves.experiments.command_line.sweep_groups import Group
from svm_cost_curves.experiments.configuration.schema import NOT_INFLUENTIAL
from svm_cost_curves.experiments.configuration.settings import setting_name
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.support.files import write_file
from svm_cost_curves.support.text import command_line

if TYPE_CHECKING:
    import pandas as pd

    from svm_cost_curves.experiments.command_line.sweep_names import Values
    from svm_cost_curves.experiments.plotting.page_content import Swept

Member = tuple[Group, list[tuple[Outcome, "pd.DataFrame"]]]
"""A group and its runs with their curves."""
Kind = tuple[str, "Values"]
"""Algorithm and differing settings: one curve."""
_FEW: Final = 3
"""Values of a setting that a title names; least values of a setting to be drawn against."""


def write_page(
    members: Sequence[Member],
    directory: Path,
    command: str,
    pictures: Sequence[bytes] = (),
    highlight: str | None = None,
) -> Path | None:
    """Write ``curves.html``: the curves of a sweep's runs, to choose data set, solvers, cost and measure.

    Parameters
    ----------
    members : sequence of Member
    directory : Path
    command : str
        The command line, for the small print.
    pictures : sequence of bytes
        PNGs that a browser without scripts shows.
    highlight : str or None
        Algorithm that is highlighted, if it has one curve.

    Returns
    -------
    Path or None
        None if no run has a curve.
    """
    from svm_cost_curves.experiments.command_line import sweep_names
    from svm_cost_curves.experiments.plotting.interactive import PAGE, curves_page
    from svm_cost_curves.experiments.plotting.page_content import Curves, RunCurve

    kinds = list(dict.fromkeys((group.algo, group.values) for group, _ in members))
    styles = sweep_names.styles(kinds)
    names = dict(zip(kinds, styles, strict=True))
    coloured = [series for (algo, _), series in names.items() if algo == highlight]
    shown = [
        RunCurve(
            group.dataset,
            names[group.algo, group.values],
            outcome.seed or 0,
            curve,
            command_line("run", *_own(outcome)),
            dict(word.partition("=")[::2] for word in _own(outcome)),
        )
        for group, runs in members
        for outcome, curve in runs
    ]
    content = Curves(
        _title(kinds, list(dict.fromkeys(group.dataset for group, _ in members))),
        shown,
        styles,
        facts=f"{len(shown):,} runs.",
        small_print=command,
        pictures=pictures,
        highlight=coloured[0] if len(coloured) == 1 else "",
        swept=_swept(names),
    )
    try:
        page = curves_page(content)
    except ValueError:  # runs that ended before their first evaluation
        return None
    write_file(directory / PAGE, page.encode())
    return directory / PAGE


def _title(kinds: Sequence[Kind], datasets: Sequence[str]) -> str:
    """Return what was swept: ``SBP, SMO on adult: lambda from 1e-06 to 0.01``."""
    from svm_cost_curves.experiments.command_line.sweep_names import called, in_order

    values: dict[str, list[str]] = {}
    for pair in (pair for _, pairs in kinds for pair in pairs):
        values.setdefault(_short(pair[0]), []).append(pair[1])
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

    Parameters
    ----------
    names : mapping of Kind to str
        Series of each.
    """
    from svm_cost_curves.experiments.command_line.sweep_names import called, in_order
    from svm_cost_curves.experiments.plotting import styles_for
    from svm_cost_curves.experiments.plotting.page_content import Swept

    settings = {name for _, values in names for name, _ in values}
    numbers = [value for _, values in names for value, _ in in_order(values)]
    if len(settings) != 1 or len(numbers) < len(names) or len(set(numbers)) < _FEW or not np.isfinite(numbers).all():
        return None
    algorithms = list(dict.fromkeys(algo for algo, _ in names))
    styles = styles_for(algorithms)
    places = {
        series: (algorithms.index(algo), number)
        for ((algo, _), series), number in zip(names.items(), numbers, strict=True)
    }
    return Swept(_short(*settings), [replace(styles[algo], name=called(algo)) for algo in algorithms], places)


def _short(setting: str) -> str:
    """Return the last part of a setting's name: ``lambda`` for ``problem.lambda_``."""
    return setting.rpartition(".")[2].rstrip("_")


def _own(outcome: Outcome) -> list[str]:
    """Return the overrides that have an influence on the run."""
    return [word for word in outcome.overrides if setting_name(word).partition(".")[0] not in NOT_INFLUENTIAL]
