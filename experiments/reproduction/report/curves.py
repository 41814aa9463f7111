"""The interactive page of a figure: its runs' curves, and its claims as filters of what is drawn."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from svm_cost_curves.experiments.columns import COSTS, MEASURES
from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.plotting.interactive import (
    PAGE,
    Curves,
    JudgedClaim,
    JudgedReading,
    RunCurve,
    curves_page,
)
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.report.pictures import fitted
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import overrides_of
from svm_cost_curves.experiments.reproduction.verdict import Claim, Reading
from svm_cost_curves.support import commands
from svm_cost_curves.support.text import setting_name
from svm_cost_curves.support.values import flatten

_SHOWN: Final = ("algo", "kernel", "problem", "budget", "engine")
"""Groups of settings that a reader of a run sees."""


def write_page(
    folder: Path, evidence: Evidence, options: Options, claims: Sequence[Claim], title: str, small_print: Sequence[str]
) -> None:
    """Write ``curves.html`` beside a figure's picture, ``figure.png``; parameters are those of `figure_page`."""
    page = figure_page(evidence, options, claims, title, small_print, (folder / "figure.png").read_bytes())
    if page is not None:
        (folder / PAGE).write_text(page, encoding="utf-8")


def figure_page(
    evidence: Evidence,
    options: Options,
    claims: Sequence[Claim],
    title: str,
    small_print: Sequence[str],
    picture: bytes,
) -> str | None:
    """Return the page of a figure; None for a figure without curves.

    Parameters
    ----------
    evidence : Evidence
    options : Options
        Of the command line.
    claims : sequence of Claim
    title : str
    small_print : sequence of str
        Lines below the figure's picture.
    picture : bytes
        PNG that a browser without scripts shows.
    """
    content = page_content(evidence, options, claims, title, small_print, picture)
    return None if content is None else curves_page(content)


def page_content(
    evidence: Evidence,
    options: Options,
    claims: Sequence[Claim],
    title: str,
    small_print: Sequence[str],
    picture: bytes,
) -> Curves | None:
    """Return what the page of a figure shows; None for a figure without curves. Parameters as in `figure_page`."""
    specs = {series.name: series for series in evidence.spec.curves}
    runs = [run for panel in evidence.panels for run in _runs(evidence, options, panel, specs)]
    if not _any_known(runs, COSTS) or not _any_known(runs, MEASURES):
        return None
    names = list(dict.fromkeys(name for panel in evidence.panels for name in panel.runs))
    labels = {name: specs[name].label or name.replace("_", " ") for name in names}
    styles = styles_for(labels.values())
    return Curves(
        title=title,
        runs=runs,
        styles={name: styles[label] for name, label in labels.items()},
        datasets={panel.paper_dataset: _label(panel) for panel in evidence.panels},
        claims=[judged_claim(claim) for claim in claims],
        facts=f"Scale {evidence.scale}; {len(runs):,} runs.",
        small_print=" ".join(small_print),
        pictures=[fitted(picture)],
        cost="cpu_seconds" if evidence.spec.timed else "",
    )


def _any_known(runs: Sequence[RunCurve], columns: Collection[str]) -> bool:
    """Return whether a curve has a value in one of some columns."""
    return any(run.curve[name].notna().any() for run in runs for name in columns if name in run.curve.columns)


def _runs(evidence: Evidence, options: Options, panel: Panel, specs: Mapping[str, SeriesSpec]) -> Iterator[RunCurve]:
    for name, members in panel.runs.items():
        command = _command(evidence, options, panel, specs[name])
        for run in members:
            split = [f"dataset.split_seed={run.result['seed']}"] * evidence.spec.split_by_seed
            curve = pd.DataFrame(run.curve)  # a published curve without its errors for columns that are not there
            words = [*command, f"seed={run.result['seed']}", *split]
            yield RunCurve(
                panel.paper_dataset, name, int(run.result["seed"]), curve, shlex.join(words), _settings(run.result)
            )


def _command(evidence: Evidence, options: Options, panel: Panel, series: SeriesSpec) -> list[str]:
    """Return the command of a series' runs, without seed and without folders of this machine."""
    scale = evidence.spec.scale(evidence.scale)
    words = overrides_of(series, scale.overrides, panel.paper_dataset, panel.dataset, options.overrides)
    return commands.command("run", *(word for word in words if not setting_name(word).startswith("store.")))


def _settings(result: Mapping[str, Any]) -> dict[str, str]:
    groups = {name: group for name, group in result["settings"].items() if name in _SHOWN}
    names = {"budget.checkpoints": "budget.evaluations"}  # the name in the record, on which run keys depend
    return {
        names.get(name, name): f"{value:.6g}" if isinstance(value, float) else str(value)
        for name, value in flatten(groups)
        if value is not None and not name.endswith(".name")
    }


def _label(panel: Panel) -> str:
    if not panel.stand_in:
        return panel.dataset
    other = f" for {panel.paper_dataset}" * (panel.paper_dataset != panel.dataset)
    return f"{panel.dataset} (stand-in{other})"


def judged_claim(claim: Claim) -> JudgedClaim:
    """Return a claim with the curves by which each of its readings is judged."""
    return JudgedClaim(claim.id, claim.paper_says, [_reading(reading) for reading in claim.readings])


def _reading(reading: Reading) -> JudgedReading:
    """Return a reading with the data sets of its cases that were run."""
    run = [
        dataset
        for dataset, cases in reading.statistic.items()
        if dataset and any(case["ruling"] != "missing" for case in cases.values())
    ]
    shows = reading.shows
    return JudgedReading(
        reading.id, reading.says, reading.text, reading.decided_by, run, shows.series, shows.cost, shows.measure
    )
