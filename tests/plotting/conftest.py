"""An interactive page in a browser, for tests of its drawing and of its controls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from page_cases import HOSTILE, SHOWN, chromium, some_curves, watched

from svm_cost_curves.experiments.plotting.interactive import curves_page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("a page") / "curves.html"
    path.write_text(curves_page(some_curves(HOSTILE)), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def opened(browser: Any, address: str) -> Iterator[Any]:
    """One page for all tests; it fails if the page loads anything or if a script fails."""
    page = browser.new_page(viewport={"width": 1280, "height": 1200}, color_scheme="light")
    wrong = watched(page)
    page.goto(address)
    page.wait_for_selector(SHOWN)
    yield page
    assert wrong == []


@pytest.fixture
def page(opened: Any) -> Any:
    start = "dataset=adult&measure=test_error&cost=kernel_evaluations&view=mean&xlog=1&ylog=0&whole=0&highlight="
    opened.evaluate("start => { location.hash = start; }", start)
    opened.mouse.move(0, 0)
    opened.evaluate("recall(); state.run = null; draw()")
    return opened
