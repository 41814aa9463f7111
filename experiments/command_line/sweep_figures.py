"""The figures of a sweep, or of one run for a paper: test error against cost, one for each data set."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from svm_cost_curves.experiments.columns import STEP_COSTS
from svm_cost_curves.experiments.command_line.sweep_groups import Group, groups
from svm_cost_curves.experiments.command_line.sweep_page import Member, write_page
from svm_cost_curves.experiments.command_line.sweep_sentence import near_least, sentence
from svm_cost_curves.experiments.configuration.paper_style import PaperStyle
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.run.errors import print_error
from svm_cost_curves.experiments.store.store import SWEEPS

if TYPE_CHECKING:
    import pandas as pd

    from svm_cost_curves.experiments.plotting import Picture

FIGURE, FOR_PAPER = "curves", "paper"
"""Names of the pictures; where there are several data sets, the data set's name follows."""


def draw(outcomes: Sequence[Outcome], directory: Path, command: str, highlight: str | None = None) -> list[Path]:
    """Write the figures of a sweep and ``curves.html``, the same curves for a browser.

    The cost is the one that most runs count: kernel evaluations or feature accesses; where no run counts either,
    iterations. `highlight` is the algorithm whose curves are in colour; None: all.

    Returns
    -------
    list of Path
        The page and the figures, written to `directory`, and the list of all sweeps; empty if no run has a result.
    """
    members, small_print = _members(outcomes), _small_print(command)
    paths = []
    for suffix, picture, text in _pictures(members, small_print, highlight):
        if text:
            print(text, flush=True)
        paths.append(directory / f"{FIGURE}{suffix}.png")
        picture.save(paths[-1])
    pngs = [path.read_bytes() for path in paths]
    page = write_page(members, directory, small_print, pngs, highlight) if paths else None
    return [page, *_overview(directory), *paths] if page else paths


def _overview(directory: Path) -> list[Path]:
    """Write the list of all sweeps of a store, if the folder is that of one of them."""
    from svm_cost_curves.experiments.plotting.interactive import write_overview

    written = write_overview(directory.parent, "Sweeps") if directory.parent.name == SWEEPS else None
    return [written] if written else []


def draw_for_paper(
    outcomes: Sequence[Outcome], directory: Path, command: str, style: PaperStyle, highlight: str | None = None
) -> list[Path]:
    """Write the same figures for a paper, ``paper.<format>``, and their captions, ``paper.txt``.

    Raises
    ------
    SettingsError, OSError
        LaTeX fails, or a file cannot be written.
    """
    pictures = _pictures(_members(outcomes), _small_print(command), highlight, names=False)
    return [
        path
        for suffix, picture, _ in pictures
        for path in picture.save_for_paper(directory / f"{FOR_PAPER}{suffix}", style)
    ]


def _small_print(command: str) -> str:
    from svm_cost_curves.experiments import provenance

    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    return f"commit {provenance.commit_text(commit, dirty)}; {command}" if commit else command


def _members(outcomes: Sequence[Outcome]) -> list[Member]:
    return [(group, curves) for group in groups(outcomes) if (curves := _curves(group))]


def _pictures(
    members: Sequence[Member], small_print: str, highlight: str | None, *, names: bool = True
) -> Iterator[tuple[str, Picture, str]]:
    """Yield of each data set the end of its file's name, the picture, its sentence; say which has no point to draw."""
    from svm_cost_curves.experiments.command_line import sweep_names
    from svm_cost_curves.experiments.plotting import NothingToDrawError, curves_picture

    by_dataset: dict[str, list[tuple[Group, list[pd.DataFrame]]]] = {}
    for group, curves in members:
        by_dataset.setdefault(group.dataset, []).append((group, [curve for _, curve in curves]))
    for dataset, drawn in by_dataset.items():
        styles = sweep_names.styles([(group.algo, group.values) for group, _ in drawn])
        algorithms = list(dict.fromkeys(group.algo for group, _ in drawn))
        named = dict(zip(styles, (curves for _, curves in drawn), strict=True))
        cost = _cost([curve for curves in named.values() for curve in curves])
        only = f", {sweep_names.called(algorithms[0])}" if len(algorithms) == 1 else ""
        text = sentence(named, cost) if highlight else ""
        try:
            picture = curves_picture(
                named,
                cost=cost,
                title=f"Test error against cost on {dataset}{only}",
                small_print=small_print,
                styles=styles,
                in_order=any(group.values for group, _ in drawn),
                names=names,
                coloured=[label for label, (group, _) in zip(styles, drawn, strict=True) if group.algo == highlight],
                sentence=text,
                level=near_least(named, cost) if highlight else None,
            )
        except NothingToDrawError as error:  # the sweep is done all the same
            print_error(f"no figure: {error}")
        else:
            yield f"-{_file_name(dataset)}" if len(by_dataset) > 1 else "", picture, text


def _file_name(dataset: str) -> str:
    """Return a data set's name as a part of a file's name; other names than letters, digits, . _ - get a checksum."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", dataset)
    return plain if plain == dataset else f"{plain[:80]}_{hashlib.sha256(dataset.encode()).hexdigest()[:6]}"


def _curves(group: Group) -> list[tuple[Outcome, pd.DataFrame]]:
    """Return the curves of a group's runs, of those whose record is on this machine."""
    import pandas as pd

    from svm_cost_curves.experiments.curve import conform

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
