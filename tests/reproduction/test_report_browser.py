"""The report in a real browser, opened from disk."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from page_cases import chromium, watched
from report_cases import HOSTILE, claim_json, described_by, png, put, some_figures, some_specs, verdict

from svm_cost_curves.experiments.reproduction.report.pages import write_report

MEASURE = r"""() => {
  const root = document.documentElement, all = selector => [...document.querySelectorAll(selector)];
  const rgb = color => color.match(/[\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = rgb(color).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let at = element; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor, parts = rgb(color);
      if (parts.length < 4 || parts[3] === 1) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const contrast = element => {
    const [a, b] = [getComputedStyle(element).color, ground(element)].map(luminance);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  };
  const shown = all("main *").filter(e => e.getClientRects().length && [...e.childNodes].some(
    n => n.nodeType === 3 && n.textContent.trim()));
  scrollTo({top: root.scrollHeight / 2, behavior: "instant"});
  const side = document.querySelector(".side");
  return {
    overflow: root.scrollWidth - root.clientWidth,
    images: all("img").map(image => image.naturalWidth),
    widths: all("article > figure img").map(image => image.getBoundingClientRect().width),
    files: all("a[href]").filter(a => !a.getAttribute("href").startsWith("#")).map(a => a.href),
    broken: all('a[href^="#"]').filter(a => !document.getElementById(decodeURIComponent(a.hash.slice(1)))).length,
    anchors: all('a[href^="#"]').length,
    folded: all("details.scale").map(details => details.open),
    text: document.body.innerText,
    ground: luminance(ground(document.body)),
    faint: shown.filter(e => contrast(e) < 4.5).map(e => e.outerHTML.slice(0, 200)),
    side: side.getClientRects().length ? side.getBoundingClientRect().top : null,
    scrolled: scrollY,
  };
}"""
OPEN = """async () => {
  for (const details of document.querySelectorAll("details:not(.scale)")) details.open = true;
  for (const image of document.images) image.loading = "eager";
  await Promise.all([...document.images].map(image => image.decode()));
}"""


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
    with described_by(some_specs(place / "specs")):
        return write_report(figures, place / "report").with_name("sbp.html")


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_report_opens_from_disk(report: Path, scheme: str) -> None:
    with chromium() as browser:
        for width in (1280, 800, 360):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            wrong = watched(page)
            page.goto(report.as_uri())
            assert page.evaluate("document.documentElement.scrollHeight") < 2000
            page.evaluate(OPEN)
            seen = page.evaluate(MEASURE)
            assert page.title().endswith("reproduction report")
            assert wrong == []
            page.close()
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
            assert (seen["ground"] < 0.2) == (scheme == "dark")
            assert seen["faint"] == []
            assert seen["scrolled"] > 500
            if width >= 1100:
                assert 0 <= seen["side"] < 100
            else:
                assert seen["side"] is None
