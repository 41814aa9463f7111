"""Builds the site as `make site` does: no warnings, no dead links, no browser errors, nothing loaded from elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from waiting import PATIENCE

from svm_cost_curves.experiments.reproduction.spec import catalogue

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
PAGES = ("docs/site/index.html", "docs/site/gallery.html", "notebooks/water_filling.html")

pytestmark = pytest.mark.slow


@dataclass
class Page:
    """Links and sources of a page, and its anchors."""

    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


class Reader(HTMLParser):
    """Collects a `Page` from HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.page.anchors.add(value)
            elif name in ("href", "src") and value:
                (self.page.links if tag == "a" else self.page.loads).append(value)


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
    found = {}
    for path in site.rglob("*.html"):
        reader = Reader()
        reader.feed(path.read_text(encoding="utf-8"))
        found[path] = reader.page
    return found


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
def test_a_browser_opens_it_without_errors(site: Path, page: str, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr"]
    words += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path}", "--virtual-time-budget=10000"]
    told = (site / page).with_name("told.html")  # with an error of its own: without it the console is not read
    said = '<script>console.error("canary")</script>'
    told.write_text((site / page).read_text(encoding="utf-8") + said, encoding="utf-8")
    words += ["--dump-dom", told.as_uri()]
    done = subprocess.run([browser, *words], capture_output=True, text=True, timeout=PATIENCE, check=False)
    told.unlink()
    assert done.returncode == 0, done.stderr[-2000:]
    assert "<h1>" in done.stdout
    (line,) = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    assert "canary" in line
