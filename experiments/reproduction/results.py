"""The scorecards of docs/results, made from the evidence and never edited, and the table of README.

That has for each paper its empirical claims by the data, and the claims that are checked.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from ...support.files import temporary_folder, write_file
from .checks import counts, in_words, recorded_checks, to_make_again
from .citations import PAPERS
from .drawing import FigureDrawing, draw_all, reading
from .options import Options
from .published import EvidenceError, checksum, figure_runs, no_evidence, published_figures, read_facts
from .report.changes import changes_page
from .report.coverage import coverage_page
from .report.data_page import data_page
from .report.edition import edition_page
from .report.figures import collect, published_verdict
from .report.labels import counted, moment
from .report.pages import notes_on, write_markdown
from .report.rendering import render
from .spec import catalogue, read_figure
from .verdict import Claim

SOURCES: Final = "sources.json"


def published_drawings(evidence: Path, figures: Path) -> list[FigureDrawing]:
    """Return how all figures published in a folder are drawn into another: as published; EvidenceError if none is."""
    drawings = []
    for name in published_figures(evidence):
        facts = read_facts(evidence, name)
        options, folder = Options(facts["scale"]), figures / name / facts["scale"]
        drawings.append(
            FigureDrawing(read_figure(name), options, evidence, folder, facts["command"], as_published=True)
        )
    if not drawings:
        raise no_evidence(evidence)
    return drawings


def draw_published(evidence: Path, figures: Path, jobs: int) -> None:
    """Draw all published figures into a folder, `jobs` at a time; errors as `published_drawings` and `draw_all`."""
    for _ in draw_all(published_drawings(evidence, figures), jobs):
        pass


def write_results(evidence: Path, target: Path, jobs: int = 1) -> list[Path]:
    """Write ``<paper>.md`` of each paper with evidence, the pictures, and the pages on all papers.

    These are ``coverage.md``, ``data.md``, ``changes.md``, ``edition.md`` and ``checks.md``. ``sources.json`` gets the
    checksums of the evidence and of the pages, so that a test notices an edited page, or one of other evidence. It
    comes last: after a kill the pages that are written do not match it, and the same command writes all of them.

    Figures are drawn `jobs` at a time. Return the pages.

    Raises EvidenceError as `published_drawings` and `draw_all`; or a run was made with uncommitted changes.
    """
    published = published_figures(evidence)
    with reading():
        runs = {figure: [*figure_runs(evidence, figure).values()] for figure in published}
    changed = [name for name, published in runs.items() if any(run.result["provenance"]["dirty"] for run in published)]
    if changed:
        raise EvidenceError(f"runs were made with uncommitted changes, make them again: {', '.join(changed)}")
    checks = recorded_checks(evidence)
    papers = dict.fromkeys(paper for figure, paper in catalogue().items() if paper and figure in published)
    with temporary_folder() as figures:
        draw_published(evidence, figures, jobs)
        with reading("writing pages"):
            collection = collect(figures)
            pages = [write_markdown(collection, target, paper) for paper in papers]
            texts = {
                "coverage.md": coverage_page(collection),
                "data.md": data_page(evidence),
                "changes.md": changes_page(evidence),
                "edition.md": edition_page(evidence),
                "checks.md": render(
                    "checks.md.j2",
                    checks=checks,
                    by_figure=[_counts(check) for check in checks],
                    to_make_again=to_make_again(checks, runs),
                    in_words=in_words,
                    times=_times,
                    moment=moment,
                    notes=notes_on("checks"),
                ),
            }
        for name, text in texts.items():
            if text:
                pages.append(target / name)
                write_file(pages[-1], text.encode())
    sources = {
        "evidence": {name: checksum(evidence / f"{name}.json") for name in published},
        "pages": {path.name: checksum(path) for path in pages},
    }
    write_file(target / SOURCES, (json.dumps(sources, indent=1) + "\n").encode())
    return pages


def _counts(check: Mapping[str, Any]) -> dict[str, Counter[str]]:
    return counts((run["figure"], run["outcome"]) for run in check.get("made_again", ()))


def _times(check: Mapping[str, Any], figure: str) -> str:
    """Return the least and the largest time ratio of a figure's runs."""
    ratios = [run["time_ratio"] for run in check["made_again"] if run["figure"] == figure and run["time_ratio"]]
    return f"{min(ratios):.2f} to {max(ratios):.2f}" if len(ratios) > 1 else "".join(f"{ratio:.2f}" for ratio in ratios)


Group = Literal["paper", "partly", "surrogate", "own", "checked", "untested"]
GROUPS: Final[Mapping[Group, str]] = {
    "paper": "on its data",
    "partly": "partly on its data",
    "surrogate": "on surrogate data",
    "own": "on our own data",
    "checked": "checked",
    "untested": "not testable",
}
"""Columns of the table."""


def group_of(claim: Claim) -> Group:
    """Return the column of a claim: what it is, and for an empirical one on which data its cases were run."""
    if claim.verdict == "not_testable":
        return "untested"
    if claim.type == "checked":
        return "checked"
    origins = set(claim.nearest.data)
    if origins & {"paper", "part"}:
        return "paper" if origins == {"paper"} else "partly"
    return "surrogate" if "surrogate" in origins else "own"


def cells(claims: Sequence[Claim]) -> list[str]:
    """Return a paper's cells of the table, one for each group."""
    chosen = {group: [claim for claim in claims if group_of(claim) == group] for group in GROUPS}
    return [counted(members) if group != "untested" else str(len(members) or "") for group, members in chosen.items()]


def published_claims(evidence: Path) -> dict[str, list[Claim]]:
    """Return the published claims of each of the five papers; EvidenceError if a file is damaged."""
    claims: dict[str, list[Claim]] = {paper: [] for paper in PAPERS}
    papers = catalogue()
    for figure in published_figures(evidence):
        if papers.get(figure) in claims:
            claims[papers[figure]] += published_verdict(evidence, figure).claims
    return claims


def front_table(evidence: Path) -> list[str]:
    """Return the table in Markdown, a line for each paper."""
    rows = [f"| paper | {' | '.join(GROUPS.values())} | claims |", f"| --- |{' --- |' * (len(GROUPS) + 1)}"]
    for paper, claims in published_claims(evidence).items():
        cited = PAPERS[paper]
        name = f"[{cited.name}](docs/results/{paper}.md): {cited.citation}"
        rows.append(f"| {name} | {' | '.join(cells(claims))} | {len(claims)} |")
    return rows


def put_front_table(readme: Path, evidence: Path) -> None:
    """Put the table into README in place of the earlier one; EvidenceError if a file of the evidence is damaged."""
    table = "\n".join(front_table(evidence)) + "\n"
    text = readme.read_text(encoding="utf-8")
    write_file(readme, re.sub(r"^\| paper \| .*\n(\|.*\n)*", lambda _: table, text, flags=re.MULTILINE).encode())
