"""The interactive page of a sweep: the curves of all its runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svm_cost_curves.experiments.command_line.sweep_groups import Group
from svm_cost_curves.experiments.configuration.schema import NOT_INFLUENTIAL
from svm_cost_curves.experiments.configuration.settings import setting_name
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.support.commands import command_line
from svm_cost_curves.support.files import write_file

if TYPE_CHECKING:
    import pandas as pd


Member = tuple[Group, list[tuple[Outcome, "pd.DataFrame"]]]
"""A group and its runs with their curves."""


def write_page(members: Sequence[Member], directory: Path, command: str, pictures: Sequence[bytes] = ()) -> Path | None:
    """Write ``curves.html``: the curves of a sweep's runs, to choose data set, solvers, cost and measure.

    Parameters
    ----------
    members : sequence of Member
    directory : Path
    command : str
        The command line, for the small print.
    pictures : sequence of bytes
        PNGs that a browser without scripts shows.

    Returns
    -------
    Path or None
        None if no run has a curve.
    """
    from svm_cost_curves.experiments.command_line import sweep_names
    from svm_cost_curves.experiments.plotting.interactive import PAGE, Curves, RunCurve, curves_page

    kinds = list(dict.fromkeys((group.algo, group.values) for group, _ in members))
    styles = sweep_names.styles(kinds)
    names = dict(zip(kinds, styles, strict=True))
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
        "Curves of a sweep", shown, styles, facts=f"{len(shown):,} runs.", small_print=command, pictures=pictures
    )
    try:
        page = curves_page(content)
    except ValueError:  # runs that ended before their first evaluation
        return None
    write_file(directory / PAGE, page.encode())
    return directory / PAGE


def _own(outcome: Outcome) -> list[str]:
    """Return the overrides that have an influence on the run."""
    return [word for word in outcome.overrides if setting_name(word).partition(".")[0] not in NOT_INFLUENTIAL]
