"""Scorecards, and the pictures in them."""

from __future__ import annotations

import json
import re
import shutil
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from report_cases import HOSTILE, HOSTILE_TABLE, hostile_verdict, png, put, tree, verdict

from svm_cost_curves.experiments.reproduction.evidence import Bold, Table
from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.report.pages import write_markdown
from svm_cost_curves.experiments.reproduction.report.pictures import LIMIT, PictureError, checked, fitted
from svm_cost_curves.experiments.reproduction.report.rendering import escaped, render


def one_line(text: str) -> str:
    """Return a text without control characters and without spaces in a row."""
    return " ".join(re.sub(r"[\0-\x1f\x7f-\x9f]", " ", text).split())


def cells(line: str) -> int:
    return line.replace("\\|", "").count("|") - 1


def test_the_scorecard_of_a_paper(figures: Path, specs: Path, tmp_path: Path) -> None:
    (figures / "sbp_fig2" / "paper" / "figure.png").write_bytes(png(420, 300, noise=True))
    (figures / "sbp_fig2" / "paper" / "verdict.json").write_text(
        json.dumps(verdict(stand_in={"adult": "half | of it"}, machine={"cpu": "a CPU", "cores": 2, "os": "Linux"})),
        encoding="utf-8",
    )
    target = tmp_path / "docs" / "results"
    path = write_markdown(collect(figures), target, "sbp")
    text = path.read_text(encoding="utf-8")
    assert sorted(tree(target)) == [
        "sbp.md",
        "sbp/cases.csv",
        "sbp/readings.png",
        "sbp/sbp_fig2.png",
        "sbp/sbp_table2.png",
        "sbp/scorecard.json",
    ]
    assert json.loads(tree(target)["sbp/scorecard.json"]) == {
        "sbp_fig2": {
            "anchor": "figure-2-title-of-sbp_fig2",
            "state": "reproduced",
            "scale": "paper, stand-in data",
            "claims": ["reproduced"],
        },
        "sbp_table2": {
            "anchor": "table-2-title-of-sbp_table2",
            "state": "reproduced",
            "scale": "quick",
            "claims": [],
        },
    }
    assert max(map(len, tree(target).values())) < LIMIT
    assert tree(target)["sbp/sbp_table2.png"] == png()
    for expected in (
        "# The Kernelized Stochastic Batch Perceptron: scorecard",
        "\n## Empirical claims: ✓ 1 of 1\n",
        "| [sbp.1](#sbp1--reproduced-on-the-papers-data-2-of-2) | The curve lies below. | Adult: by 0.2 points |"
        " ✓ reproduced (2 of 2) | the paper's data |",
        "\n## Figure 2: Title of sbp_fig2\n",
        "(sbp/sbp_fig2.png)",
        "### sbp.1: ✓ reproduced on the paper's data (2 of 2)\n\n"
        'The curve lies below. In the paper\'s words: "outperforms" (section 5).\n',
        "\n- All cases: It does, by 0.2 points.\n- Rule: The interval excludes zero.\n",
        "<details><summary>2 cases</summary>\n\n| case | ruling | measured | note |",
        "| error | 14.9 % | 14.88 % range 14.8, 15 (3 runs) | \N{PLUS-MINUS SIGN}0.5 | ✓ agrees |",
        "- **Stand-in data.** `adult`: half \\| of it",
        "```sh\npython3 reproduce.py figure=sbp_fig2 scale=paper\n```",
        "- Commit: 3f2a9c1d\n",
        "- Machine: a CPU, 2 cores, Linux",
        "| x \\| y | **1.5** |\n\nA note.\n",
        "○ not made. The command that makes it:\n\n```sh\npython3 reproduce.py figure=sbp_fig9 scale=paper\n```",
    ):
        assert expected in text, expected
    assert "other" not in text
    assert str(tmp_path) not in text
    for table in text.split("\n\n"):
        if table.startswith("|"):
            assert len({cells(line) for line in table.splitlines()}) == 1
    shutil.rmtree(figures / "sbp_table2")
    write_markdown(collect(figures), target, "sbp")
    assert sorted(tree(target)) == [
        "sbp.md",
        "sbp/cases.csv",
        "sbp/readings.png",
        "sbp/sbp_fig2.png",
        "sbp/scorecard.json",
    ]


def test_shared_facts_are_written_once(tmp_path: Path, specs: Path) -> None:
    same = {"versions": {"numpy": "2.3"}}
    put(tmp_path / "figures", "sbp_fig2", "paper", verdict(machine={"cpu": "one"}, **same))
    put(tmp_path / "figures", "sbp_table2", "paper", verdict(machine={"cpu": "another"}, **same))
    text = write_markdown(collect(tmp_path / "figures"), tmp_path, "sbp").read_text(encoding="utf-8")
    assert text.count("numpy 2.3") == 1
    assert text.count("Machine: one") == text.count("Machine: another") == 1


