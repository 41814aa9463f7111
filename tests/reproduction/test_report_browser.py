"""The report in a real browser, opened from disk."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from report_cases import HOSTILE, claim_json, png, put, some_figures, some_specs, verdict
from waiting import PATIENCE

from svm_cost_curves.experiments.reproduction.report.pages import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WIDTHS = (1280, 800, 360)

# The script writes what each frame shows into the page around it; --dump-dom prints that page.
HARNESS = """<!doctype html><meta charset="utf-8">
<style>iframe { border: 0; height: 900px }</style>
%s
<pre id="seen"></pre>
<script>
function rgb(color) { return color.match(/[\\d.]+/g).map(Number); }
function luminance(color) {
  const [r, g, b] = rgb(color).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function ground(element, view) {
  for (let at = element; at; at = at.parentElement) {
    const color = view.getComputedStyle(at).backgroundColor, parts = rgb(color);
    if (parts.length < 4 || parts[3] === 1) return color;
  }
  return "rgb(255, 255, 255)";
}
function contrast(element, view) {
  const [a, b] = [view.getComputedStyle(element).color, ground(element, view)].map(luminance);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}
function measure(frame) {
  const page = frame.contentDocument, view = frame.contentWindow, root = page.documentElement;
  const all = selector => [...page.querySelectorAll(selector)];
  const shown = all("main *").filter(e => e.getClientRects().length && [...e.childNodes].some(
    n => n.nodeType === 3 && n.textContent.trim()));
  const seen = {
    title: page.title,
    overflow: root.scrollWidth - root.clientWidth,
    images: all("img").map(image => image.complete ? image.naturalWidth : 0),
    widths: all("article > figure img").map(image => image.getBoundingClientRect().width),
    files: all("a[href]").filter(a => !a.getAttribute("href").startsWith("#")).map(a => a.href),
    broken: all('a[href^="#"]').filter(a => !page.getElementById(decodeURIComponent(a.hash.slice(1)))).length,
    anchors: all('a[href^="#"]').length,
    folded: all("details.scale").map(details => details.open),
    text: page.body.innerText,
    dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
    ground: luminance(ground(page.body, view)),
    faint: shown.filter(e => contrast(e, view) < 4.5).map(e => e.outerHTML.slice(0, 200)),
  };
  view.scrollTo({top: root.scrollHeight / 2, behavior: "instant"});
  const side = page.querySelector(".side");
  seen.side = side.getClientRects().length ? side.getBoundingClientRect().top : null;
  seen.scrolled = view.scrollY;
  return seen;
}
window.onload = async () => {
  console.error("canary");
  const frames = [...document.querySelectorAll("iframe")];
  const lengths = frames.map(frame => frame.contentDocument.documentElement.scrollHeight);
  for (const page of frames.map(frame => frame.contentDocument)) {
    for (const details of page.querySelectorAll("details:not(.scale)")) details.open = true;
    for (const image of page.images) image.loading = "eager";
    const loading = [...page.images].filter(image => !image.complete);
    await Promise.all(loading.map(image => new Promise(done => { image.onload = image.onerror = done; })));
  }
  const seen = frames.map((frame, place) => ({ ...measure(frame), length: lengths[place] }));
  document.getElementById("seen").textContent = JSON.stringify(seen);
};
</script>
"""


@pytest.fixture(scope="module")
def browser() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    return found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("a report")
    figures = some_figures(place / "figures")
    outcomes = ("mixed", "contradicted", "not_testable")
    for scale, content in (
        ("paper", verdict(title=HOSTILE, command=HOSTILE + "x" * 300, stand_in={"adult": HOSTILE})),
        ("demo", verdict(claims=[claim_json(outcome) for outcome in outcomes])),
    ):
        table = {"columns": ["a wide column"] * 12, "rows": [["1.5"] * 12]}
        folder = put(figures, "sbp_odd #1 & 100%", scale, content, table=table)
        (folder / "figure.png").write_bytes(png(1800, 1050))
    (figures / "sbp_table2" / "quick" / "figure.png").unlink()
    return write_report(figures, place / "report", specs=some_specs(place / "specs")).with_name("sbp.html")


def open_in_browser(browser: str, report: Path, place: Path, *options: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return what each frame shows, and the lines of the browser's console."""
    frames = "".join(f'<iframe src="{report.as_uri()}" style="width: {width}px"></iframe>' for width in WIDTHS)
    (place / "harness.html").write_text(HARNESS % frames, encoding="utf-8")
    words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    words += ["--allow-file-access-from-files", "--enable-logging=stderr", f"--user-data-dir={place / 'profile'}"]
    words += ["--window-size=1400,1000", "--virtual-time-budget=10000", *options, "--dump-dom"]
    uri = (place / "harness.html").as_uri()
    done = subprocess.run([browser, *words, uri], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    written = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout, re.DOTALL)
    assert written, done.stdout[-2000:]
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(html.unescape(written[1])), console


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_report_opens_from_disk(browser: str, report: Path, tmp_path: Path, scheme: str) -> None:
    option = f"--blink-settings=preferredColorScheme={('dark', 'light').index(scheme)}"
    frames, console = open_in_browser(browser, report, tmp_path, option)
    assert len(console) == 1, console
    assert "canary" in console[0]
    assert len(frames) == len(WIDTHS)
    for width, seen in zip(WIDTHS, frames, strict=True):
        assert seen["title"].endswith("reproduction report")
        assert seen["length"] < 2000
        for text in ("It does, by 0.2 points.", "Something is so.", "Incomplete. figure.png is missing.", HOSTILE):
            assert text in seen["text"], text
        assert seen["overflow"] == 0
        assert len(seen["images"]) == 7
        assert min(seen["images"]) > 0
        assert max(seen["widths"]) > 0.7 * min(width - 300 if width > 1100 else width, 900)
        assert seen["anchors"] > 3
        assert seen["broken"] == 0
        files = [Path(unquote(urlsplit(link).path)) for link in seen["files"]]
        assert len([path for path in files if path.name == "data.csv"]) == 6
        assert all(path.is_relative_to(report.parent) and path.is_file() for path in files)
        assert seen["folded"] == [False] * 3
        assert (seen["ground"] < 0.2) == seen["dark"]
        assert seen["faint"] == []
        assert seen["scrolled"] > 500
        if width >= 1100:
            assert 0 <= seen["side"] < 100
        else:
            assert seen["side"] is None
