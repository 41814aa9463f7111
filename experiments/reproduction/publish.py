"""Publishes the evidence of figures, and plans the published runs to make them again."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svm_cost_curves import datasets, solvers
from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.provenance import commit_text
from svm_cost_curves.experiments.reproduction.build import build_figure, evidence_of, with_computed
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Run
from svm_cost_curves.experiments.reproduction.evidence_tables import check_size, write_json, write_tables, write_verdict
from svm_cost_curves.experiments.reproduction.from_evidence import facts_at_scale, from_evidence
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.plan import Plan, PlannedPanel, PlannedRun, Planner
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

if TYPE_CHECKING:
    pass


def evidence_key(settings: RunSettings) -> str:
    """Return the key of a run's settings in the evidence, whatever the build and the machine's memory.

    No file of data is needed.
    """
    identity = {name: value for name, value in settings.identity().items() if name != "clock"}
    return settings_key(identity, datasets.stated_fingerprint(settings.dataset))


class EvidencePlanner(Planner):
    """Plans a figure on its published runs, by their settings: they can be made again.

    Parameters
    ----------
    folder : Path
        Of the evidence.
    facts : mapping
        Content of the figure's JSON file.
    """

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        super().__init__(_BySettings(folder, facts))
        self._absent = facts["absent"]

    def key(self, settings: RunSettings) -> str:
        """Return the key of a run."""
        return evidence_key(settings)

    def _panel(
        self, spec: FigureSpec, options: Options, paper_dataset: str, dataset: str, absent: dict[str, str]
    ) -> PlannedPanel:
        if dataset in self._absent:
            raise DataError(self._absent[dataset])
        return super()._panel(spec, options, paper_dataset, dataset, absent)

    def _require_data(self, dataset: str, settings: Mapping[str, RunSettings], runs: Sequence[PlannedRun]) -> None:
        del dataset, settings, runs


class _BySettings:
    """The published runs of a figure, by `evidence_key`."""

    def __init__(self, folder: Path, facts: Mapping[str, Any]) -> None:
        runs = figure_runs(folder, facts["figure"])
        keys = read_table(folder, facts["tables"], RUNS).select(["key", "settings_key"]).to_pylist()
        self._runs = {row["settings_key"]: runs[row["key"]] for row in keys if row["key"] in runs}

    def find_all_finished(self, keys: Collection[str]) -> Mapping[str, Run]:
        """Return the run of each key; keys without a run are missing from the result."""
        return {key: self._runs[key] for key in keys if key in self._runs}


def published_plan(spec: FigureSpec, options: Options, folder: Path) -> Plan:
    """Return the plan of a published figure, with its runs; errors are those of `from_evidence`."""
    return EvidencePlanner(folder, facts_at_scale(folder, spec.id, options.scale)).plan(spec, options)


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


@dataclass(frozen=True)
class Publication:
    """What `publish` has written.

    Attributes
    ----------
    verdict : Verdict
        As judged from the evidence.
    size : int
        Bytes of all evidence.
    """

    verdict: Verdict
    size: int


def publish(plan: Plan, folder: Path, command: str) -> Publication:
    """Write the evidence of a figure and judge it from what was written; an error changes no file.

    Parameters
    ----------
    plan : Plan
        Without missing runs.
    folder : Path
        Of the evidence.
    command : str
        The command line, for the record.

    Raises
    ------
    EvidenceError
        Runs are missing, or the files are too large.
    """
    if plan.missing:
        raise EvidenceError(f"{len(plan.missing)} runs of {plan.spec.id} are missing: make the figure first")
    figure = plan.spec.id
    evidence = with_computed(evidence_of(plan, {}))
    with tempfile.TemporaryDirectory() as temporary:
        draft = Path(temporary) / "evidence"
        if folder.exists():
            shutil.copytree(folder, draft)
        written = write_evidence(draft, plan, evidence, command)
        verdict = build_figure(
            from_evidence(plan.spec, plan.options, draft), plan.options, Path(temporary) / figure, command
        )
        write_verdict(draft, figure, json.loads((Path(temporary) / figure / "verdict.json").read_bytes()))
        size = check_size(draft)
        for name in written:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_file(folder / name, (draft / name).read_bytes())
        write_sums(folder, *written)
    return Publication(verdict, size)


def write_evidence(folder: Path, plan: Plan, evidence: Evidence, command: str) -> list[str]:
    """Write a figure into the tables of its paper, and its JSON file; its verdict follows (`write_verdict`).

    Runs that no figure of the paper draws any more are removed.

    Parameters
    ----------
    folder : Path
        Of the evidence.
    plan : Plan
    evidence : Evidence
        Of the plan, with what is computed from data.
    command : str
        The command line, for the record.

    Returns
    -------
    list of str
        The written files.
    """
    spec = plan.spec
    tables = spec.paper or spec.id
    facts = {
        "format": FORMAT,
        "figure": spec.id,
        "tables": tables,
        "scale": plan.options.scale,
        "command": command,
        "absent": evidence.absent_because,
        "resolved": resolved_facts(spec),
        "panels": [_panel_facts(spec, panel) for panel in plan.panels],
        "computed": evidence.computed,
    }
    runs = {run.found.key: (evidence_key(run.settings), run.found) for run in plan.runs if run.found is not None}
    rows = [row for panel in plan.panels for row in _series_rows(spec, plan.options.scale, panel)]
    write_json(folder / f"{spec.id}.json", facts)
    write_sums(folder, f"{spec.id}.json")
    return [f"{spec.id}.json", *write_tables(folder, tables, spec.id, rows, runs)]


def resolved_facts(spec: FigureSpec) -> dict[str, Any] | None:
    """Return what follows from a figure's options, with their values; None for a figure without them."""
    if not (spec.options and spec.series_module):
        return None
    values = {name: option.value for name, option in spec.options.items()}
    series = [asdict(series) for series in spec.series]
    return {"options": values, "title": spec.title, "timed": spec.timed, "series": series}


