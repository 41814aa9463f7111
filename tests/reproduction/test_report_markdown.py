from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import png, put, some_figures, some_specs, tree, verdict

from experiments.reproduction.report import write_markdown
from experiments.reproduction.report.markdown import escaped
from experiments.reproduction.report.pictures import LIMIT


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    return some_figures(tmp_path / "figures")


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return some_specs(tmp_path / "specs")


def cells(line: str) -> int:
    return line.replace("\\|", "").count("|") - 1


def test_the_page_for_the_repository(figures: Path, specs: Path, tmp_path: Path) -> None:
    (figures / "sbp_fig2" / "paper" / "figure.png").write_bytes(png(800, 600, noise=True))
    (figures / "sbp_fig2" / "paper" / "verdict.json").write_text(
        json.dumps(verdict(stand_in={"adult": "half | of it"}, machine={"cpu": "a CPU", "cores": 2, "os": "Linux"})),
        encoding="utf-8",
    )
    target = tmp_path / "docs" / "results"
    path = write_markdown(figures, target, "sbp", specs=specs)
    text = path.read_text(encoding="utf-8")
    assert sorted(tree(target)) == ["sbp.md", "sbp/sbp_fig2.png", "sbp/sbp_table2.png"]
    assert max(map(len, tree(target).values())) < LIMIT
    assert tree(target)["sbp/sbp_table2.png"] == png()
    for expected in (
        "# The Kernelized Stochastic Batch Perceptron: scorecard",
        "| [Figure 2](#figure-2-title-of-sbp_fig2) | Title of sbp_fig2 | ✓ reproduced | ✓ reproduced: sbp.1 | 1 of 1",
        "\n## Figure 2: Title of sbp_fig2\n",
        "(sbp/sbp_fig2.png)",
        "- **sbp.1: ✓ reproduced.** The paper says: The curve lies below.\n  - Measured: It does, by 0.2 points.\n",
        "| error | 14.9 % | 14.88 % | ✓ agrees | \N{MINUS SIGN}0.02 | ±0.05 |",
        "- **Stand-in data.** `adult`: half \\| of it",
        "```sh\npython reproduce.py figure=sbp_fig2 scale=paper\n```",
        "- Commit: 3f2a9c1d\n",
        "- Machine: a CPU, 2 cores, Linux",
        "(also made: ✓ reproduced at `quick`, ✓ reproduced at `demo`)",
        "| x \\| y | 1.5 |",
        "○ not made. The command that makes it:\n\n```sh\npython reproduce.py figure=sbp_fig9 scale=paper\n```",
    ):
        assert expected in text, expected
    assert "other" not in text
    assert str(tmp_path) not in text
    for table in text.split("\n\n"):
        if table.startswith("|"):
            assert len({cells(line) for line in table.splitlines()}) == 1
    shutil.rmtree(figures / "sbp_table2")
    write_markdown(figures, target, "sbp", specs=specs)
    assert sorted(tree(target)) == ["sbp.md", "sbp/sbp_fig2.png"]


def test_what_all_figures_were_made_with_is_told_once(tmp_path: Path, specs: Path) -> None:
    same = {"versions": {"numpy": "2.3"}}
    put(tmp_path / "figures", "sbp_fig2", "paper", verdict(machine={"cpu": "one"}, **same))
    put(tmp_path / "figures", "sbp_table2", "paper", verdict(machine={"cpu": "another"}, **same))
    text = write_markdown(tmp_path / "figures", tmp_path, "sbp", specs=specs).read_text(encoding="utf-8")
    assert text.count("numpy 2.3") == 1
    assert text.count("Machine: one") == text.count("Machine: another") == 1


def test_a_paper_without_figures_is_refused(figures: Path, specs: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no figure of the paper 'sbb'; papers with figures: other, sbp"):
        write_markdown(figures, tmp_path / "docs", "sbb", specs=specs)
    assert not (tmp_path / "docs").exists()


@given(st.text(st.sampled_from("ab1 \\`*_[]()<>|~$&#;!:/-.\n") | st.characters(codec="utf-8"), max_size=30))
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    words = " ".join(text.replace("\0", "").split())
    for source in (f"x {escaped(words)}", f"| a | b |\n| --- | --- |\n| x {escaped(words)} | y |"):
        (line,) = [token for token in markdown.parse(source) if token.type == "inline" and token.content[0] == "x"]
        assert {child.type for child in line.children} <= {"text", "text_special"}
        assert "".join(child.content for child in line.children).rstrip() == f"x {words}".rstrip()
