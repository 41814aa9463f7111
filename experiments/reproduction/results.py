"""The scorecards of docs/results, made from the evidence and never edited."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from svm_cost_curves.experiments.provenance import program_checksum
from svm_cost_curves.experiments.reproduction.checks import counts, in_words, recorded_checks, to_make_again
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.drawing import FigureDrawing, draw_all, reading
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.output import INPUTS
from svm_cost_curves.experiments.reproduction.published import (
    TABLES,
    EvidenceError,
    checksum,
    figure_runs,
    published_figures,
    read_facts,
    read_sums,
)
from svm_cost_curves.experiments.reproduction.report.changes import changes_page
from svm_cost_curves.experiments.reproduction.report.coverage import coverage_page
from svm_cost_curves.experiments.reproduction.report.data_page import data_page
from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.report.labels import moment
from svm_cost_curves.experiments.reproduction.report.pages import notes_on, write_markdown
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure
from svm_cost_curves.support.files import write_file

SOURCES: Final = "sources.json"
CHECKS_PAGE: Final = "checks.md"


def published_drawings(evidence: Path, figures: Path) -> list[FigureDrawing]:
    """Return how all published figures are drawn: with the commit, the machine and the time of the publication.

    Parameters
    ----------
    evidence, figures : Path
        Folders.

    Raises
    ------
    EvidenceError
        There are none, or a file is damaged.
    """
    names = published_figures(evidence)
    if not names:
        raise EvidenceError(f"there is no evidence in {evidence.name}/")
    drawings = []
    for name in names:
        facts = read_facts(evidence, name)
        options, folder = Options(facts["scale"]), figures / name / facts["scale"]
        drawings.append(
            FigureDrawing(read_figure(name), options, evidence, folder, facts["command"], as_published=True)
        )
    return drawings


def draw_papers(drawings: Sequence[FigureDrawing], jobs: int) -> Iterator[str]:
    """Draw published figures, but for those that are there from the same evidence by the same program.

    Yields
    ------
    str
        A paper, when all of its figures are there.

    Raises
    ------
    EvidenceError
        As `draw_all`.
    """
    order = [*PAPERS, *(drawing.spec.paper for drawing in drawings)]
    left = sorted(drawings, key=lambda drawing: order.index(drawing.spec.paper))
    sums = {drawing.label: inputs_of(drawing.evidence, drawing.label) for drawing in left}
    changed = [drawing for drawing in left if _text_of(drawing.folder / INPUTS) != sums[drawing.label]]
    waiting = Counter(drawing.spec.paper for drawing in changed)
    yield from (paper for paper in dict.fromkeys(drawing.spec.paper for drawing in left) if not waiting[paper])
    for drawing, _ in draw_all(changed, jobs):
        (drawing.folder / INPUTS).write_text(sums[drawing.label], encoding="ascii")
        waiting[drawing.spec.paper] -= 1
        if not waiting[drawing.spec.paper]:
            yield drawing.spec.paper


def inputs_of(evidence: Path, figure: str) -> str:
    """Return the checksum of all that a published figure is drawn from: its evidence and the program."""
    tables = read_facts(evidence, figure)["tables"]
    names = [f"{figure}.json", *(f"{tables}/{name}.parquet" for name in TABLES)]
    sums = read_sums(evidence)
    return hashlib.sha256("".join([program_checksum(), *(sums.get(name, "") for name in names)]).encode()).hexdigest()


def _text_of(path: Path) -> str:
    return path.read_text(encoding="ascii", errors="replace") if path.is_file() else ""


def write_results(evidence: Path, target: Path, jobs: int = 1) -> list[Path]:
    """Write ``<paper>.md`` of each paper with evidence, the pictures, and the pages on all papers.

    These are ``coverage.md``, ``data.md``, ``changes.md`` and ``checks.md``. ``sources.json`` gets the checksums of the
    evidence and of the pages, so that a test notices a page that was edited or belongs to other evidence.

    Parameters
    ----------
    evidence, target : Path
        Folders.
    jobs : int
        Figures at a time.

    Returns
    -------
    list of Path
        The pages.

    Raises
    ------
    EvidenceError
        As `published_drawings` and `draw_all`; or a run was made with uncommitted changes.
    """
    published = published_figures(evidence)
    with reading():
        runs = {figure: [*figure_runs(evidence, figure).values()] for figure in published}
    _check_commits(runs)
    papers = dict.fromkeys(paper for figure, paper in catalogue().items() if paper and figure in published)
    with tempfile.TemporaryDirectory() as place:
        figures = Path(place)
        for _ in draw_all(published_drawings(evidence, figures), jobs):
            pass
        with reading("writing pages"):
            pages = [write_markdown(figures, target, paper) for paper in papers]
            texts = {
                "coverage.md": coverage_page(collect(figures)),
                "data.md": data_page(evidence),
                "changes.md": changes_page(evidence),
            }
        for name, text in texts.items():
            if text:
                pages.append(target / name)
                pages[-1].write_text(text, encoding="utf-8")
    checks, recorded = target / CHECKS_PAGE, recorded_checks(evidence)
    page = render(
        "checks.md.j2",
        checks=recorded,
        by_figure=[_counts(check) for check in recorded],
        to_make_again=to_make_again(recorded, runs),
        in_words=in_words,
        times=_times,
        moment=moment,
        notes=notes_on("checks"),
    )
    checks.write_text(page, encoding="utf-8")
    sources = {
        "evidence": {name: checksum(evidence / f"{name}.json") for name in published},
        "pages": {path.name: checksum(path) for path in (*pages, checks)},
    }
    write_file(target / SOURCES, (json.dumps(sources, indent=1) + "\n").encode())
    return [*pages, checks]


def _check_commits(runs: Mapping[str, Sequence[Run]]) -> None:
    changed = [figure for figure, own in runs.items() if any(run.result["provenance"]["dirty"] for run in own)]
    if changed:
        raise EvidenceError(f"runs were made with uncommitted changes, make them again: {', '.join(changed)}")


def _counts(check: Mapping[str, Any]) -> dict[str, Counter[str]]:
    return counts((run["figure"], run["outcome"]) for run in check.get("made_again", ()))


def _times(check: Mapping[str, Any], figure: str) -> str:
    """Return the least and the largest time ratio of a figure's runs."""
    ratios = [run["time_ratio"] for run in check["made_again"] if run["figure"] == figure and run["time_ratio"]]
    return f"{min(ratios):.2f} to {max(ratios):.2f}" if len(ratios) > 1 else "".join(f"{own:.2f}" for own in ratios)
