"""The site's front page has a bar of outcomes for each paper."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from svm_cost_curves.experiments.reproduction.citations import PAPERS
from svm_cost_curves.experiments.reproduction.published import EVIDENCE
from svm_cost_curves.experiments.reproduction.report.front import published_claims
from svm_cost_curves.experiments.reproduction.report.labels import LABELS, counted

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    pytest.importorskip("sphinx", reason="the extra `site` is not installed")
    monkeypatch.syspath_prepend(str(SITE))
    return importlib.import_module("verdicts")


def test_claims_are_counted(verdicts: ModuleType, tmp_path: Path) -> None:
    cards = {
        "a": {"anchor": "", "state": "mixed", "scale": "paper", "claims": ["reproduced", "mixed", "reproduced"]},
        "b": {"anchor": "", "state": "mostly", "scale": "paper", "claims": []},  # judged by its numbers
    }
    (tmp_path / "scorecard.json").write_text(json.dumps(cards), encoding="utf-8")
    counts = verdicts.outcomes(tmp_path)
    assert counts == {"reproduced": 2, "mixed": 1}
    bar = verdicts.bar(counts)
    assert [int(share) for share in re.findall(r"flex:(\d+)", bar)] == [2, 1]
    assert "✓ 2 reproduced</li>" in bar
    assert "◐ 1 mixed</li><li>of 3 claims</li>" in bar


@pytest.mark.parametrize("paper", PAPERS)
def test_the_front_page_counts_as_readme_does(verdicts: ModuleType, paper: str) -> None:
    signs = Counter[str]()
    for state, count in verdicts.outcomes(verdicts.RESULTS / paper).items():
        signs[LABELS[state].symbol] += count
    readmes = counted(published_claims(EVIDENCE)[paper])
    assert sorted(f"{sign} {count}" for sign, count in signs.items()) == sorted(
        readmes.partition(" of ")[0].split(", ")
    )


def test_all_papers_are_shown_and_their_scorecards_are_there(verdicts: ModuleType, tmp_path: Path) -> None:
    lines = verdicts.page(SITE)
    links = [link for line in lines for link in re.findall(r"^\[.+\]\((.+)\),", line)]
    assert len(links) == len(PAPERS) == sum("verdict-bar" in line for line in lines)
    assert all((SITE / link).is_file() for link in links)
    assert sum("No verdict" in line for line in verdicts.page(tmp_path, tmp_path)) == len(PAPERS)
