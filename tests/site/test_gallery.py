"""The gallery of the site: every figure, with what its scorecard says of it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

from experiments.reproduction.spec import catalogue, read_figure

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"

CARD = """# A paper: scorecard

| figure | shows | verdict | claims | numbers | scale |
| --- | --- | --- | --- | --- | --- |
| [Figure 2](#figure-2-errors) | Errors | ◐ partly | ✓ reproduced: sbp.1 | 1 of 2 agree | paper, stand-in data |

| data set | b |
| --- | --- |
| Adult | 1 |
"""


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sphinx", reason="the extra `site` is not installed")
    monkeypatch.syspath_prepend(str(SITE))
    return importlib.import_module("gallery")


def test_every_figure_has_a_section(gallery: ModuleType) -> None:
    lines = gallery.page(SITE)
    for name in catalogue():
        spec = read_figure(name)
        assert f"### {spec.label}: {spec.title}" in lines
        assert any(f"figure={name}" in line for line in lines), name


def test_links_and_pictures_are_there(gallery: ModuleType) -> None:
    text = "\n".join(gallery.page(SITE))
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    pictures = [link for link in links if link.endswith(".png")]
    assert len(pictures) == len(list((ROOT / "docs" / "results").glob("*/*.png")))
    assert [link for link in links if not (SITE / link).is_file()] == []


def test_the_verdict_is_the_scorecards(gallery: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "sbp.md").write_text(CARD, encoding="utf-8")
    assert list(gallery.scorecard(tmp_path / "sbp.md")) == ["Figure 2"]
    lines = gallery.page(tmp_path, tmp_path)
    told = lines[lines.index(f"### Figure 2: {read_figure('sbp_fig2').title}") + 2]
    assert told == (
        "**◐ partly**; scale paper, stand-in data. [Claims and numbers](sbp.md#figure-2-errors). `figure=sbp_fig2`"
    )
    told = lines[lines.index(f"### Figure 3: {read_figure('sbp_fig3').title}") + 2]
    assert told.startswith(gallery.NOT_MADE)
    assert not any(line.startswith("![") for line in lines)


def test_a_paper_without_a_scorecard_has_no_verdicts(gallery: ModuleType, tmp_path: Path) -> None:
    assert gallery.scorecard(tmp_path / "sbp.md") == {}
