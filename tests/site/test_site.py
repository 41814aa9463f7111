"""Builds the site as `make site` does: no warnings, no dead links, no browser errors, nothing loaded from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from page_cases import chromium, watched

from svm_cost_curves.experiments.reproduction.spec import catalogue

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/site/index.html", "docs/site/gallery.html", "notebooks/water_filling.html")

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """Links and sources of a page, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                (self.links if tag == "a" else self.loads).append(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="the extra `site` is not installed")
    place = tmp_path_factory.mktemp("site")
    words = ["-m", "sphinx", "-W", "--keep-going", "-c", "docs/site", "-d", str(place / "doctrees"), "."]
    done = subprocess.run(
        [sys.executable, *words, str(place / "html")],
        cwd=ROOT,
        env=os.environ | {"SVM_DATA_CACHE": str(place / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return place / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_no_link_is_dead(pages: dict[Path, Page], site: Path) -> None:
    assert len(pages) > 25
    dead = []
    for path, page in pages.items():
        for link in (*page.links, *page.loads):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = pages[target].anchors if target in pages else None
            if not target.is_file() or (parts.fragment and known is not None and unquote(parts.fragment) not in known):
                dead.append(f"{path.relative_to(site)}: {link}")
    assert dead == []


def test_nothing_comes_from_elsewhere(pages: dict[Path, Page], site: Path) -> None:
    for path, page in pages.items():
        assert [url for url in page.loads if urlsplit(url).scheme not in ("", "data")] == [], path
        assert [url for url in page.loads if url.startswith("//")] == [], path
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )\s*[\"']?(?:https?:)?//", path.read_text(encoding="utf-8")), path


def test_the_pages_have_their_contents(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    assert 'url=docs/site/index.html"' in start
    gallery = (site / PAGES[1]).read_text(encoding="utf-8")
    assert gallery.count('class="card"') == len(catalogue())
    assert gallery.count("<img ") == len(list((ROOT / "docs" / "results").glob("*/*_*.png")))
    assert '<details class="folded">' in (site / "docs/results/sbp.html").read_text(encoding="utf-8")
    notebook = (site / PAGES[2]).read_text(encoding="utf-8")
    assert "<math" in notebook
    assert "<img " in notebook
    assert "8,000 kernel evaluations in 400 iterations" in notebook
    front = (site / PAGES[0]).read_text(encoding="utf-8")
    assert front.count('class="verdict-bar"') == 5
    frame = re.search(r'<iframe[^>]* src="([^"]+)"', front)
    assert frame
    assert 'id="plotly"' in ((site / PAGES[0]).parent / frame[1]).read_text(encoding="utf-8")
    api = (site / "docs/site/api.html").read_text(encoding="utf-8")
    assert 'id="svm_cost_curves.solvers.Problem"' in api
    assert "RowPolicy" in api


@pytest.mark.parametrize("page", PAGES)
def test_a_browser_opens_it_without_errors(site: Path, page: str) -> None:
    with chromium() as browser:
        opened = browser.new_page()
        wrong = watched(opened)
        opened.goto((site / page).as_uri(), wait_until="networkidle")
        assert opened.locator("h1").first.inner_text()
    assert wrong == []
