"""The gallery of the site shows every figure with the verdict of its scorecard."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from svm_cost_curves.experiments.reproduction.checks import CHECKS
from svm_cost_curves.experiments.reproduction.published import EvidenceError, write_sums
from svm_cost_curves.experiments.reproduction.report.rendering import heading_anchor
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"

CARD = {"sbp_fig2": {"anchor": "figure-2-errors", "state": "mixed", "scale": "paper, stand-in data"}}


@pytest.fixture
def gallery(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sphinx", reason="the extra `site` is not installed")
    monkeypatch.syspath_prepend(str(SITE))
    return importlib.import_module("gallery")


def test_every_figure_has_a_card(gallery: ModuleType) -> None:
    lines = gallery.page(SITE)
    assert lines.count('<div class="card">') == len(catalogue())
    for name in catalogue():
        spec = read_figure(name)
        assert any(f"{spec.label}: {spec.title}" in line for line in lines), name
        assert any(f"figure={name}" in line for line in lines), name


def test_links_and_pictures_are_there(gallery: ModuleType) -> None:
    text = "\n".join(gallery.page(SITE))
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    pictures = [link for link in links if link.endswith(".png")]
    assert len(pictures) == len(list((ROOT / "docs" / "results").glob("*/*_*.png")))  # without readings.png
    assert [link for link in links if not (SITE / link).is_file()] == []


def test_the_verdict_is_the_scorecards(gallery: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "sbp").mkdir()
    (tmp_path / "sbp" / "scorecard.json").write_text(json.dumps(CARD), encoding="utf-8")
    lines = gallery.page(tmp_path, tmp_path)
    link = f"[Figure 2: {read_figure('sbp_fig2').title}](sbp.md#figure-2-errors)"
    assert lines[lines.index(link) + 2].startswith("**◐ mixed**; scale paper, stand-in data · ")
    assert lines[lines.index(link) + 2].endswith("curves</a> · `figure=sbp_fig2`")
    told = lines[lines.index(f"**Figure 3: {read_figure('sbp_fig3').title}**") + 2]
    assert told.startswith(gallery.NOT_MADE)
    assert not any("![" in line for line in lines)


@pytest.mark.slow
def test_a_card_shows_a_small_picture(gallery: ModuleType, tmp_path: Path) -> None:
    gallery.page(SITE, thumbs=tmp_path)
    for path in tmp_path.glob("*.png"):
        with Image.open(path) as small:
            assert max(small.size) <= gallery.THUMB
        assert path.stat().st_size < 60_000
    assert len(list(tmp_path.glob("*.png"))) == len(list((ROOT / "docs" / "results").glob("*/*_*.png")))


def test_a_paper_without_a_scorecard_has_no_verdicts(gallery: ModuleType, tmp_path: Path) -> None:
    assert gallery.scorecard(tmp_path / "sbp") == {}


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs" / "results").glob("*/scorecard.json")), ids=lambda path: path.parent.name
)
def test_the_scorecards_data_agree_with_its_page(path: Path) -> None:
    lines = path.parent.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    card = json.loads(path.read_text(encoding="utf-8"))
    anchors = [heading_anchor(line.removeprefix("## ")) for line in lines if line.startswith("## ")]
    shown = [entry["anchor"] for entry in card.values()]
    assert shown == [anchor for anchor in anchors if anchor in shown]
    claims = [line for line in lines if re.match(r"### [a-z]+\.", line)]
    assert len(claims) == sum(len(entry["claims"]) for entry in card.values())


def test_the_gallery_says_how_many_published_runs_were_made_again(gallery: ModuleType, tmp_path: Path) -> None:
    assert gallery.checked(tmp_path) == []
    checks = [
        {"figure": "sbp_fig2", "runs": runs, "agree": 5, "made": made, "cpu": "a processor", "cores": 2}
        for runs, made in ((5, "2026-01-02T03:04:05+00:00"), (6, "2026-02-03T03:04:05+00:00"))
    ]
    (tmp_path / CHECKS).write_text(json.dumps(checks), encoding="utf-8")
    write_sums(tmp_path, CHECKS)
    assert gallery.checked(tmp_path)[0] == (
        "11 published runs were made again, and 10 agree (last on 2026-02-03 03:04 UTC, a processor, 2 cores)."
    )
    (tmp_path / CHECKS).write_text("[{", encoding="utf-8")
    with pytest.raises(EvidenceError, match=CHECKS):
        gallery.checked(tmp_path)
