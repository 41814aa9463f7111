"""The site shows every figure with the verdict of its scorecard, and a bar of outcomes for each paper."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image

from svm_cost_curves.experiments.reproduction.checks import CHECKS
from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.published import EVIDENCE, EvidenceError, write_sums
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, counted
from svm_cost_curves.experiments.reproduction.report.rendering import heading_anchor
from svm_cost_curves.experiments.reproduction.results import published_claims
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure

ROOT = Path(__file__).resolve().parents[2]
SITE, RESULTS = ROOT / "docs" / "site", ROOT / "docs" / "results"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sphinx", reason="the extra `site` is not installed")
    monkeypatch.syspath_prepend(str(SITE))
    return importlib.import_module("gallery")


def test_every_figure_has_a_card_whose_links_and_pictures_are_there(site: ModuleType) -> None:
    lines = list(site.gallery(SITE))
    assert lines.count('<div class="card">') == len(catalogue())
    for name in catalogue():
        spec = read_figure(name)
        assert any(f"{spec.label}: {spec.title}" in line for line in lines), name
        assert any(f"figure={name}" in line for line in lines), name
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", "\n".join(lines))
    pictures = [link for link in links if link.endswith(".png")]
    assert len(pictures) == len(list(RESULTS.glob("*/*_*.png")))  # without readings.png
    assert [link for link in links if not (SITE / link).is_file()] == []


def test_the_verdict_is_the_scorecards(site: ModuleType, tmp_path: Path) -> None:
    card = {"sbp_fig2": {"anchor": "figure-2-errors", "state": "mixed", "scale": "paper, stand-in data"}}
    (tmp_path / "sbp").mkdir()
    (tmp_path / "sbp" / "scorecard.json").write_text(json.dumps(card), encoding="utf-8")
    lines = list(site.gallery(tmp_path, tmp_path))
    told = lines[lines.index(f"[Figure 2: {read_figure('sbp_fig2').title}](sbp.md#figure-2-errors)") + 1]
    assert told.startswith("**◐ mixed**; scale paper, stand-in data · ")
    assert told.endswith("curves</a> · `figure=sbp_fig2`")
    assert lines[lines.index(f"**Figure 3: {read_figure('sbp_fig3').title}**") + 1].startswith(site.NOT_MADE)
    assert not any("![" in line for line in lines)


@pytest.mark.slow
def test_a_card_shows_a_small_picture(site: ModuleType, tmp_path: Path) -> None:
    assert list(site.gallery(SITE, thumbs=tmp_path))
    for path in tmp_path.glob("*.png"):
        with Image.open(path) as small:
            assert max(small.size) <= site.THUMB
        assert path.stat().st_size < 60_000
    assert len(list(tmp_path.glob("*.png"))) == len(list(RESULTS.glob("*/*_*.png")))


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*/scorecard.json")), ids=lambda path: path.parent.name)
def test_the_scorecards_data_agree_with_its_page(path: Path) -> None:
    lines = path.parent.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    card = json.loads(path.read_text(encoding="utf-8"))
    anchors = [heading_anchor(line.removeprefix("## ")) for line in lines if line.startswith("## ")]
    shown = [entry["anchor"] for entry in card.values()]
    assert shown == [anchor for anchor in anchors if anchor in shown]
    claims = [line for line in lines if re.match(r"### [a-z]+\.", line)]
    assert len(claims) == sum(len(entry["claims"]) for entry in card.values())


def test_the_gallery_says_how_many_published_runs_were_made_again(site: ModuleType, tmp_path: Path) -> None:
    assert site.checked(tmp_path) == ""
    checks = [
        {"figure": "sbp_fig2", "runs": runs, "agree": 5, "made": made, "cpu": "a processor", "cores": 2}
        for runs, made in ((5, "2026-01-02T03:04:05+00:00"), (6, "2026-02-03T03:04:05+00:00"))
    ]
    (tmp_path / CHECKS).write_text(json.dumps(checks), encoding="utf-8")
    write_sums(tmp_path, CHECKS)
    assert site.checked(tmp_path) == (
        "11 published runs were made again, and 10 agree (last on 2026-02-03 03:04 UTC, a processor, 2 cores)."
    )
    (tmp_path / CHECKS).write_text("[{", encoding="utf-8")
    with pytest.raises(EvidenceError, match=CHECKS):
        site.checked(tmp_path)


def test_claims_are_counted(site: ModuleType, tmp_path: Path) -> None:
    cards = {
        "a": {"anchor": "", "state": "mixed", "scale": "paper", "claims": ["reproduced", "mixed", "reproduced"]},
        "b": {"anchor": "", "state": "mostly", "scale": "paper", "claims": []},  # judged by its numbers
    }
    (tmp_path / "scorecard.json").write_text(json.dumps(cards), encoding="utf-8")
    counts = site.outcomes(tmp_path)
    assert counts == {"reproduced": 2, "mixed": 1}
    bar = site.bar(counts)
    assert [int(share) for share in re.findall(r"flex:(\d+)", bar)] == [2, 1]
    assert "✓ 2 reproduced</li>" in bar
    assert "◐ 1 mixed</li><li>of 3 claims</li>" in bar


def test_the_front_page_counts_as_readme_does_and_its_scorecards_are_there(site: ModuleType, tmp_path: Path) -> None:
    for paper, claims in published_claims(EVIDENCE).items():
        signs = Counter[str]()
        for state, count in site.outcomes(RESULTS / paper).items():
            signs[LABELS[state].symbol] += count
        readmes = counted(claims).partition(" of ")[0].split(", ")
        assert sorted(f"{sign} {count}" for sign, count in signs.items()) == sorted(readmes)
    lines = list(site.verdicts(SITE))
    links = [link for line in lines for link in re.findall(r"^\[.+\]\((.+)\),", line)]
    assert len(links) == len(PAPERS) == sum("verdict-bar" in line for line in lines)
    assert all((SITE / link).is_file() for link in links)
    assert sum("No verdict" in line for line in site.verdicts(tmp_path, tmp_path)) == len(PAPERS)
