"""Publishes the evidence of a figure, and plans a figure from published evidence."""

from __future__ import annotations

import dataclasses
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solvers
from datasets import DataError
from experiments.configuration.settings import RunSettings
from experiments.provenance import commit_text
from experiments.reproduction.build import build_figure, evidence_of, with_computed
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.options import Options
from experiments.reproduction.plan import Plan, PlannedPanel, PlannedRun, Planner
from experiments.reproduction.published import (
    EvidenceError,
    PublishedStore,
    check_size,
    evidence_key,
    published_figures,
    read_facts,
    same_values,
    write_evidence,
    write_sums,
    write_verdict,
)
from experiments.reproduction.reads import noted
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.verdict import Verdict
from experiments.store import FinishedRun
from support.files import write_file


class EvidencePlanner(Planner):
    """Plans figures on published evidence: no data set, solver or store is needed.

    Parameters
    ----------
    folder : Path
        Of the evidence.
    figure : str
    absent : mapping of str to str
        Why data sets were not available when the figure was published.
    """

    def __init__(self, folder: Path, figure: str, absent: Mapping[str, str]) -> None:
        super().__init__(PublishedStore(folder, figure))
        self._absent = absent

    def key(self, settings: RunSettings) -> str:
        """Return the key of a run."""
        return evidence_key(settings)

    def _panel(
        self, spec: FigureSpec, options: Options, paper_dataset: str, dataset: str, absent: dict[str, str]
    ) -> PlannedPanel:
        if dataset in self._absent:  # its settings need not be composed: no run can be published
            raise DataError(self._absent[dataset])
        return super()._panel(spec, options, paper_dataset, dataset, absent)

    def _require_data(self, dataset: str, settings: Mapping[str, RunSettings], runs: Sequence[PlannedRun]) -> None:
        del settings
        if runs and all(run.found is None for run in runs):
            raise DataError(f"the evidence has no run on {dataset}")


def published_plan(spec: FigureSpec, options: Options, folder: Path) -> tuple[Plan, dict[str, Any]]:
    """Return the plan of a published figure, with its runs, and the content of its JSON file.

    Raises
    ------
    EvidenceError
        The figure is not published at this scale, or a file is damaged.
    """
    facts = read_facts(folder, spec.id)
    if facts["scale"] != options.scale:
        raise EvidenceError(f"the evidence of {spec.id} is of scale={facts['scale']}, not of scale={options.scale}")
    return EvidencePlanner(folder, spec.id, facts["absent"]).plan(spec, options), facts


def offer(plan: Plan, folder: Path) -> list[str]:
    """Return the line that says that a figure with missing runs is published; empty if it is not, at this scale."""
    figure = plan.spec.id
    if not plan.missing or figure not in published_figures(folder):
        return []
    facts, own = read_facts(folder, figure), solvers.build_info()
    if facts["scale"] != plan.options.scale:
        return []
    builds = [run.result["provenance"]["build"] for run in PublishedStore(folder, figure).runs()]
    same = all((build.get("build_id"), build.get("isa")) == (own["build_id"], own["isa"]) for build in builds)
    which = "this build" if same else "another build"
    return [f"  runs of {which} are published: from=evidence draws and judges them without making any"]


def from_evidence(spec: FigureSpec, options: Options, folder: Path) -> tuple[Plan, Evidence]:
    """Return the plan and the evidence of a published figure; errors are those of `published_plan`."""
    plan, facts = published_plan(spec, options, folder)
    return plan, dataclasses.replace(evidence_of(plan, {}), computed=facts["computed"])


@dataclass(frozen=True)
class Publication:
    """What `publish` has written.

    Attributes
    ----------
    verdict : Verdict
        As judged from the evidence.
    size : int
        Bytes of the figure's two files.
    again : list of str
        Figures whose evidence refers to runs that this figure has replaced: publish them again.
    """

    verdict: Verdict
    size: int
    again: list[str]


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
    evidence, reads = noted(with_computed(evidence_of(plan, {})))
    with tempfile.TemporaryDirectory() as place:  # what make and draw read is published
        build_figure(plan, evidence, Path(place) / figure, command)
    runs: dict[str, FinishedRun] = {}
    columns: dict[str, set[str]] = {}
    for planned_panel in plan.panels:
        for run in planned_panel.runs:
            assert run.found is not None
            key = evidence_key(run.settings)
            runs[key] = run.found
            read = reads.get(planned_panel.paper_dataset, {}).get(run.series, ())
            columns.setdefault(key, {"iterations"}).update(read)
    facts = {
        "scale": plan.options.scale,
        "computed": evidence.computed,
        "absent": evidence.absent_because,
        "command": command,
    }
    with tempfile.TemporaryDirectory() as place:
        draft = Path(place) / "evidence"
        if folder.exists():
            shutil.copytree(folder, draft)
        again = write_evidence(draft, figure, runs, columns, facts)
        plan, evidence = from_evidence(plan.spec, plan.options, draft)
        verdict = build_figure(plan, evidence, Path(place) / figure, command)
        write_verdict(draft, figure, json.loads((Path(place) / figure / "verdict.json").read_bytes()))
        size = check_size(draft, figure)
        folder.mkdir(parents=True, exist_ok=True)
        names = (f"{figure}.parquet", f"{figure}.json")
        for name in names:
            write_file(folder / name, (draft / name).read_bytes())
        write_sums(folder, *names)
    return Publication(verdict, size, again)


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
        As `published_plan`.
    """
    plan, evidence = from_evidence(spec, options, folder)
    published = read_facts(folder, spec.id)["verdict"]
    with tempfile.TemporaryDirectory() as place:
        verdict = build_figure(plan, evidence, Path(place) / spec.id, published["command"])
        judged = json.loads((Path(place) / spec.id / "verdict.json").read_bytes())
    if all(same_values(judged[name], published[name]) for name in ("claims", "numbers")):
        return verdict, False
    then = {name: published[name] for name in ("commit", "dirty", "run_commits", "made", "machine", "versions")}
    write_verdict(folder, spec.id, judged | then | {"judged_at": commit_text(verdict.commit, verdict.dirty) or ""})
    return verdict, True
