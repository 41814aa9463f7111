"""Writes the table of README: for each paper its empirical claims by the data, and the claims that are checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.published import published_figures, read_facts
from svm_cost_curves.experiments.reproduction.report.labels import counted
from svm_cost_curves.experiments.reproduction.report.verdict_reader import read_verdict
from svm_cost_curves.experiments.reproduction.spec import catalogue
from svm_cost_curves.experiments.reproduction.verdict import Claim

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
            content = json.dumps(read_facts(evidence, figure)["verdict"]).encode()
            claims[papers[figure]] += read_verdict(content).claims
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
    readme.write_text(
        re.sub(r"^\| paper \| .*\n(\|.*\n)*", lambda _: table, text, flags=re.MULTILINE), encoding="utf-8"
    )