def test_a_paper_without_figures_is_refused(figures: Path, specs: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no figure of the paper 'sbb'; papers with figures: other, sbp"):
        write_markdown(collect(figures), tmp_path / "docs", "sbb")
    assert not (tmp_path / "docs").exists()


def test_a_folder_with_files_of_others_is_refused_and_stays(figures: Path, specs: Path, tmp_path: Path) -> None:
    (tmp_path / "docs" / "sbp").mkdir(parents=True)
    (tmp_path / "docs" / "sbp" / "thesis.tex").write_text("mine", encoding="utf-8")
    with pytest.raises(FileExistsError, match=r"sbp/thesis\.tex was not written by a report: choose another place"):
        write_markdown(collect(figures), tmp_path / "docs", "sbp")
    assert tree(tmp_path / "docs") == {"sbp/thesis.tex": b"mine"}


def test_markdown_and_html_in_texts_are_escaped(tmp_path: Path, specs: Path) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    put(tmp_path / "figures", "sbp_fig2", "paper", hostile_verdict(), table=HOSTILE_TABLE)
    text = write_markdown(collect(tmp_path / "figures"), tmp_path, "sbp").read_text(encoding="utf-8")
    tokens = markdown.parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not {token.type for token in (*tokens, *inline)} & {"html_inline", "em_open", "s_open"}
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    assert all(re.fullmatch(r"<details><summary>[^<]*</summary>|</details>", block) for block in blocks)
    assert len(blocks) == 2 * blocks.count("</details>")
    shown = ["".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"]
    assert sum(line.count(HOSTILE) for line in shown) >= 14


texts = st.text(st.sampled_from("ab1 \\`*_[]()<>|~$&#;!:/-.\n") | st.characters(codec="utf-8"), max_size=12)


@given(st.lists(st.lists(texts | st.builds(Bold, texts), min_size=2, max_size=2), min_size=1, max_size=3), texts)
def test_a_table_is_read_back_as_it_was(rows: list[list[str | Bold]], note: str) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(render("table.md.j2", table=Table(["a", "b"], rows, [f"x{note}", note, "end"])))
    shown = ["".join(child.content for child in token.children or ()) for token in tokens if token.type == "inline"]
    cells = [cell.bold if isinstance(cell, Bold) else cell for row in rows for cell in row]
    plain = [one_line(text) for text in ("a", "b", *cells, f"x{note}", note)]
    assert shown == [*plain[: 2 + len(cells)], *filter(None, plain[2 + len(cells) :]), "end"]
    strong = [child for token in tokens for child in token.children or () if child.type == "strong_open"]
    assert len(strong) == sum(isinstance(cell, Bold) and bool(one_line(cell.bold)) for row in rows for cell in row)


@given(st.text(st.sampled_from("ab1 \\`*_[]()<>|~$&#;!:/-.\n") | st.characters(codec="utf-8"), max_size=30))
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    markdown = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable(["table", "strikethrough"])
    words = one_line(text)
    for source in (f"x {escaped(words)}", f"| a | b |\n| --- | --- |\n| x {escaped(words)} | y |"):
        (line,) = [token for token in markdown.parse(source) if token.type == "inline" and token.content[0] == "x"]
        assert {child.type for child in line.children} <= {"text", "text_special"}
        assert "".join(child.content for child in line.children).rstrip() == f"x {words}".rstrip()


def test_a_picture_below_the_limit_is_unchanged() -> None:
    small = png()
    assert fitted(small) == small
    lines = png(900, 700)
    fewer = fitted(lines, limit=len(lines))
    assert len(fewer) < len(lines)
    with Image.open(BytesIO(lines)) as before, Image.open(BytesIO(fewer)) as after:
        assert after.size == (900, 700)
        assert np.array_equal(np.asarray(before), np.asarray(after.convert("RGB")))


@pytest.mark.parametrize("limit", [80_000, 8_000, 500])
def test_noise_is_shrunk(limit: int) -> None:
    noise = png(420, 300, noise=True)
    assert len(noise) > LIMIT > limit
    small = fitted(noise, limit)
    with Image.open(BytesIO(small)) as image:
        width, height = image.size
    assert len(small) < limit
    assert width < 420
    assert width / height == pytest.approx(1.4, rel=0.1)
    assert fitted(noise, limit) == small


def test_transparent_pixels_become_white() -> None:
    image = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 60, 4), dtype=np.uint8))
    image.putalpha(0)
    stream = BytesIO()
    image.save(stream, format="PNG")
    with Image.open(BytesIO(fitted(stream.getvalue(), 2000))) as after:
        assert np.all(np.asarray(after.convert("RGB")) == 255)


@pytest.mark.parametrize("data", [b"", b"GIF89a", png()[:50], png()[:-30], b"\x89PNG\r\n\x1a\n" + b"0" * 99])
def test_bytes_that_are_not_a_picture_are_refused(data: bytes) -> None:
    with pytest.raises(PictureError):
        checked(data)
