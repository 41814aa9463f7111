"""The scorecards of docs/results, made from the evidence and never edited."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from svm_cost_curves.experiments.reproduction.checks import counts, in_words, recorded_checks, to_make_again
from svm_cost_curves.experiments.reproduction.drawing import FigureDrawing, draw_all
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.published import (
    EvidenceError,
    checksum,
    figure_runs,
    published_figures,
    read_facts,
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


def draw_published(evidence: Path, figures: Path, jobs: int) -> None:
    """Draw all published figures as they were published: with the commit, the machine and the time of then.

    Parameters
    ----------
    evidence, figures : Path
        Folders.
    jobs : int
        Figures at a time.

    Raises
    ------
    EvidenceError
        There are none, a file is damaged, or this version judges otherwise.
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
    for _ in draw_all(drawings, jobs):
        pass


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
        As `draw_published`; or a run was made with uncommitted changes.
    """
    published = published_figures(evidence)
    runs = {figure: [*figure_runs(evidence, figure).values()] for figure in published}
    _check_commits(runs)
    papers = dict.fromkeys(paper for figure, paper in catalogue().items() if paper and figure in published)
    with tempfile.TemporaryDirectory() as place:
        figures = Path(place)
        draw_published(evidence, figures, jobs)
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
