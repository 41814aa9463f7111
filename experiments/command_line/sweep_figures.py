"""The figures of a sweep, or of one run for a paper: test error against cost, one for each data set."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.columns import STEP_COSTS
from experiments.command_line.sweep_groups import Group, groups
from experiments.command_line.sweep_page import write_page
from experiments.configuration.paper_style import PaperStyle
from experiments.processes.outcome import Outcome
from experiments.run.errors import print_error

if TYPE_CHECKING:
    import pandas as pd

    from experiments.plotting import Style

FIGURE, FOR_PAPER = "curves", "paper"
"""Names of the pictures; where there are several data sets, the data set's name follows."""

Member = tuple[Group, list[tuple[Outcome, "pd.DataFrame"]]]
"""A group and its runs with their curves."""


@dataclass(frozen=True)
class Picture:
    """What is drawn of one data set.

    Attributes
    ----------
    curves : dict of str to list of DataFrame
        By label.
    styles : dict of str to Style
    cost, title : str
    suffix : str
        End of the file's name.
    in_order : bool
        See `experiments.plotting.plot_curves`.
    """

    curves: dict[str, list[pd.DataFrame]]
    styles: dict[str, Style]
    cost: str
    title: str
    suffix: str
    in_order: bool

    def arguments(self, small_print: str) -> dict[str, Any]:
        """Return what `plot_curves` and `plot_for_paper` have in common."""
        same = {"curves": self.curves, "styles": self.styles, "cost": self.cost, "title": self.title}
        return {**same, "small_print": small_print}


def draw(outcomes: Sequence[Outcome], directory: Path, command: str) -> list[Path]:
    """Write the figures of a sweep and ``curves.html``, the same curves for a browser.

    The cost is the one that most runs count: kernel evaluations or feature accesses; where no run counts either,
    iterations.

    Returns
    -------
    list of Path
        The page and the figures, written to `directory`; empty if no run has a result.
    """
    from experiments.plotting import NothingToDrawError, plot_curves

    found = _found(outcomes)
    small_print = _small_print(command)
    paths = []
    for picture in _pictures(found):
        path = directory / f"{FIGURE}{picture.suffix}.png"
        try:
            plot_curves(**picture.arguments(small_print), path_png=path, in_order=picture.in_order)
        except NothingToDrawError as error:  # the sweep is done all the same
            print_error(f"no figure: {error}")
        else:
            paths.append(path)
    shown = [(group.dataset, group.algo, group.values, curves) for group, curves in found]
    page = write_page(shown, directory, small_print, [path.read_bytes() for path in paths]) if paths else None
    return [page, *paths] if page else paths


def draw_for_paper(outcomes: Sequence[Outcome], directory: Path, command: str, style: PaperStyle) -> list[Path]:
    """Write the same figures for a paper, ``paper.<format>``, and their captions, ``paper.txt``.

    Raises
    ------
    SettingsError, OSError
        LaTeX fails, or a file cannot be written.
    """
    from experiments.plotting import NothingToDrawError, plot_for_paper

    paths = []
    for picture in _pictures(_found(outcomes)):
        stem = directory / f"{FOR_PAPER}{picture.suffix}"
        try:
            paths += plot_for_paper(**picture.arguments(_small_print(command)), stem=stem, style=style)
        except NothingToDrawError as error:
            print_error(f"no figure: {error}")
    return paths


def _small_print(command: str) -> str:
    from experiments import provenance

    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    return f"commit {provenance.commit_text(commit, dirty)}; {command}" if commit else command


def _found(outcomes: Sequence[Outcome]) -> list[Member]:
    return [(group, curves) for group in groups(outcomes) if (curves := _curves(group))]


def _pictures(found: Sequence[Member]) -> list[Picture]:
    from experiments.command_line import sweep_names

    by_dataset: dict[str, list[tuple[Group, list[pd.DataFrame]]]] = {}
    for group, curves in found:
        by_dataset.setdefault(group.dataset, []).append((group, [curve for _, curve in curves]))
    pictures = []
    for dataset, drawn in by_dataset.items():
        styles = sweep_names.styles([(group.algo, group.values) for group, _ in drawn])
        algorithms = list(dict.fromkeys(group.algo for group, _ in drawn))
        only = f", {sweep_names.called(algorithms[0])}" if len(algorithms) == 1 else ""
        pictures.append(
            Picture(
                curves=dict(zip(styles, (curves for _, curves in drawn), strict=True)),
                styles=styles,
                cost=_cost([curve for _, curves in drawn for curve in curves]),
                title=f"Test error against cost on {dataset}{only}",
                suffix=f"-{_file_name(dataset)}" if len(by_dataset) > 1 else "",
                in_order=any(group.values for group, _ in drawn),
            )
        )
    return pictures


def _file_name(dataset: str) -> str:
    """Return a data set's name as a part of a file's name; other names than letters, digits, . _ - get a checksum."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", dataset)
    return plain if plain == dataset else f"{plain[:80]}_{hashlib.sha256(dataset.encode()).hexdigest()[:6]}"


def _curves(group: Group) -> list[tuple[Outcome, pd.DataFrame]]:
    """Return the curves of a group's runs, of those whose record is on this machine."""
    import pandas as pd

    from experiments.curve import conform

    return [
        (outcome, conform(pd.read_parquet(Path(outcome.result_path).with_name("curve.parquet"))))
        for outcome in group.outcomes
        if outcome.result_path is not None
    ]


def _cost(curves: Sequence[pd.DataFrame]) -> str:
    *telling, otherwise = STEP_COSTS
    counted = {name: sum(not curve[name].isna().any() for curve in curves) for name in telling}
    best = max(telling, key=lambda name: counted[name])  # the first of equals
    return best if counted[best] else otherwise
