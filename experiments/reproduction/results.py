"""The scorecards of docs/results, made from the evidence and never edited."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Final

from experiments.reproduction.drawing import FigureDrawing, draw_all
from experiments.reproduction.options import Options
from experiments.reproduction.published import (
    EvidenceError,
    PublishedStore,
    checksum,
    published_figures,
    read_facts,
    read_verified,
)
from experiments.reproduction.report.coverage import coverage_page
from experiments.reproduction.report.figures import collect
from experiments.reproduction.report.labels import moment
from experiments.reproduction.report.pages import notes_on, write_markdown
from experiments.reproduction.report.rendering import render
from experiments.reproduction.spec import catalogue, read_figure
from experiments.reproduction.spot_check import CHECKS, recorded_checks
from support.files import write_file

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
    """Write ``<paper>.md`` of each paper with evidence, the pictures, ``coverage.md`` and ``checks.md``.

    ``sources.json`` gets the checksums of the evidence and of the pages, so that a test notices a page that was edited
    or belongs to other evidence.

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
        As `draw_published`; or the runs are of several builds of the core, or of a tree with uncommitted changes.
    """
    _check_builds(evidence)
    if (evidence / CHECKS).exists():
        read_verified(evidence, CHECKS)
    published = published_figures(evidence)
    papers = dict.fromkeys(paper for figure, paper in catalogue().items() if paper and figure in published)
    with tempfile.TemporaryDirectory() as place:
        figures = Path(place)
        draw_published(evidence, figures, jobs)
        pages = [write_markdown(figures, target, paper) for paper in papers]
        coverage = target / "coverage.md"
        coverage.write_text(coverage_page(collect(figures)), encoding="utf-8")
    checks = target / CHECKS_PAGE
    checks.write_text(
        render("checks.md.j2", checks=recorded_checks(evidence), moment=moment, notes=notes_on("checks")),
        encoding="utf-8",
    )
    sources = {
        "evidence": {name: checksum(evidence / f"{name}.json") for name in published},
        "pages": {path.name: checksum(path) for path in (*pages, coverage, checks)},
    }
    write_file(target / SOURCES, (json.dumps(sources, indent=1) + "\n").encode())
    return [*pages, coverage, checks]


def _check_builds(evidence: Path) -> None:
    builds: dict[str, set[str]] = {}
    changed = set()
    for figure in published_figures(evidence):
        for run in PublishedStore(evidence, figure).runs():
            origin = run.result["provenance"]
            builds.setdefault(origin["build"]["build_id"], set()).add(figure)
            if origin["dirty"]:
                changed.add(figure)
    if len(builds) > 1:
        which = "; ".join(f"{build}: {', '.join(sorted(figures))}" for build, figures in sorted(builds.items()))
        raise EvidenceError(f"the evidence is of {len(builds)} builds of the core, make it again with one: {which}")
    if changed:
        raise EvidenceError(f"runs were made with uncommitted changes, make them again: {', '.join(sorted(changed))}")
