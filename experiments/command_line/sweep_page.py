"""The interactive page of a sweep: the curves of all its runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.command_line.sweep_names import Values
from experiments.configuration.schema import NOT_INFLUENTIAL
from experiments.configuration.settings import setting_name
from experiments.processes.outcome import Outcome
from support.files import write_file

if TYPE_CHECKING:
    import pandas as pd


def write_page(
    drawn: Sequence[tuple[str, str, Values, Sequence[tuple[Outcome, pd.DataFrame]]]],
    directory: Path,
    command: str,
    pictures: Sequence[bytes] = (),
) -> Path | None:
    """Write ``curves.html``: the curves of a sweep's runs, to choose data set, solvers, cost and measure.

    Parameters
    ----------
    drawn : sequence of (str, str, Values, sequence of (Outcome, DataFrame))
        For each group of runs data set, algorithm, the settings that tell it from others, and its runs with curves.
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
    from experiments.command_line import sweep_names
    from experiments.plotting.interactive import PAGE, Curves, RunCurve, curves_page

    kinds = list(dict.fromkeys((algo, values) for _, algo, values, _ in drawn))
    styles = sweep_names.styles(kinds)
    names = dict(zip(kinds, styles, strict=True))
    runs = [
        RunCurve(
            dataset,
            names[algo, values],
            outcome.seed or 0,
            curve,
            shlex.join(["python", "run.py", *_own(outcome)]),
            dict(word.partition("=")[::2] for word in _own(outcome)),
        )
        for dataset, algo, values, members in drawn
        for outcome, curve in members
    ]
    content = Curves(
        "Curves of a sweep", runs, styles, facts=f"{len(runs):,} runs.", small_print=command, pictures=pictures
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
