"""Publishes the evidence of figures, and plans the published runs to make them again."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from svm_cost_curves import datasets, solvers
from svm_cost_curves.datasets import DataError, DatasetSpec
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.provenance import commit_text
from svm_cost_curves.experiments.reproduction.build import build_figure, evidence_of, with_computed
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Run
from svm_cost_curves.experiments.reproduction.evidence_tables import check_size, write_json, write_tables, write_verdict
from svm_cost_curves.experiments.reproduction.from_evidence import facts_at_scale, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.plan import Plan, PlannedPanel, Planner
from svm_cost_curves.experiments.reproduction.published import (
    FORMAT,
    RUNS,
    EvidenceError,
    figure_runs,
    published_figures,
    read_facts,
    read_table,
    same_values,
    write_sums,
)
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.verdict import Verdict
from svm_cost_curves.experiments.run.identity import settings_key
from svm_cost_curves.support.files import write_file


def evidence_key(settings: RunSettings) -> str:
    """Return the key of a run's settings in the evidence, whatever the build and the machine's memory.

    No file of data is needed.
    """
    identity = {name: value for name, value in settings.identity().items() if name != "clock"}
    return settings_key(identity, datasets.stated_fingerprint(settings.dataset))


def published_plan(spec: FigureSpec, options: Options, folder: Path) -> Plan:
    """Return the plan of a published figure with its runs, which are found by their settings: to make them again.

    Errors are those of `from_evidence`.
    """
    facts = facts_at_scale(folder, spec.id, options.scale)
    runs = figure_runs(folder, spec.id)
    rows = read_table(folder, facts["tables"], RUNS).select(["key", "settings_key"]).to_pylist()
    published = {row["settings_key"]: runs[row["key"]] for row in rows if row["key"] in runs}

    def find(keys: Collection[str]) -> Mapping[str, Run]:
        return {key: published[key] for key in keys if key in published}

    def refuse_absent(data: DatasetSpec) -> None:
        if data.name in facts["absent"]:
            raise DataError(facts["absent"][data.name])

    return Planner(find, refuse_absent, key=evidence_key).plan(spec, options)


def offer(plan: Plan, folder: Path) -> list[str]:
    """Return the line that says that a figure with missing runs is published; empty if it is not, at this scale."""
    figure = plan.spec.id
    if not plan.missing or figure not in published_figures(folder):
        return []
    facts, here = read_facts(folder, figure), solvers.build_info()
    if facts["scale"] != plan.options.scale:
        return []
    builds = [run.result["provenance"]["build"] for run in figure_runs(folder, figure).values()]
    same = all((build.get("build_id"), build.get("isa")) == (here["build_id"], here["isa"]) for build in builds)
    which = "this build" if same else "another build"
    return [f"  runs of {which} are published: from=evidence draws and judges them without making any"]


def publish(plan: Plan, folder: Path, command: str) -> tuple[Verdict, int]:
    """Write the evidence of a figure and judge it from what was written; an error changes no file.

    Return the verdict, and the bytes of all evidence.

    Raises
    ------
    EvidenceError
        Runs are missing, or the files are too large.
    """
    figure = plan.spec.id
    if plan.missing:
        raise EvidenceError(f"{len(plan.missing)} runs of {figure} are missing: make the figure first")
    evidence = with_computed(evidence_of(plan, {}))
    with tempfile.TemporaryDirectory() as temporary:
        draft = Path(temporary) / "evidence"
        if folder.exists():
            shutil.copytree(folder, draft)
        written = _write_evidence(draft, plan, evidence, command)
        verdict, judged = _judge(from_evidence(plan.spec, plan.options, draft), plan.options, command)
        write_verdict(draft, figure, judged)
        size = check_size(draft)
        for name in written:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_file(folder / name, (draft / name).read_bytes())
        write_sums(folder, *written)
    return verdict, size


def _judge(evidence: Evidence, options: Options, command: str) -> tuple[Verdict, dict[str, Any]]:
    """Make a figure in a temporary folder; return its verdict, and its verdict.json."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / evidence.spec.id
        verdict = build_figure(evidence, options, folder, command)
        return verdict, json.loads((folder / "verdict.json").read_bytes())


def _write_evidence(folder: Path, plan: Plan, evidence: Evidence, command: str) -> list[str]:
    """Write a figure into the tables of its paper, and its JSON file; return the names of the files."""
    spec = plan.spec
    tables = spec.paper or spec.id
    facts = {
        "format": FORMAT,
        "figure": spec.id,
        "tables": tables,
        "scale": plan.options.scale,
        "command": command,
        "absent": evidence.absent_because,
        "resolved": _resolved_facts(spec),
        "panels": [_panel_facts(spec, panel) for panel in plan.panels],
        "computed": evidence.computed,
    }
    runs = {run.found.key: (evidence_key(run.settings), run.found) for run in plan.runs if run.found is not None}
    rows = [row for panel in plan.panels for row in _series_rows(spec, plan.options.scale, panel)]
    write_json(folder / f"{spec.id}.json", facts)
    write_sums(folder, f"{spec.id}.json")
    return [f"{spec.id}.json", *write_tables(folder, tables, spec.id, rows, runs)]


def _resolved_facts(spec: FigureSpec) -> dict[str, Any] | None:
    """Return what follows from a figure's options, with their values; None for a figure without them."""
    if not (spec.options and spec.series_module):
        return None
    values = {name: option.value for name, option in spec.options.items()}
    series = [asdict(series) for series in spec.series]
    return {"options": values, "title": spec.title, "timed": spec.timed, "series": series}


def _series_rows(spec: FigureSpec, scale: str, panel: PlannedPanel) -> list[dict[str, Any]]:
    """Return a panel's rows of `SERIES`."""
    place = panel.paper_dataset, panel.dataset
    settings = {series.name: spec.settings_of(series, scale, *place) for series in spec.curves}
    return [
        {
            "figure": spec.id,
            "panel": panel.paper_dataset,
            "dataset": panel.dataset,
            "series": run.series,
            "seed": run.settings.seed,
            "key": run.found.key,
            "settings": settings[run.series],
        }
        for run in panel.runs
        if run.found is not None
    ]


def _panel_facts(spec: FigureSpec, panel: PlannedPanel) -> dict[str, Any]:
    planned = {*panel.settings, *panel.left_out}
    series = spec.series_on(panel.paper_dataset, panel.dataset)
    return {
        "paper_dataset": panel.paper_dataset,
        "dataset": panel.dataset,
        "stand_in": panel.stand_in,
        "left_out": panel.left_out,
        "without_runs": [curve.name for curve in series if curve.name not in planned],
    }


def judge_again(spec: FigureSpec, options: Options, folder: Path) -> tuple[Verdict, bool]:
    """Judge a published figure with this version, and write the verdict if it is another than the published one.

    Return it, and whether it was written. Commit, machine and time of the publication stay, ``judged_at`` is the commit
    of the new verdict. Errors are those of `from_evidence`.
    """
    evidence = from_evidence(spec, options, folder)
    published = read_facts(folder, spec.id)["verdict"]
    verdict, judged = _judge(evidence, options, published["command"])
    if all(same_values(judged[name], published[name]) for name in ("claims", "numbers")):
        return verdict, False
    then = {name: published[name] for name in ("commit", "dirty", "run_commits", "made", "machine", "versions")}
    write_verdict(folder, spec.id, judged | then | {"judged_at": commit_text(verdict.commit, verdict.dirty) or ""})
    return verdict, True
