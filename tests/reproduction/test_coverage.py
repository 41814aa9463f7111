"""Every statement of the papers has an answer, and every claim answers one."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_cases import claim_json, described_by, put, some_specs, verdict

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.report.coverage import CoverageError, coverage_page, read_coverage
from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure


def test_every_paper_is_covered_and_every_claim_answers_a_statement() -> None:
    specs = [read_figure(name) for name, paper in catalogue().items() if paper in PAPERS]
    coverage = read_coverage()
    assert set(coverage) == set(PAPERS)
    for paper, rows in coverage.items():
        figures = [spec for spec in specs if spec.paper == paper]
        claims = {claim.id for spec in figures for claim in spec.claims}
        assert {name for row in rows for name in row.claims} == claims
        assert {row.figure for row in rows if row.figure} <= {spec.id for spec in figures}
        answered = {spec.id for spec in figures if {claim.id for claim in spec.claims}} | {row.figure for row in rows}
        assert answered >= {spec.id for spec in figures}
        assert all(row.place and row.statement for row in rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rows: [{place: Table 1, statement: sizes}]", "'Table 1' has no answer"),
        ("rows: [{place: Table 1, statement: sizes, not_testable: no file}]", "'Table 1' has no answer"),
        ("rows: [{plaice: x}]", "plaice"),
        ("rows: [", "expected"),
    ],
)
def test_a_row_without_an_answer_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "sbp.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(CoverageError, match=message):
        read_coverage(tmp_path)


def test_the_page_shows_the_outcome_of_each_row(tmp_path: Path) -> None:
    rows = """rows:
- {place: "Section 5, Figure 2", statement: "the curve | lies below", claims: [sbp.1, sbp.9]}
- {place: Table 2, statement: sizes, figure: sbp_table2}
- {place: Figure 9, statement: more, figure: sbp_fig9}
- {place: Section 6, statement: it is fast, not_testable: no such machine, needs: the machine of 2012}
"""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "sbp.yaml").write_text(rows, encoding="utf-8")
    claim = claim_json("mostly")
    claim["readings"] *= 2
    put(tmp_path / "figures", "sbp_fig2", "paper", verdict(claims=[claim]))
    put(tmp_path / "figures", "sbp_table2", "paper", verdict(claims=[]))
    with described_by(some_specs(tmp_path / "specs")):
        page = coverage_page(collect(tmp_path / "figures"), tmp_path / "rows")
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    assert lines[2:] == [
        "| Section 5, Figure 2 | the curve \\| lies below | sbp.1 (2 readings)<br>sbp.9 | "
        "◔ mostly reproduced on the paper's data (2 of 2); holds under 0 of 2 readings<br>○ not made |",
        "| Table 2 | sizes | sbp_table2 | 1 of 1 agree |",
        "| Figure 9 | more | sbp_fig9 | ○ not made |",
        "| Section 6 | it is fast | not testable here | no such machine; it takes the machine of 2012 |",
    ]
