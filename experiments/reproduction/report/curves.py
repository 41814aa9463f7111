"""The interactive page of a figure: its runs' curves, and its claims as filters of what is drawn."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from experiments.columns import COSTS, MEASURES
from experiments.configuration.settings import setting_name
from experiments.plotting import styles_for
from experiments.plotting.interactive import PAGE, Curves, JudgedClaim, JudgedReading, RunCurve, curves_page
from experiments.reproduction.claim_spec import ClaimSpec, ShownSpec
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.plan import OWN_FILES, Plan, known_data_sets, overrides_of
from experiments.reproduction.report.pictures import fitted
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.verdict import Claim, Reading
from experiments.store.serialize import flatten

_SHOWN: Final = ("algo", "kernel", "problem", "budget", "engine")
"""Groups of settings that a reader of a run sees."""


def write_page(
    folder: Path, plan: Plan, evidence: Evidence, claims: Sequence[Claim], title: str, small_print: Sequence[str]
) -> None:
    """Write ``curves.html`` beside a figure's picture, ``figure.png``; parameters are those of `figure_page`."""
    page = figure_page(plan, evidence, claims, title, small_print, (folder / "figure.png").read_bytes())
    if page is not None:
        (folder / PAGE).write_text(page, encoding="utf-8")


def figure_page(
    plan: Plan, evidence: Evidence, claims: Sequence[Claim], title: str, small_print: Sequence[str], picture: bytes
) -> str | None:
    """Return the page of a figure; None for a figure without curves.

    Parameters
    ----------
    plan : Plan
    evidence : Evidence
        Of the plan.
    claims : sequence of Claim
    title : str
    small_print : sequence of str
        Lines below the figure's picture.
    picture : bytes
        PNG that a browser without scripts shows.
    """
    content = page_content(plan, evidence, claims, title, small_print, picture)
    return None if content is None else curves_page(content)


def page_content(
    plan: Plan, evidence: Evidence, claims: Sequence[Claim], title: str, small_print: Sequence[str], picture: bytes
) -> Curves | None:
    """Return what the page of a figure shows; None for a figure without curves. Parameters as in `figure_page`."""
    runs = [run for panel in evidence.panels for run in _runs(plan, panel)]
    known = {column for run in runs for column in run.curve.columns if run.curve[column].notna().any()}
    if not known & {*COSTS} or not known & {*MEASURES}:
        return None
    names = list(dict.fromkeys(name for panel in evidence.panels for name in panel.runs))
    own = {series.name: series.label for series in plan.spec.curves}
    labels = {name: own.get(name) or name.replace("_", " ") for name in names}
    styles = styles_for(labels.values())
    return Curves(
        title=title,
        runs=runs,
        styles={name: styles[label] for name, label in labels.items()},
        datasets={panel.paper_dataset: _label(panel) for panel in evidence.panels},
        claims=[judged_claim(plan.spec, claim) for claim in claims],
        facts=f"Scale {evidence.scale}; {len(runs):,} runs.",
        small_print=" ".join(small_print),
        pictures=[fitted(picture)],
        cost="cpu_seconds" if plan.spec.timed else "",
    )


def _runs(plan: Plan, panel: Panel) -> Iterator[RunCurve]:
    for name, members in panel.runs.items():
        command = _command(plan, panel, name)
        for run in members:
            split = [f"dataset.split_seed={run.result['seed']}"] * plan.spec.split_by_seed
            curve = pd.DataFrame(run.curve)  # a published curve without its errors for columns that are not there
            words = [*command, f"seed={run.result['seed']}", *split]
            yield RunCurve(
                panel.paper_dataset, name, int(run.result["seed"]), curve, shlex.join(words), _settings(run.result)
            )


def _command(plan: Plan, panel: Panel, series: str) -> list[str]:
    """Return the command of a series' runs, without seed and without folders of this machine."""
    spec = next(each for each in plan.spec.curves if each.name == series)
    dataset = panel.dataset if panel.dataset in known_data_sets() else OWN_FILES
    scale = plan.spec.scale(plan.options.scale)
    words = overrides_of(spec, scale.overrides, panel.paper_dataset, dataset, plan.options)
    return ["python", "run.py", *(word for word in words if not setting_name(word).startswith("store."))]


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


def judged_claim(spec: FigureSpec, claim: Claim) -> JudgedClaim:
    """Return a claim with the curves by which each of its readings is judged."""
    described = next((each for each in spec.claims if each.id == claim.id), ClaimSpec())
    shown = {each.id: each.shows.over(described.shows) for each in described.readings}
    readings = [_reading(spec, each, shown.get(each.id, described.shows)) for each in claim.readings]
    return JudgedClaim(claim.id, claim.paper_says, readings)


def _reading(spec: FigureSpec, reading: Reading, shown: ShownSpec) -> JudgedReading:
    """Return a reading with the curves that the figure's file names, else those that the judge has read."""
    columns = Counter(name for series in reading.reads.values() for own in series.values() for name in own)
    judged = dict.fromkeys(case.dataset for case in reading.rulings if case.dataset and case.ruling != "missing")
    return JudgedReading(
        reading.id,
        reading.says,
        reading.text,
        reading.measured,
        list(reading.reads) or list(judged),
        spec.expanded(shown.series) or sorted({name for series in reading.reads.values() for name in series}),
        shown.cost or _most_read(columns, COSTS),
        shown.measure or _most_read(columns, MEASURES),
    )


def _most_read(columns: Counter[str], names: Sequence[str]) -> str:
    """Return the column that most series' judges read; the first of equals. ``epochs`` only tells where one ends."""
    return max(
        (name for name in names if columns[name] and name != "epochs"), key=lambda name: columns[name], default=""
    )
