"""``reproduce.py`` with evidence: publishes figures, draws published ones, checks published runs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from experiments.reproduction.listing import shown
from experiments.reproduction.options import DIFFERS, FAULT, NOT_ALL, OK, USER_ERROR, Command, worst
from experiments.reproduction.plan import Planner
from experiments.reproduction.published import EvidenceError, published_figures, read_verified, write_sums
from experiments.reproduction.spec import FigureSpec, catalogue, read_figure
from experiments.reproduction.summary import claims_table, remarks, show
from experiments.run.console import console, meter
from experiments.run.errors import print_error
from experiments.store import Store


def publish_figures(names: Sequence[str], command: Command, store: Store, words: Sequence[str]) -> int:
    """Write the evidence of figures whose runs are in the store; a figure that cannot be published stops no other.

    Figures of no paper are published only where the command names them.
    """
    from experiments.reproduction.publish import publish

    planner = Planner(store)
    statuses = []
    for name in names:
        spec = read_figure(name)
        if not spec.paper and name not in command.figure.split(","):
            continue
        plan = planner.plan(spec, command.options)
        try:
            made = publish(plan, command.evidence, shown(words))
        except EvidenceError as error:
            print_error(f"error: {error}")
            statuses.append(USER_ERROR)
            continue
        print(f"{plan.spec.id}: {made.size / 1e3:,.0f} kB of evidence in {command.evidence}")
        if made.verdict.claims:
            console(sys.stdout).print(claims_table(made.verdict), highlight=False)
        print("\n".join(remarks(made.verdict)), flush=True)
        if made.again:
            print_error(f"publish again, because runs that they share have been replaced: {', '.join(made.again)}")
        statuses.append(OK)
    return worst(statuses)


def judge_figures(names: Sequence[str], command: Command) -> int:
    """Judge published figures with this version, and write the verdicts that differ into the evidence."""
    from experiments.reproduction.publish import judge_again

    specs, status = _published(names, command)
    for spec in specs:
        verdict, written = judge_again(spec, command.options, command.evidence)
        print(f"{spec.id}: {'judged otherwise now: verdict written' if written else 'judged as published'}")
        if written:
            console(sys.stdout).print(claims_table(verdict), highlight=False)
    return status


def publish_results(command: Command) -> int:
    """Write the scorecards of docs/results from the evidence."""
    from experiments.reproduction.results import write_results

    for page in write_results(command.evidence, command.results, command.options.jobs):
        print(f"scorecard: {page}")
    return OK


def write_report(command: Command) -> int:
    """Write the report on the figures that were made, or on those that are published."""
    from experiments.reproduction.report import pages
    from experiments.reproduction.results import draw_published

    with tempfile.TemporaryDirectory() as place:
        figures = Path(place) if command.from_evidence else command.figures
        if command.from_evidence:
            draw_published(command.evidence, figures, command.options.jobs)
        page = pages.write_report(figures, command.report)
        for paper in filter(None, dict.fromkeys(catalogue().values())):
            print(f"scorecard: {pages.write_markdown(figures, command.report, paper)}")
    print(f"report: {page}")
    return OK


def draw_figures(names: Sequence[str], command: Command, words: Sequence[str]) -> int:
    """Draw and judge published figures."""
    from experiments.reproduction.drawing import FigureDrawing, draw_all
    from experiments.reproduction.report.verdict_reader import read_verdict

    specs, status = _published(names, command)
    options, text = command.options, shown(words)
    drawings = [
        FigureDrawing(spec, options, command.evidence, command.figures / spec.id / options.scale, text)
        for spec in specs
    ]
    for drawing in draw_all(drawings, options.jobs):
        verdict = read_verdict((drawing.folder / "verdict.json").read_bytes())
        print(f"{drawing.spec.id}: from evidence")
        show(verdict, drawing.folder)
        status = NOT_ALL if verdict.missing else status
    return status


def check_figures(names: Sequence[str], command: Command, count: int, seed: int, words: Sequence[str]) -> int:
    """Make some published runs again and compare them."""
    from experiments.reproduction.publish import published_plan
    from experiments.reproduction.spot_check import CHECKS, choose_runs, record_check, spot_check, table

    if (command.evidence / CHECKS).exists():
        read_verified(command.evidence, CHECKS)
    specs, _ = _published(names, command)
    published = [
        (spec.id, run)
        for spec in specs
        for run in published_plan(spec, command.options, command.evidence)[0].runs
        if run.found is not None
    ]
    if not published:
        raise EvidenceError(f"there are no published runs of {', '.join(names)} at scale={command.options.scale}")
    progress = meter(console(sys.stderr))
    try:
        result = spot_check(
            choose_runs(published, count, seed), command.options.jobs, ["reproduce.py", *words], progress
        )
    finally:
        progress.close()
    if result.comparisons:
        record_check(command.evidence, ",".join(spec.id for spec in specs), result.comparisons)
        write_sums(command.evidence, CHECKS)
    agree = sum(each.agrees for each in result.comparisons)
    print("\n".join([*table(result.comparisons), f"{agree} of {len(result.comparisons)} runs agree"]))
    for name, why in result.absent.items():
        print_error(f"left out: {name}: {why}")
    for outcome in result.wrong:
        print_error(outcome.line)
    if result.wrong:
        return FAULT
    return DIFFERS if agree < len(result.comparisons) else NOT_ALL if result.absent else OK


def _published(names: Sequence[str], command: Command) -> tuple[list[FigureSpec], int]:
    """Return the published ones of the figures, and the status; one that the command names itself must be published."""
    specs = {name: read_figure(name) for name in names}
    there = set(published_figures(command.evidence)) | set(command.figure.split(","))
    absent = [name for name, spec in specs.items() if spec.id not in there and name not in there]
    if len(absent) == len(names):
        raise EvidenceError(f"there is no evidence of {command.figure} in {command.evidence.name}/")
    if absent:
        print(f"not published: {', '.join(absent)}", flush=True)
    left = [spec for name, spec in specs.items() if name not in absent]
    return left, NOT_ALL if any(specs[name].paper for name in absent) else OK
