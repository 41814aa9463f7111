"""Interactive pages in a real browser, by clicks, keys and the pointer."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_cases import HOSTILE, SEEDS, chromium, curve, some_curves

from svm_cost_curves.experiments.curve import column, cost_to_reach, mean_over_runs
from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.plotting.interactive import Curves, RunCurve, curves_page

SHOWN = "html[data-drawn]"
LINES = "at('plot').data.filter(trace => trace.hoverinfo !== 'skip')"


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
    wrong: list[str] = []
    page.on(
        "request",
        lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "data:", "blob:")) else None,
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(address)
    page.wait_for_selector(SHOWN)
    yield page
    assert wrong == []


@pytest.fixture
def page(opened: Any) -> Any:
    start = "dataset=adult&measure=test_error&cost=kernel_evaluations&view=mean&xlog=1&ylog=0&whole=0&highlight="
    opened.evaluate("start => { location.hash = start; }", start)
    opened.evaluate("recall(); state.target = state.run = null; at('filter').value = ''; draw()")
    return opened


def curves(dataset: str, series: str) -> list[Any]:
    return [run.curve for run in some_curves(HOSTILE).runs if (run.dataset, run.series) == (dataset, series)]


@pytest.mark.parametrize("cost", ["kernel_evaluations", "cpu_seconds"])
def test_means_are_those_of_the_static_picture(page: Any, cost: str) -> None:
    page.select_option("#cost", cost)
    for k, name in enumerate(("sbp", "pegasos", HOSTILE)):
        mean = page.evaluate("k => meanOf(curvesOf(k, 0))", k)
        expected = mean_over_runs(curves("adult", name), cost=cost, measure="test_error")
        np.testing.assert_allclose(mean["x"], expected["cost"], rtol=1e-4)
        # a geometric cost may lie on the other side of an evaluation, after rounding to five digits
        assert np.isclose(mean["y"], expected["mean"], rtol=1e-3).mean() > 0.9
        assert np.isclose(mean["sd"], expected["sd"], atol=3e-5).mean() > 0.9
        drawn = page.evaluate(f"k => {LINES}[k].y", k)
        np.testing.assert_allclose(drawn, 100 * np.array(mean["y"]), rtol=1e-12)


def test_arithmetic(page: Any) -> None:
    step = "({x: [1, 10, 100], y: [3, 2, 1]})"
    assert page.evaluate(f"valuesAt({step}, [0.5, 1, 9, 10, 1e9]).slice(1)") == [3, 3, 2, 1]
    assert page.evaluate(f"Number.isNaN(valuesAt({step}, [0.5])[0])")
    assert page.evaluate(f"[costToReach({step}, 2), costToReach({step}, 2.5), costToReach({step}, 3, true)]") == [
        10,
        10,
        1,
    ]
    assert page.evaluate(f"costToReach({step}, 0.5) === Infinity")
    assert page.evaluate("[median([3, 1, 2]), median([4, 1, 3, 2])]") == [2, 2.5]
    assert page.evaluate("median([1, Infinity, Infinity]) === Infinity")
    assert page.evaluate("sparse({x: [1, 2, 3, 4, 5], y: [5, 4, 3, 2, 1]}, 3)") == {"x": [1, 3, 5], "y": [5, 3, 1]}


def test_solvers_are_toggled(page: Any) -> None:
    assert page.evaluate(f"{LINES}.length") == 3
    page.locator("#solvers input").nth(1).click()
    assert page.evaluate(f"{LINES}.length") == 2
    assert page.locator("#costs tbody tr").count() == 4
    page.locator("#solvers button").nth(1).click()
    assert page.evaluate(f"{LINES}.length") == 0
    assert page.locator("#run-facts").inner_text() == "No curve is drawn."
    page.locator("#solvers button").nth(0).click()
    assert page.evaluate(f"{LINES}.length") == 3


def test_data_set_cost_measure_and_axes(page: Any) -> None:
    page.select_option("#dataset", "web")
    page.select_option("#cost", "iterations")
    page.select_option("#measure", "primal")
    page.check("#ylog")
    page.uncheck("#xlog")
    expected = mean_over_runs(curves("web", "sbp"), cost="iterations", measure="primal")
    np.testing.assert_allclose(page.evaluate(f"{LINES}[0].x"), expected["cost"])
    np.testing.assert_allclose(page.evaluate(f"{LINES}[0].y"), expected["mean"], rtol=1e-4)
    assert page.evaluate("[at('plot').layout.xaxis.type, at('plot').layout.yaxis.type]") == ["linear", "log"]
    assert "Primal objective against Iterations on web" in page.get_attribute("#plot", "aria-label")


def test_the_target_is_within_the_range_and_a_single_evaluation_is_a_point(page: Any) -> None:
    low, high = page.evaluate("at('plot').layout.yaxis.range")
    assert low < page.evaluate("at('plot').layout.shapes[0].y0") < high
    modes = "[1, 2].map(count => points(data.series[0], count).mode)"
    assert page.evaluate(modes) == ["markers", "lines"]
    assert page.evaluate("['Kernel evaluations', 'CPU seconds'].map(inSentence)") == [
        "kernel evaluations",
        "CPU seconds",
    ]


def test_one_solver_is_highlighted(page: Any) -> None:
    before = page.evaluate(f"{LINES}.map(trace => trace.line.color)")
    page.select_option("#highlight", "sbp")
    after = page.evaluate(f"{LINES}.map(trace => trace.line.color)")
    assert after[-1] == before[0]  # on top of the others
    assert len({*after[:-1]}) == 1
    assert after[0] not in before


def test_the_pointer_shows_a_run(page: Any) -> None:
    page.select_option("#view", "runs")
    page.evaluate("watch")
    place = page.evaluate(
        """() => {
          const plot = at("plot"), trace = plot.data[1], k = trace.starts[2] + 12, box = plot.getBoundingClientRect();
          const { xaxis, yaxis } = plot._fullLayout, value = trace.y[k];
          const x = box.x + xaxis._offset + xaxis.d2p(trace.x[k]), y = box.y + yaxis._offset + yaxis.d2p(value);
          return { x, y, value };
        }"""
    )
    page.mouse.move(place["x"] - 3, place["y"])
    page.mouse.move(place["x"], place["y"], steps=3)
    page.wait_for_selector("#plot .hovertext")
    text = page.locator("#plot .hovertext").text_content()
    assert "Pegasos, seed 2" in text
    assert f"{place['value']:.4g}"[:4] in text
    assert page.locator("#command").inner_text() == "python3 run.py algo=pegasos seed=2"
    assert "Pegasos; Adult; seed 2" in page.locator("#run-facts").inner_text()
    assert page.locator("#settings").inner_text().split("\n")[-1] == HOSTILE


def test_a_run_is_chosen_by_keyboard(page: Any) -> None:
    page.focus("#run")
    page.keyboard.press("ArrowDown")
    assert page.locator("#command").inner_text() == "python3 run.py algo=sbp seed=1"


def test_a_reading_chooses_what_is_drawn(page: Any) -> None:
    buttons = page.locator("#claims button")
    assert buttons.count() == 2  # the third reading reads nothing
    buttons.nth(1).click()
    values = page.evaluate("['dataset', 'cost', 'measure'].map(id => at(id).value)")
    assert values == ["web", "iterations", "primal"]
    assert page.evaluate(f"{LINES}.length") == 2
    assert buttons.nth(1).get_attribute("aria-pressed") == "true"
    assert "toy.1" in page.locator("#filtered").inner_text()
    page.locator("#filtered button").click()
    assert page.evaluate(f"{LINES}.length") == 3
    assert not page.locator("#filtered").is_visible()


def test_the_address_has_what_is_chosen(page: Any) -> None:
    page.locator("#claims button").nth(1).click()
    page.check("#whole")
    link = page.evaluate("location.hash")
    page.evaluate("location.hash = 'dataset=adult&hidden=%5B'")  # damaged: nothing is hidden
    page.wait_for_function(f"{LINES}.length === 3")
    page.evaluate("link => { location.hash = link }", link)
    page.wait_for_function(f"{LINES}.length === 2")
    assert page.evaluate("[at('dataset').value, at('whole').checked]") == ["web", True]


def test_the_table_of_costs(page: Any) -> None:
    target = page.evaluate("state.target")
    expected = {}
    for run in some_curves(HOSTILE).runs:
        cost = cost_to_reach(column(run.curve, "kernel_evaluations"), column(run.curve, "test_error"), target)
        expected.setdefault((run.series, run.dataset), []).append(cost)
    rows = page.evaluate("costRows().map(row => row.cells)")
    for (series, dataset), costs in expected.items():
        label = {"sbp": "SBP", "pegasos": "Pegasos"}.get(series, series)
        (row,) = [row for row in rows if row[:2] == [label, {"adult": "Adult"}.get(dataset, dataset)]]
        known = [cost for cost in costs if cost is not None]
        assert row[2] == len(known)
        if len(known) == SEEDS:
            assert row[3] == pytest.approx(statistics.median(known), rel=1e-4)
    page.fill("#filter", "web sbp")
    assert page.locator("#costs tbody tr").count() == 1
    page.fill("#filter", "")
    first = page.locator("#costs thead button").nth(0)
    first.click()
    names = page.locator("#costs tbody th").all_inner_texts()
    first.click()
    assert page.locator("#costs tbody th").all_inner_texts() == names[::-1] != names
    assert page.get_attribute("#costs thead th:nth-child(1)", "aria-sort") == "descending"


def test_the_target_is_moved_by_keys_and_by_dragging(page: Any) -> None:
    before = page.evaluate("state.target")
    page.focus("#target")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    moved = page.evaluate("state.target")
    assert moved > before
    assert page.evaluate("at('plot').layout.shapes[0].y0") == pytest.approx(100 * moved)
    page.evaluate("watch")
    box = page.locator("#plot .shapelayer path").first.bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    page.mouse.up()
    page.wait_for_function("moved => state.target > 1.01 * moved", arg=moved)
    dragged = page.evaluate("state.target")
    assert page.locator("#target-value").inner_text().startswith(f"{100 * dragged:.4g}"[:3])


def test_every_control_has_a_name(page: Any) -> None:
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("select, input, button, [role=region], nav[aria-label], fieldset")]
          .filter(each => !(each.labels?.length || each.textContent.trim() || each.getAttribute("aria-label")))
          .map(each => each.outerHTML)"""
    )
    assert nameless == []
    reached = set()
    page.focus("#theme")
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id || document.activeElement.type || ''"))
    assert {
        "dataset",
        "measure",
        "cost",
        "view",
        "highlight",
        "xlog",
        "ylog",
        "whole",
        "checkbox",
        "run",
        "copy",
    } <= reached
    assert {"target", "filter", "button"} <= reached


