"""Scorecards of a user's own figures, and their index."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from report_cases import described_by, put, report_text, tree, verdict

from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.report.pages import name_of, write_markdown, write_scorecards
from svm_cost_curves.experiments.reproduction.report.rendering import heading_anchor


def test_the_scorecards_list_figures_that_are_made_and_that_are_not(figures: Path, specs: Path, tmp_path: Path) -> None:
    path = write_scorecards(figures, tmp_path / "report")
    assert path == tmp_path / "report" / "README.md"
    assert sorted(path.name for path in path.parent.glob("*.md")) == ["README.md", "coverage.md", "other.md", "sbp.md"]
    assert [figure.id for figure in collect(figures).figures] == [
        "other_fig1",
        "sbp_fig2",
        "sbp_fig9",
        "sbp_table2",
    ]
    index = path.read_text(encoding="utf-8")
    assert index.startswith("# Figures and claims of the papers: \N{CHECK MARK} 2, \N{WHITE CIRCLE} 1 of 3\n")
    assert "3 of 4 figures and tables are made. 1 of the claims are judged at a smaller scale" in index
    text = report_text(path)
    for part in (
        "The Kernelized Stochastic Batch Perceptron",
        "Title of sbp_fig2",
        "python3 reproduce.py figure=sbp_fig9 scale=paper",
        "Something is so.",
        "6.34\N{MULTIPLICATION SIGN}10⁻⁴",
        "The curve lies below.",
        "It does, by 0.2 points.",
        "The interval excludes zero.",
        "2 cases",
        "by 0.2 points",
        "A note.",
        "1 of 1 agree",
    ):
        assert part in text, part
    assert "not made" in text


def test_the_largest_scale_is_shown_and_a_smaller_one_is_named(figures: Path, specs: Path, tmp_path: Path) -> None:
    write_scorecards(figures, tmp_path / "report")
    text = (tmp_path / "report" / "sbp.md").read_text(encoding="utf-8")
    of_figure, of_table = text[text.index("## Figure 2") :].split("## Table 2")
    assert "make paper" in of_figure
    assert "make quick" not in of_figure
    assert "not what the paper did" not in of_figure
    assert "**Scale quick.** A smaller run by the same method, not what the paper did." in of_table


def test_links_have_targets(figures: Path, specs: Path, tmp_path: Path) -> None:
    put(figures, "sbp_odd & #1", "paper", verdict())
    report = tmp_path / "a report"
    write_scorecards(figures, report)
    count = 0
    for page in report.glob("*.md"):
        for link in re.findall(r"\]\(([^)]*)\)", page.read_text(encoding="utf-8")):
            place, _, anchor = link.partition("#")
            target = page.parent / unquote(place) if place else page
            assert target.exists(), link
            count += 1
            if anchor:
                headings = re.findall(r"^#+ (.*)", target.read_text(encoding="utf-8").replace("\\", ""), re.MULTILINE)
                assert anchor in [heading_anchor(heading) for heading in headings], link
    assert count > 15
    assert (report / "../figures/sbp_fig2/paper/figure.pdf").exists()
    assert "(../figures/sbp_fig2/paper)" in (report / "sbp.md").read_text(encoding="utf-8")
    assert str(tmp_path) not in report_text(report / "README.md")


def test_two_reports_on_the_same_figures_are_the_same(figures: Path, specs: Path, tmp_path: Path) -> None:
    (figures / "sbp_fig2" / "paper" / "figure.png").write_bytes(b"no picture")
    for name in ("a", "b"):
        write_scorecards(figures, tmp_path / name)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_without_figures_the_index_has_the_commands(specs: Path, tmp_path: Path) -> None:
    index = write_scorecards(tmp_path / "none", tmp_path / "deep" / "report")
    text = index.read_text(encoding="utf-8")
    assert "0 of 3 figures and tables are made" in text
    assert "`python3 reproduce.py figure=sbp scale=paper`" in text
    assert sorted(tree(index.parent)) == ["README.md", "coverage.md"]
    assert "not made" in write_markdown(collect(tmp_path / "none"), tmp_path, "sbp").read_text(encoding="utf-8")
    with described_by(tmp_path / "nowhere"):
        write_scorecards(tmp_path / "none", tmp_path / "empty")


def test_a_description_that_cannot_be_read_is_named(figures: Path, specs: Path, tmp_path: Path) -> None:
    (specs / "sbp_bad.yaml").write_text("claims: 3\n", encoding="utf-8")
    text = report_text(write_scorecards(figures, tmp_path / "report"))
    assert "sbp_bad.yaml" in text
    assert "The curve lies below." in text


def test_a_failure_leaves_the_earlier_scorecard(
    figures: Path, specs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "report"
    write_scorecards(figures, report)
    before = tree(report)
    (figures / "sbp_fig2" / "paper" / "figure.png").unlink()

    def fails(*_: object, **__: object) -> None:
        raise OSError("no space")

    with monkeypatch.context() as patch:
        patch.setattr("svm_cost_curves.experiments.reproduction.report.pages.write_cases", fails)
        with pytest.raises(OSError, match="no space"):
            write_scorecards(figures, report)
    assert tree(report) == before
    write_scorecards(figures, report)
    assert "sbp/sbp_fig2.png" not in tree(report)


def test_files_of_others_are_kept(figures: Path, specs: Path, tmp_path: Path) -> None:
    target = tmp_path / "report"
    write_scorecards(figures, target)
    (target / "notes.txt").write_text("mine", encoding="utf-8")
    write_scorecards(figures, target)
    assert (target / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_a_readme_of_others_is_refused_and_stays(figures: Path, specs: Path, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "README.md").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"^README\.md was not written by a report: choose another place than"):
        write_scorecards(figures, tmp_path / "project")
    assert tree(tmp_path / "project") == {"README.md": b"mine"}


@given(st.text(max_size=6), st.text(max_size=6))
@example("others", "")
@example("x" * 100, "x" * 5000)
@example("x" * 100 + "a", "x" * 100 + "b")
def test_different_papers_have_files_of_different_names(first: str, second: str) -> None:
    assert (name_of(first) == name_of(second)) == (first == second)
    assert re.fullmatch(r"[\w.-]{1,120}", name_of(first), re.ASCII)


@pytest.mark.parametrize("paper", ["README", "coverage", "x" * 5000, "../../CONTRIBUTING", ""])
def test_a_paper_of_any_name_has_a_scorecard(paper: str, figures: Path, specs: Path, tmp_path: Path) -> None:
    put(figures, "odd", "paper", verdict(paper=paper, label="Figure 1", title="Odd"))
    index = write_scorecards(figures, tmp_path / "report")
    assert "Figures and claims of the papers" in index.read_text(encoding="utf-8")
    assert "# What is tested" in (index.parent / "coverage.md").read_text(encoding="utf-8")
    text = (index.parent / f"{name_of(paper)}.md").read_text(encoding="utf-8")
    assert "Figure 1: Odd" in text
    assert "All of it" not in text
    assert "## A new solver" not in text
