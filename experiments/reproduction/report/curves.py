"""The interactive page of a figure: its runs' curves, and its claims as filters of what is drawn."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ....support.text import command as command_words
from ....support.text import number_of, setting_name
from ....support.values import flatten
from ...columns import COSTS, MEASURE, MEASURES
from ...plotting import Style, styles_for
from ...plotting.interactive import CHARGED, SUBOPTIMALITY, Curves, RunCurve
from ..evidence import Evidence, Panel, Run
from ..options import Options
from ..series_spec import OPTIMUM, SeriesSpec
from ..spec import FigureSpec, overrides_of
from ..verdict import Claim, Reading, Verdict
from .pictures import fitted

_SHOWN: Final = ("algo", "kernel", "problem", "budget", "engine")
"""Groups of settings that a reader of a run sees."""


def page_content(
    evidence: Evidence, options: Options, verdict: Verdict, small_print: Sequence[str], picture: bytes
) -> Curves | None:
    """Return what the page of a figure shows; None for a figure without curves.

    `options` are those of the command line, `small_print` the lines below the figure's picture, and `picture` is the
    PNG that a browser without scripts shows.
    """
    specs = {series.name: series for series in evidence.spec.curves}
    runs = [run for panel in evidence.panels for run in _runs(evidence, options, panel, specs)]
    columns = known_columns(runs)
    if columns.isdisjoint(COSTS) or columns.isdisjoint(MEASURES):
        return None
    names = list(dict.fromkeys(run.series for run in runs))
    reference = " and the reference" * any(map(_is_optimum, specs.values()))
    return Curves(
        title=verdict.heading,
        runs=runs,
        styles=_styles(evidence.spec, specs, names),
        datasets={panel.paper_dataset: _label(panel) for panel in evidence.panels},
        claims=[judged_claim(claim) for claim in verdict.claims],
        facts=f"Scale {evidence.scale}; {number_of(len(runs), 'run')}{reference}.",
        small_print="; ".join(small_print),
        pictures=[fitted(picture)],
        **_first_view(evidence.spec, names),
    )


def known_columns(runs: Iterable[RunCurve]) -> set[str]:
    """Return the columns in which some run has a value."""
    columns: set[str] = set()
    for run in runs:  # most columns are known from the first run, and not read again
        columns |= {name for name in run.curve.columns if name not in columns and run.curve[name].notna().any()}
    return columns


def _styles(spec: FigureSpec, specs: Mapping[str, SeriesSpec], names: Sequence[str]) -> dict[str, Style]:
    """Return the styles of some series, with the colours that they have in the figure's picture."""
    drawn = {name: label for row in reversed(spec.rows) for label, name in row.series.items() if label not in specs}
    styles = styles_for([drawn.get(name, name) for name in specs])
    return {name: _named(styles[drawn.get(name, name)], specs[name]) for name in names}


def _named(style: Style, series: SeriesSpec) -> Style:
    """Return the style with the series' name for the reader."""
    name = style.name if f"algo={series.name}" in series.overrides else style.name.replace("_", " ")
    return replace(style, name=series.label or name)


def _first_view(spec: FigureSpec, names: Sequence[str]) -> dict[str, Any]:
    """Return what the page draws first: the first row of the picture; of an arena what its table has."""
    if spec.rows:
        row = spec.rows[0]
        cost = CHARGED if row.times_n else row.cost
        view = {"cost": cost, "measure": row.measure, "middle": row.middle, "first": [*row.shown(names).values()]}
        return view if len(row.shown(names)) < len(names) else view | {"first": ()}
    if "target" not in spec.options:
        return {"cost": "cpu_seconds" if spec.timed else ""}
    kind, _, levels = spec.options["target"].value.partition(":")
    numbers = sorted(map(float, levels.split(","))) if levels and kind != "best" else []
    return {
        "cost": spec.options["cost"].value.strip("[]").partition(",")[0],
        "measure": SUBOPTIMALITY if kind == "gap" else MEASURE,
        "target": numbers[len(numbers) // 2] if numbers else None,
        "stays": spec.options["reach"].value == "stays",
    }


def _runs(evidence: Evidence, options: Options, panel: Panel, specs: Mapping[str, SeriesSpec]) -> Iterator[RunCurve]:
    """Yield a panel's runs without the one that computes the optimum."""
    bound = next((_bound(runs) for name, runs in panel.runs.items() if _is_optimum(specs[name])), None)
    charged = any(row.times_n for row in evidence.spec.rows)
    for name, members in panel.runs.items():
        if _is_optimum(specs[name]):
            continue
        command = _command(evidence, options, panel, specs[name])
        for run in members:
            curve = run.curve.copy(deep=False)
            if charged and panel.n is not None:
                curve[CHARGED] = curve["iterations"] * panel.n
            if bound is not None:
                curve[SUBOPTIMALITY] = curve["primal"] / bound - 1
            seed = int(run.result["seed"])
            arguments = [*command, f"seed={seed}", *evidence.spec.split_of(seed)]
            yield RunCurve(panel.paper_dataset, name, seed, curve, shlex.join(arguments), _settings(run.result))


def _is_optimum(series: SeriesSpec) -> bool:
    """Whether the series computes the optimum of the problem that all others solve."""
    return series.reference_only and series.name == OPTIMUM


def _bound(runs: Sequence[Run]) -> float | None:
    """Return the last lower bound on the optimum; None without a positive one."""
    bound = min(*runs[0].curve[["dual", "primal"]].to_numpy(dtype=float)[-1]) if runs else 0.0
    return bound if bound > 0 else None


def _command(evidence: Evidence, options: Options, panel: Panel, series: SeriesSpec) -> list[str]:
    """Return the command of a series' runs, without seed and without folders of this machine."""
    scale = evidence.spec.scale(evidence.scale)
    overrides = overrides_of(series, scale.overrides, panel.paper_dataset, panel.dataset, options.overrides)
    return command_words("run", *(word for word in overrides if not setting_name(word).startswith("store.")))


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
    stands_for = f" for {panel.paper_dataset}" * (panel.paper_dataset != panel.dataset)
    return f"{panel.dataset} (stand-in{stands_for})"


def judged_claim(claim: Claim) -> dict[str, Any]:
    """Return a claim as the page has it (`Curves`), with the curves by which each of its readings is judged."""
    return {"id": claim.id, "says": claim.paper_says, "readings": [_reading(reading) for reading in claim.readings]}


def _reading(reading: Reading) -> dict[str, Any]:
    """Return a reading with the data sets of its cases that were run."""
    run = {case.dataset: None for case in reading.rulings if case.statistic and case.ruling != "missing"}
    texts = {"id": reading.id, "says": reading.says, "outcome": reading.text, "measured": reading.decided_by}
    shows = {"series": list(reading.shows.series), "cost": reading.shows.cost, "measure": reading.shows.measure}
    return texts | {"datasets": [dataset for dataset in run if dataset]} | shows
