"""``reproduce.py`` with evidence: publishes figures, writes the report, checks published runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

from ...support.files import temporary_folder
from ...support.text import number_of
from ..processes.streams import print_error
from ..run.console import console
from ..run.meter import meter
from ..store import Store
from .drawing import claims_table, figure_command, published_specs, reading, remarks
from .options import DIFFERS, FAULT, NOT_ALL, OK, USER_ERROR, Command, worst
from .plan import Planner
from .published import EvidenceError, check_default
from .spec import read_figure


def publish_figures(names: Sequence[str], command: Command, store: Store, arguments: Sequence[str]) -> int:
    """Write the evidence of figures whose runs are in the store; a figure that cannot be published stops no other.

    Figures of no paper are published only where the command names them.
    """
    from .publish import publish

    check_default("evidence", command.evidence)
    planner = Planner(store.find_all_finished)
    statuses = []
    for name in names:
        spec = read_figure(name)
        if not spec.paper and name not in command.figure.split(","):
            continue
        plan = planner.plan(spec, command.options)
        try:
            verdict, size = publish(plan, command.evidence, figure_command(arguments))
        except EvidenceError as error:
            print_error(f"error: {error}")
            statuses.append(USER_ERROR)
            continue
        print(f"{plan.spec.id}: published; {size / 1e6:.1f} MB of evidence in {command.evidence}")
        if verdict.claims:
            console(sys.stdout).print(claims_table(verdict), highlight=False)
        print("\n".join(remarks(verdict)), flush=True)
    return worst(statuses)


def judge_figures(names: Sequence[str], command: Command) -> int:
    """Judge published figures with this version, and write the verdicts that differ into the evidence."""
    from .publish import judge_again

    specs, status = published_specs(names, command)
    for spec in specs:
        verdict, written = judge_again(spec, command.options, command.evidence)
        print(f"{spec.id}: {'judged otherwise now: verdict written' if written else 'judged as published'}")
        if written:
            console(sys.stdout).print(claims_table(verdict), highlight=False)
    return status


def publish_results(command: Command) -> int:
    """Write the scorecards of docs/results from the evidence, and the table of README if they are the project's."""
    from ..provenance import PROJECT_ROOT
    from .published import RESULTS
    from .results import put_front_table, write_results

    check_default("results", command.results)
    for page in write_results(command.evidence, command.results, command.options.jobs):
        print(f"scorecard: {page}")
    if command.results == RESULTS:
        put_front_table(PROJECT_ROOT / "README.md", command.evidence)
    return OK


def write_report(command: Command) -> int:
    """Write the scorecards of the figures that were made, or of the figures that are published."""
    from .report.pages import write_scorecards
    from .results import draw_published

    with temporary_folder() if command.from_ else contextlib.nullcontext(command.figures) as figures:
        if command.from_:
            draw_published(command.evidence, figures, command.options.jobs)
        with reading("writing pages"):
            index = write_scorecards(figures, command.report, linked=not command.from_)
    print(f"report: {index}")
    return OK


def check_figures(names: Sequence[str], command: Command, arguments: Sequence[str]) -> int:
    """Make some published runs again and compare them."""
    from . import checks, spot_check
    from .publish import published_plan

    specs, _ = published_specs(names, command)
    plans = [published_plan(spec, command.options, command.evidence) for spec in specs]
    candidates = [candidate for plan in plans for candidate in spot_check.candidates_of(plan)]
    if not candidates:
        raise EvidenceError(f"there are no published runs of {', '.join(names)} at scale={command.options.scale}")
    if command.runs is None:
        drawn = spot_check.choose_each(candidates, command.seed)
    else:
        drawn = spot_check.choose_runs(candidates, command.runs, command.seed)
    chosen = spot_check.with_differing(drawn, candidates, checks.recorded_checks(command.evidence))
    jobs, count = command.options.jobs, len({candidate.run.key for candidate in chosen})
    cases, whole = (len({candidate.case for candidate in runs}) for runs in (chosen, candidates))
    published = len({candidate.run.key for candidate in candidates})
    are = "is" if published == 1 else "are"
    print(
        f"{count:,} of {number_of(published, 'published run')} {are} made again, {jobs} at a time; they cover "
        f"{cases:,} of {number_of(whole, 'case')} of a figure, a solver and a data set",
        flush=True,
    )
    progress = meter(console(sys.stderr))
    try:
        recorded = ["reproduce.py", *arguments]
        made, absent, wrong = spot_check.spot_check(chosen, jobs, recorded, progress, command.again)
    finally:
        progress.close()
    if made:
        checks.record_check(command.evidence, ",".join(spec.id for spec in specs), made)
    agree = sum(comparison.agrees for comparison in made)
    lines = checks.by_figure if command.runs is None else checks.table
    print("\n".join([*lines(made), f"{agree} of {number_of(len(made), 'run')} agree"]))
    there = {candidate.figure for candidate in chosen}
    if command.runs is None and (left := [spec.id for spec in specs if spec.id not in there]):
        print(f"not checked, as all their runs are timed or long, or they have none: {', '.join(left)}")
    for name, why in absent.items():
        lost = sum(candidate.run.settings.dataset.name == name for candidate in chosen)
        print_error(f"left out: {name}, {number_of(lost, 'run')}: {why}")
    for outcome in wrong:
        print_error(outcome.line)
    if wrong:
        return FAULT
    return DIFFERS if agree < len(made) else NOT_ALL if absent else OK