def _series_rows(spec: FigureSpec, scale: str, panel: PlannedPanel) -> list[dict[str, Any]]:
    """Return a panel's rows of `SERIES`."""
    settings = {
        series.name: spec.settings_of(series, scale, panel.paper_dataset, panel.dataset) for series in spec.curves
    }
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
    return {
        "paper_dataset": panel.paper_dataset,
        "dataset": panel.dataset,
        "stand_in": panel.stand_in,
        "left_out": panel.left_out,
        "without_runs": [
            series.name for series in spec.series_on(panel.paper_dataset, panel.dataset) if series.name not in planned
        ],
    }


def judge_again(spec: FigureSpec, options: Options, folder: Path) -> tuple[Verdict, bool]:
    """Judge a published figure with this version, and write the verdict if it is another than the published one.

    Commit, machine and time of the publication stay, ``judged_at`` is the commit of the new verdict.

    Parameters
    ----------
    spec : FigureSpec
    options : Options
    folder : Path
        Of the evidence.

    Returns
    -------
    verdict : Verdict
    written : bool

    Raises
    ------
    EvidenceError
        As `from_evidence`.
    """
    evidence = from_evidence(spec, options, folder)
    published = read_facts(folder, spec.id)["verdict"]
    with tempfile.TemporaryDirectory() as temporary:
        verdict = build_figure(evidence, options, Path(temporary) / spec.id, published["command"])
        judged = json.loads((Path(temporary) / spec.id / "verdict.json").read_bytes())
    if all(same_values(judged[name], published[name]) for name in ("claims", "numbers")):
        return verdict, False
    then = {name: published[name] for name in ("commit", "dirty", "run_commits", "made", "machine", "versions")}
    write_verdict(folder, spec.id, judged | then | {"judged_at": commit_text(verdict.commit, verdict.dirty) or ""})
    return verdict, True
