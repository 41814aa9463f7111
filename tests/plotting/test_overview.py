"""The list of pages in a folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from svm_cost_curves.experiments.plotting.interactive import write_overview


def page(folder: Path, title: str, made: int) -> None:
    folder.mkdir(parents=True)
    path = folder / "curves.html"
    path.write_text(f"<!doctype html><head><title>{title}</title></head>", encoding="utf-8")
    os.utime(path, (made, made))


def test_pages_are_listed_the_newest_first(tmp_path: Path) -> None:
    page(tmp_path / "2026-01-01 a" / "demo", "SBP &amp; SMO on adult", 1_000_000_000)
    page(tmp_path / "b", "lambda", 1_100_000_000)
    (tmp_path / "b" / "curves.png").touch()
    index = write_overview(tmp_path, "Sweeps")
    assert index == tmp_path / "index.html"
    text = index.read_text(encoding="utf-8")
    links = re.findall(r'href="(.*?)">(.*?)</a>', text)
    assert links == [("b/curves.html", "lambda"), ("2026-01-01%20a/demo/curves.html", "SBP &amp; SMO on adult")]
    assert re.findall(r'src="(.*?)"', text) == ["b/curves.png"]
    assert write_overview(tmp_path, "Sweeps") == index


def test_another_index_stays(tmp_path: Path) -> None:
    page(tmp_path / "a", "t", 1_000_000_000)
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    assert write_overview(tmp_path, "Sweeps") is None
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"
