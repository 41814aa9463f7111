"""Collects the evidence of a published figure: no data set, no solver and no settings are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.options import Options, resolve_options
from svm_cost_curves.experiments.reproduction.published import (
    EvidenceError,
    PublishedRun,
    read_facts,
    read_runs,
    read_series,
)
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import OWN_FILES, FigureSpec, known_data_sets


def from_evidence(spec: FigureSpec, options: Options, folder: Path) -> Evidence:
    """Return the evidence of a figure that is published in a folder.

    A run counts for a series if the figure's file still asks for it by the same settings; other runs are missing.

    Raises
    ------
    EvidenceError
        The figure is not published at this scale, or a file is damaged.
    FigureError
        An option is not allowed.
    """
    facts = facts_at_scale(folder, spec.id, options.scale)
    spec = _resolved(spec, options, facts["resolved"])
    rows = read_series(folder, facts)
    runs = read_runs(folder, facts["tables"], {row["key"] for row in rows})
    members = {(row["panel"], row["series"], row["settings"], row["seed"]): runs[row["key"]] for row in rows}
    wanted = spec.candidates(options.datasets)
    of_data_sets = {name for names in wanted.values() for name in names}
    absent = {name: why for name, why in facts["absent"].items() if name not in of_data_sets}
    panels = []
    for paper_dataset, names in wanted.items():
        for name in names:
            panel = _panel(spec, options, _published(facts["panels"], paper_dataset, name), members)
            if panel is not None:
                panels.append(panel)
                break
            absent[name] = facts["absent"].get(name, f"the evidence has no run on {name}")
    return Evidence(spec, options.scale, tuple(panels), absent, facts["computed"])


def facts_at_scale(folder: Path, figure: str, scale: str) -> dict[str, Any]:
    """Return the content of a figure's JSON file; raises EvidenceError if the figure is of another scale."""
    facts = read_facts(folder, figure)
    if facts["scale"] != scale:
        raise EvidenceError(f"the evidence of {figure} is of scale={facts['scale']}, not of scale={scale}")
    return facts


def _resolved(spec: FigureSpec, options: Options, published: Mapping[str, Any] | None) -> FigureSpec:
    """Return a figure with its series: as published, or as they follow from other options."""
    values = {name: option.value for name, option in spec.options.items()}
    # an option that came later does not change the series
    same = published is not None and published["options"].items() <= values.items()
    if published is None or not same or options.own or options.settings:
        return resolve_options(spec, options)
    try:
        series = [SeriesSpec(**fields) for fields in published["series"]]
    except TypeError as error:  # a field of an earlier version
        raise EvidenceError(f"the evidence of {spec.id} has series of an earlier version: publish it again") from error
    return replace(spec, series=series, title=published["title"], timed=published["timed"])


def _published(panels: Iterable[Mapping[str, Any]], paper_dataset: str, name: str) -> Mapping[str, Any] | None:
    """Return the published panel of a data set, as it is named on the command line; None if there is none."""
    for panel in panels:
        names = panel["paper_dataset"], panel["dataset"]
        if names[1] not in known_data_sets() if name == OWN_FILES else names == (paper_dataset, name):
            return panel
    return None


def _panel(
    spec: FigureSpec,
    options: Options,
    published: Mapping[str, Any] | None,
    members: Mapping[tuple[str, str, str, int], PublishedRun],
) -> Panel | None:
    """Return a panel with its published runs; None if none of the runs that it needs is published."""
    if published is None:
        return None
    paper_dataset, dataset = published["paper_dataset"], published["dataset"]
    runs: dict[str, tuple[PublishedRun, ...]] = {}
    missing: dict[str, str] = {}
    for series in spec.series_on(paper_dataset, dataset):
        if series.name in (*published["left_out"], *published["without_runs"]):
            continue
        asked = paper_dataset, series.name, spec.settings_of(series, options.scale, paper_dataset, dataset)
        count = spec.runs_of(series, options.scale)
        runs[series.name] = tuple(members[*asked, seed] for seed in range(count) if (*asked, seed) in members)
        if lost := count - len(runs[series.name]):
            missing[series.name] = f"of {count} runs {lost} not made"
    if missing and not any(runs.values()):
        return None
    settings = {name: _recorded_settings(of_series[0].result) for name, of_series in runs.items() if of_series}
    return Panel(dataset, paper_dataset, published["stand_in"], runs, settings, missing, published["left_out"])


def _recorded_settings(result: Mapping[str, Any]) -> SimpleNamespace:
    """Return the data set, the kernel and the problem of a run's record, with attributes named as in `RunSettings`."""
    return SimpleNamespace(
        **{name: SimpleNamespace(**result["settings"][name]) for name in ("dataset", "kernel", "problem")}
    )