def test_names_are_texts(page: Any) -> None:
    assert page.title() == f"A figure {HOSTILE}"
    assert page.locator("#solvers label").nth(2).inner_text().strip() == HOSTILE
    assert page.locator("img").count() == 0


def test_dark_and_light(page: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]"
    assert page.evaluate(ground) > 200
    page.select_option("#theme", "dark")
    assert page.evaluate(ground) < 60
    assert page.evaluate("at('plot').layout.paper_bgcolor") == "#1c1f24"
    page.select_option("#theme", "")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{ground} < 60")
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"{ground} > 200")
    assert page.evaluate("visible('#111111')") == "#111111"


def test_a_narrow_screen(page: Any) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.evaluate("draw()")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("#plot").bounding_box()["width"] > 320
    page.locator("#solvers input").nth(0).click()
    assert page.evaluate(f"{LINES}.length") == 2
    page.set_viewport_size({"width": 1280, "height": 1200})


def test_without_scripts_there_is_the_picture(browser: Any, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert page.locator("img").is_visible()
    assert page.locator("img").evaluate("image => image.naturalWidth") == 30
    assert not page.locator("main").is_visible()
    page.context.close()


@pytest.mark.slow
def test_ten_seeds_of_eight_solvers_on_three_data_sets(
    browser: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Prints how long a page of the size of a paper's figure takes to open and to draw again."""
    names = ["sbp", "pegasos", "sdca", "smo", "perceptron", "fourier", "simba", "libsvm"]
    sets = ("adult", "mnist", "reuters")
    runs = [RunCurve(d, s, seed, curve(k, seed, 80)) for d in sets for k, s in enumerate(names) for seed in range(10)]
    path = tmp_path / "curves.html"
    path.write_text(curves_page(Curves("Ten seeds", runs, styles_for(names))), encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector(SHOWN)
    opened = float(page.get_attribute("html", "data-drawn"))
    toggle = """async () => {
      const start = performance.now();
      document.querySelector("#solvers input").click();
      await watch;
      return performance.now() - start;
    }"""
    toggled = [page.evaluate(toggle) for _ in range(5)]
    page.close()
    with capsys.disabled():
        print(f"\n{len(runs)} curves: drawn {opened:.0f} ms after opening; a solver toggled in {min(toggled):.0f} ms")
    assert len(toggled) == 5
