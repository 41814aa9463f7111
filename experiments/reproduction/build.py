"""Builds a figure from a plan: collects the evidence, draws, judges, and writes the figure's folder."""

from __future__ import annotations

import dataclasses
import importlib
import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...support.files import new_folder
from ...support.text import number_of
from ...support.values import plain
from .. import provenance
from ..plotting import Picture
from ..plotting.interactive import PAGE, NoPlotlyError, curves_page
from ..processes.streams import print_error
from .citations import place_of
from .disturbance import disturbed_runs
from .evidence import Evidence, FigureResult, Panel, as_published
from .options import Options
from .published import EvidenceError, naming_columns, same_values
from .report.curves import page_content
from .report.figures import OWN
from .report.rendering import CASES, render, write_cases
from .verdict import Verdict, as_json

if TYPE_CHECKING:
    from ..processes.outcome import Outcome
    from .plan import Plan, PlannedPanel


def maker_of(name: str) -> Any:
    """Return a figure's module of `experiments.papers`; its ``make(evidence) -> FigureResult`` draws and judges.

    It may also have ``compute(evidence) -> dict``, for what follows from the data and not from the curves. The result
    is JSON-able; `make` gets it as ``evidence.computed``, and loads no data set.
    """
    return importlib.import_module(name)


def evidence_of(plan: Plan, outcomes: Mapping[str, Outcome]) -> Evidence:
    """Collect the runs that a plan has found; `outcomes`, by key, are those of the runs that were just made."""
    panels = tuple(_panel(panel, outcomes) for panel in plan.panels)
    return Evidence(plan.spec, plan.options.scale, panels, plan.absent)


def _panel(panel: PlannedPanel, outcomes: Mapping[str, Outcome]) -> Panel:
    runs = {
        name: tuple(as_published(run.recorded) for run in panel.runs if run.series == name and run.recorded)
        for name in panel.settings
    }
    missing: dict[str, str] = {}
    for name in panel.settings:
        wanted = [run for run in panel.runs if run.series == name]
        if lost := [run.key for run in wanted if run.recorded is None]:
            statuses = Counter(outcomes[key].status if key in outcomes else "not made" for key in lost)
            text = ", ".join(f"{number} {status}" for status, number in sorted(statuses.items()))
            missing[name] = f"of {number_of(len(wanted), 'run')} {text}"
    return Panel(panel.dataset, panel.paper_dataset, panel.stand_in, runs, panel.settings, missing, panel.left_out)


def with_computed(evidence: Evidence) -> Evidence:
    """Return the evidence with what its figure's module computes from the data."""
    compute = getattr(maker_of(evidence.spec.maker), "compute", None)
    # in the form in which it is published, so that a figure made from evidence has the same numbers
    return dataclasses.replace(evidence, computed=plain(compute(evidence), "computed")) if compute else evidence


@naming_columns()
def judge(evidence: Evidence, command: str) -> tuple[FigureResult, Verdict]:
    """Return what a figure's module makes of its evidence, and the verdict; nothing is drawn."""
    result: FigureResult = maker_of(evidence.spec.maker).make(evidence)
    return result, verdict_of(evidence, result, command)


def agree(verdict: Verdict, published: Mapping[str, Any]) -> bool:
    """Whether claims and numbers are judged as in a published verdict.json."""
    judged = as_json(verdict)
    return all(same_values(judged[name], published[name]) for name in ("claims", "numbers"))


def with_origin(verdict: Verdict, published: Mapping[str, Any]) -> Verdict:
    """Return a verdict with commit, machine and time of a published verdict.json in place of the present ones."""
    names = ("commit", "dirty", "run_commits", "made", "machine", "versions", "judged_at")
    return dataclasses.replace(verdict, **{name: published[name] for name in names if name in published})


@naming_columns()
def build_figure(
    evidence: Evidence, options: Options, folder: Path, command: str, published: Mapping[str, Any] | None = None
) -> Verdict:
    """Draw and judge a figure, and write its folder, ``figures/<id>/<scale>``, with the command line for the record.

    The folder is replaced as a whole, but for files that no figure has. With the published verdict.json the verdict
    has its origin (`with_origin`). Raises EvidenceError if the verdict is not the published one, and OSError if the
    folder cannot be written; an earlier one stays.
    """
    result, verdict = judge(evidence, command)
    if published is not None:
        if not agree(verdict, published):
            raise EvidenceError(
                f"{evidence.spec.id} is judged otherwise now than when it was published: publish it again"
            )
        verdict = with_origin(verdict, published)
    notes = small_print(verdict, evidence)
    picture = Picture(result.draw, result.size, verdict.heading, notes)
    with new_folder(folder, OWN) as draft:
        write_texts(draft, result, verdict)
        picture.save(draft / "figure.png", draft / "figure.pdf")
        page = page_content(evidence, options, verdict, notes, (draft / "figure.png").read_bytes())
        if page is not None:
            try:
                (draft / PAGE).write_text(curves_page(page), encoding="utf-8")
            except NoPlotlyError as error:
                print_error(str(error))
        if options.paper is not None:
            picture.save_for_paper(draft / "paper", options.paper)
    return verdict


