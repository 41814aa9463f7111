"""Curves for interactive pages, and a browser that opens them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.plotting.interactive import Curves, RunCurve, curves_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HOSTILE = (
    """</script><script>document.title = "broken"</script><img src=x onerror="document.title = 'broken'"> 'a' & b"""
)
LOCAL = ("file:", "data:", "blob:")
"""What a page may load."""
SEEDS = 3
SHOWN = "html[data-drawn]"
"""Selector of a page that is drawn."""
LINES = "at('plot').data.filter(trace => trace.series)"
"""Script with the lines of a page's drawing."""


def curve(series: int, seed: int, points: int = 40) -> pd.DataFrame:
    """A falling error; the runs of the first series are evaluated at the same costs, those of others are not."""
    generator = np.random.default_rng([series, seed])
    iterations = np.unique(np.geomspace(1, 10_000, points).round())
    shift = 0 if series == 0 else seed + 1
    error = 0.1 + 0.02 * series + 0.4 / np.sqrt(iterations) + 0.003 * generator.normal(size=len(iterations))
    return pd.DataFrame(
        {
            "iterations": pd.array(iterations.astype(int), dtype="Int64"),
            "kernel_evaluations": pd.array((iterations * 500 + 7 * shift).astype(int), dtype="Int64"),
            "cpu_seconds": np.cumsum(generator.exponential(size=len(iterations))),
            "test_error": error,
            "primal": 2 * error,
            "dual": 0.2 - error / 10,
        }
    )


def reading(
    name: str,
    says: str = "",
    outcome: str = "",
    measured: str = "",
    datasets: Sequence[str] = (),
    series: Sequence[str] = (),
    cost: str = "",
    measure: str = "",
) -> dict[str, Any]:
    words = {"id": name, "says": says, "outcome": outcome, "measured": measured}
    return words | {"datasets": datasets, "series": series, "cost": cost, "measure": measure}


def some_curves(hostile: str = "named") -> Curves:
    """Three solvers with three seeds on two data sets; `hostile` is a name of one and is in other texts."""
    names = ("sbp", "pegasos", hostile)
    runs = [
        RunCurve(
            dataset, name, seed, curve(k + 5 * d, seed), f"python3 run.py algo={name} seed={seed}", {"eta": hostile}
        )
        for d, dataset in enumerate(("adult", "web"))
        for k, name in enumerate(names)
        for seed in range(SEEDS)
    ]
    readings = [
        reading("near", "All solvers count.", "reproduced (2 of 2)", "by 1.0 points", ["adult"], names),
        reading("far", hostile, "mixed (1 of 2)", "by 0.1", ["web"], ["sbp", hostile], "iterations", "primal"),
        reading("none", "Nothing is read.", "not testable here"),
    ]
    picture = BytesIO()
    Image.new("RGB", (30, 20), "white").save(picture, format="PNG")
    return Curves(
        f"A figure {hostile}",
        runs,
        {name: styles_for(names)[name] for name in names},
        {"adult": "Adult"},
        [{"id": "toy.1", "says": "It is lower.", "readings": readings}],
        "Scale demo.",
        f"commit {hostile}",
        [picture.getvalue()],
    )


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser; skips the test where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def watched(page: Any) -> list[str]:
    """Return a list that gets what goes wrong on a page: errors of scripts, and whatever it loads from elsewhere."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.on("request", lambda request: None if request.url.startswith(LOCAL) else wrong.append(request.url))
    return wrong


def curves(dataset: str, series: str) -> list[Any]:
    return [run.curve for run in some_curves(HOSTILE).runs if (run.dataset, run.series) == (dataset, series)]


def opened_page(browser: Any, folder: Path, content: Curves) -> Any:
    path = folder / "curves.html"
    path.write_text(curves_page(content), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    page.goto(path.as_uri())
    page.wait_for_selector(SHOWN)
    return page