def write_texts(folder: Path, result: FigureResult, verdict: Verdict) -> None:
    """Write data.csv, cases.csv, table.json, table.md, verdict.json and verdict.md into an empty folder."""

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8")

    result.data.to_csv(folder / "data.csv", index=False)
    if result.table is not None:
        table = result.table()
        write("table.json", _json(dataclasses.asdict(table)))
        write("table.md", render("table.md.j2", table=table))
    write("verdict.json", _json(as_json(verdict)))
    with (folder / CASES).open("w", encoding="utf-8", newline="") as file:
        write_cases(file, verdict.claims)
    write("verdict.md", render("verdict.md.j2", verdict=verdict))


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def verdict_of(evidence: Evidence, result: FigureResult, command: str) -> Verdict:
    """Return the verdict: a maker's claims and numbers, with commit, stand-ins, missing runs and machine."""
    spec, (commit, dirty) = evidence.spec, provenance.git_state(provenance.PROJECT_ROOT)
    made = {_commit_of(record) or "unknown" for record in _records(evidence)}
    scale = spec.scale(evidence.scale)
    return Verdict(
        figure=spec.id,
        scale=evidence.scale,
        stand_in=evidence.stand_ins,
        commit=commit,
        dirty=dirty,
        command=command,
        claims=result.claims,
        numbers=result.numbers,
        absent=spec.missing_data | evidence.absent_because,
        missing={f"{panel.dataset}: {name}": why for panel in evidence.panels for name, why in panel.missing.items()},
        left_out={f"{panel.dataset}: {name}": why for panel in evidence.panels for name, why in panel.left_out.items()},
        run_commits=tuple(sorted(made - {_commit_of({"commit": commit})})),  # those without changes at this commit
        disturbed=disturbed_runs(evidence),
        heading=f"{place_of(spec.label, spec.paper)}: {spec.title}",
        paper=spec.paper,
        label=spec.label,
        title=spec.title,
        data_sets=[panel.dataset for panel in evidence.panels],
        seeds=max([scale.seeds, *scale.seeds_on.values()]),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=provenance.machine(),
        versions=provenance.versions(),
    )


def small_print(verdict: Verdict, evidence: Evidence) -> list[str]:
    """Return the lines below a picture: paper, scale, commit, command; then counts of what verdict.md lists."""
    commit = provenance.commit_text(verdict.commit, verdict.dirty) or "unknown"
    source = place_of(evidence.spec.label, evidence.spec.paper, title=True)
    restrictions = (
        (len(verdict.stand_in), "stand-in", ""),
        (len(verdict.absent), "data set", " not available"),
        (len(verdict.missing), "series", " with runs missing"),
        (len(verdict.left_out), "series", " left out"),
        (len(verdict.disturbed), "data set", " with disturbed timed runs"),
    )
    texts = [f"{number_of(count, name)}{rest}" for count, name, rest in restrictions if count]
    restricted = [f"{', '.join(texts)}: see verdict.md"] if texts else []
    counts = "; ".join([*_runs(evidence), *restricted])
    return [f"{source}; scale {verdict.scale}; commit {commit}; {verdict.command}", *([f"{counts}."] if counts else [])]


def _runs(evidence: Evidence) -> list[str]:
    """Return how many runs there are, on how many machines, of how many builds, and how many at a time."""
    records = _records(evidence)
    if not records:
        return []
    machines = {(record.get("cpu"), record.get("cores"), record.get("memory")) for record in records}
    builds = {(record["build"].get("build_id"), record["build"].get("isa")) for record in records}
    jobs = max(record.get("jobs") or 0 for record in records)
    beside = "" if not jobs else ", one run at a time" if jobs == 1 else f", up to {jobs} runs at a time"
    counts = ((len(records), "run"), (len(machines), "machine"), (len(builds), "build"))
    return [", ".join(number_of(count, name) for count, name in counts) + beside]


def _commit_of(record: Mapping[str, Any]) -> str | None:
    return provenance.commit_text(record.get("commit"), record.get("dirty"), digits=40)


def _records(evidence: Evidence) -> list[Mapping[str, Any]]:
    """Return the provenance of each run."""
    runs = {run.key: run for panel in evidence.panels for members in panel.runs.values() for run in members}
    return [run.result["provenance"] for run in runs.values()]
