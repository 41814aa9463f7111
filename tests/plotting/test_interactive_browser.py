"""Interactive pages in a real browser, by clicks, keys and the pointer."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_cases import HOSTILE, SEEDS, chromium, curve, some_curves
from PIL import Image

from svm_cost_curves.experiments.cost_to_target import cost_to_reach, cost_to_stay
from svm_cost_curves.experiments.curve import column, known_points, mean_over_runs
from svm_cost_curves.experiments.plotting import Style, styles_for
from svm_cost_curves.experiments.plotting.bands import band
from svm_cost_curves.experiments.plotting.interactive import curves_page
from svm_cost_curves.experiments.plotting.page_content import Curves, RunCurve, Swept

SHOWN = "html[data-drawn]"
LINES = "at('plot').data.filter(trace => trace.series)"


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
    opened.mouse.move(0, 0)
    opened.evaluate("recall(); state.run = null; draw()")
    return opened


def curves(dataset: str, series: str) -> list[Any]:
    return [run.curve for run in some_curves(HOSTILE).runs if (run.dataset, run.series) == (dataset, series)]


@pytest.mark.parametrize("cost", ["kernel_evaluations", "cpu_seconds"])
def test_means_and_medians_are_those_of_the_static_picture(page: Any, cost: str) -> None:
    page.select_option("#cost", cost)
    for k, name in enumerate(("sbp", "pegasos", HOSTILE)):
        mean = page.evaluate("k => summary(shown().all[k].curves, 'mean')", k)
        expected = mean_over_runs(curves("adult", name), cost=cost, measure="test_error")
        np.testing.assert_allclose(mean["x"], expected["cost"], rtol=1e-4)
        # a geometric cost may lie on the other side of an evaluation, after rounding to five digits
        assert np.isclose(mean["y"], expected["mean"], rtol=1e-3).mean() > 0.9
        assert np.isclose(np.subtract(mean["high"], mean["y"]), expected["sd"], atol=3e-5).mean() > 0.9
        drawn = page.evaluate(f"k => {LINES}[k].y", k)
        np.testing.assert_allclose(drawn, 100 * np.array(mean["y"]), rtol=1e-12)
        median = page.evaluate("k => summary(shown().all[k].curves, 'median')", k)
        quartiles = band([known_points(run, cost, "test_error") for run in curves("adult", name)], tail=0.25)
        assert quartiles is not None
        for key, wanted in (("y", quartiles.middle), ("low", quartiles.low), ("high", quartiles.high)):
            assert np.isclose(median[key], wanted, rtol=1e-3).mean() > 0.9


def test_arithmetic(page: Any) -> None:
    step = "({x: [1, 10, 100, 1000], y: [3, 2, 3, 1]})"
    assert page.evaluate(f"valuesAt({step}, [0.5, 1, 9, 10, 1e9]).slice(1)") == [3, 3, 2, 1]
    assert page.evaluate(f"Number.isNaN(valuesAt({step}, [0.5])[0])")
    first = [f"costToReach({step}, {target}, {rises})" for target, rises in ((2, "false"), (2.5, "false"), (3, "true"))]
    stays = [f"costToReach({step}, {target}, false, true)" for target in (2, 3, 1)]
    assert page.evaluate(f"[{', '.join(first + stays)}]") == [10, 10, 1, 1000, 1, 1000]
    assert page.evaluate(
        f"[false, true].map(stays => costToReach({step}, 0.5, false, stays)).every(c => c === Infinity)"
    )
    assert page.evaluate(f"costToReach({step}, 1, true, true) === 1 && costToReach({step}, 2, true, true) === Infinity")
    assert page.evaluate("[median([3, 1, 2]), median([4, 1, 3, 2]), quantile([1, 2, 3], 0.25)]") == [2, 2.5, 1.5]
    assert page.evaluate(
        "median([1, Infinity, Infinity]) === Infinity && median([1, 1, Infinity, Infinity]) === Infinity"
    )
    assert page.evaluate("sparse({x: [1, 2, 3, 4, 5], y: [5, 4, 3, 2, 1]}, 3)") == {"x": [1, 3, 5], "y": [5, 3, 1]}


def test_solvers_are_toggled(page: Any) -> None:
    assert page.evaluate(f"{LINES}.length") == 3
    page.locator("#solvers input").nth(1).click()
    assert page.evaluate(f"{LINES}.length") == 2
    assert page.locator("#costs tbody tr").count() == 2
    page.locator("#solvers button").nth(1).click()
    assert page.evaluate(f"{LINES}.length") == 0
    assert page.locator("#run-facts").inner_text() == "No curve is drawn."
    assert "No curve is chosen" in page.locator("#plot .annotation").text_content()
    assert page.locator("#copy").is_disabled()
    page.locator("#solvers button").nth(0).click()
    assert page.evaluate(f"{LINES}.length") == 3
    page.locator("#solvers li").nth(1).locator("label span").last.dblclick()
    assert page.evaluate(f"{LINES}.map(trace => trace.series.name)") == ["pegasos"]
    page.locator("#solvers li").nth(1).locator("label span").last.dblclick()
    assert page.evaluate(f"{LINES}.length") == 3


def test_the_spread_is_that_of_the_solver_that_is_pointed_at(page: Any) -> None:
    bands = "at('plot').data.filter(trace => !trace.series && trace.x.length).map(trace => trace.y)"
    assert page.evaluate(bands) == []
    page.hover("#solvers li:nth-child(2)")
    low, high = page.evaluate(bands)
    mean = page.evaluate("summary(shown().all[1].curves, 'mean')")
    np.testing.assert_allclose([low, high], 100 * np.array([mean["low"], mean["high"]]))
    page.check("#bands")
    assert len(page.evaluate(bands)) == 6


def test_a_line_is_dashed_after_the_first_epoch(browser: Any, tmp_path: Path) -> None:
    epochs = [curve(0, seed).assign(epochs=lambda table: table["iterations"] / 100) for seed in range(2)]
    runs = [RunCurve("adult", "perceptron", seed, table) for seed, table in enumerate(epochs)]
    page = opened_page(browser, tmp_path, Curves("t", runs, styles_for(["perceptron"])))
    first, later = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.line.dash])")
    end = column(epochs[0], "kernel_evaluations")[column(epochs[0], "epochs") >= 1][0]
    assert (first[0][-1], later[0][0], first[1]) == (pytest.approx(end, rel=1e-3), first[0][-1], "solid")
    assert later[1] != "solid"
    page.close()


def opened_page(browser: Any, folder: Path, content: Curves) -> Any:
    path = folder / "curves.html"
    path.write_text(curves_page(content), encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 1200})
    page.goto(path.as_uri())
    page.wait_for_selector(SHOWN)
    return page


def test_a_sweep_over_a_number_is_drawn_against_it(browser: Any, tmp_path: Path) -> None:
    places = {f"eta={2**k}": (0, float(2**k)) for k in range(3)}
    runs = [RunCurve("adult", name, seed, curve(k, seed)) for k, name in enumerate(places) for seed in range(2)]
    styles = {name: replace(style, name=name) for name, style in styles_for(places).items()}
    family: Style = styles_for(["sbp"])["sbp"]
    page = opened_page(browser, tmp_path, Curves("t", runs, styles, swept=Swept("eta", [family], places)))
    (line,) = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.y])")
    ends = [np.mean([100 * run.curve["test_error"].iloc[-1] for run in runs if run.series == name]) for name in places]
    assert line[0] == [1, 2, 4]
    np.testing.assert_allclose(line[1], ends, rtol=1e-4)
    page.select_option("#view", "cost")
    (line,) = page.evaluate(f"{LINES}.map(trace => [trace.x, trace.y])")
    costs = dict(page.evaluate("costRows(shown().drawn).map(row => [row.series.name, row.cost])"))
    assert line[1] == [None if costs[name] == np.inf else costs[name] for name in places]
    page.close()


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
    modes = "[[1], [1, 2]].map(x => traceOf(data.series[0], { x, y: x }, []).mode)"
    assert page.evaluate(modes) == ["markers", "lines"]
    assert page.evaluate("['Kernel evaluations', 'CPU seconds'].map(inSentence)") == [
        "kernel evaluations",
        "CPU seconds",
    ]


def test_a_cut_axis_says_how_far_the_curves_go(browser: Any, tmp_path: Path) -> None:
    steep = curve(0, 0).assign(test_error=lambda table: 0.1 + 0.8 / table["iterations"])
    page = opened_page(browser, tmp_path, Curves("t", [RunCurve("adult", "sbp", 0, steep)], styles_for(["sbp"])))
    assert page.evaluate("at('plot').layout.yaxis.range[1]") < 90
    assert page.locator("#plot .annotation").text_content() == "axis cut: curves go up to 90 %"
    page.check("#whole")
    assert page.locator("#plot .annotation").count() == 0
    page.close()


def test_one_solver_is_highlighted(page: Any) -> None:
    before = page.evaluate(f"{LINES}.map(trace => trace.line.color)")
    page.select_option("#highlight", "sbp")
    after = page.evaluate(f"{LINES}.map(trace => trace.line.color)")
    assert after == [f"{before[1]}59", f"{before[2]}59", before[0]]  # on top of the others, which are pale
    page.select_option("#highlight", "pegasos")
    page.evaluate("state.run = null; draw()")
    assert page.locator("#command").inner_text() == "python3 run.py algo=pegasos seed=0"


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
    page.wait_for_function("at('plot').querySelector('.hovertext')?.textContent.includes('seed 2')")
    text = page.locator("#plot .hovertext").text_content()
    assert text.startswith("Pegasos")
    assert f"{place['value']:.4g}"[:4] in text
    assert page.locator("#command").inner_text() == "python3 run.py algo=pegasos seed=2"
    assert "Pegasos; Adult; seed 2" in page.locator("#run-facts").inner_text()
    page.click("summary")
    assert page.locator("#settings").inner_text().split("\n")[-1] == HOSTILE


def test_a_run_is_chosen_by_keyboard(page: Any) -> None:
    page.focus("#run")
    page.keyboard.press("ArrowDown")
    assert page.locator("#command").inner_text() == "python3 run.py algo=sbp seed=1"


def test_a_reading_chooses_what_is_drawn_and_back_leads_back(page: Any) -> None:
    page.select_option("#claim", "toy.1 far")
    values = "['dataset', 'cost', 'measure'].map(id => at(id).value)"
    assert page.evaluate(values) == ["web", "iterations", "primal"]
    assert page.evaluate(f"{LINES}.length") == 2
    words = page.locator("#claim-says").inner_text()
    assert words.startswith("toy.1. It is lower.")
    assert "mixed (1 of 2). by 0.1" in words
    page.click("#next")
    assert "not testable here" in page.locator("#claim-says").inner_text()
    page.go_back()
    page.wait_for_function("at('claim').value === 'toy.1 far'")
    page.go_back()
    page.wait_for_function(f"{LINES}.length === 3")
    assert page.evaluate(values) == ["adult", "kernel_evaluations", "test_error"]
    assert not page.locator("#claim-says").is_visible()
    page.select_option("#claim", "toy.1 far")
    page.click("#all")
    assert page.evaluate(f"{LINES}.length") == 3


def test_the_address_has_what_is_chosen(page: Any) -> None:
    page.select_option("#claim", "toy.1 far")
    page.check("#whole")
    link = page.evaluate("location.hash")
    page.evaluate("location.hash = 'dataset=adult&hidden=%5B'")  # damaged: nothing is hidden
    page.wait_for_function(f"{LINES}.length === 3")
    page.evaluate("link => { location.hash = link }", link)
    page.wait_for_function(f"{LINES}.length === 2")
    assert page.evaluate("[at('dataset').value, at('whole').checked]") == ["web", True]


@pytest.mark.parametrize("reach", ["stays", "first"])
def test_the_table_of_costs(page: Any, reach: str) -> None:
    page.select_option("#reach", reach)
    target = page.evaluate("state.target")
    least = min(
        mean_over_runs(curves("adult", name), cost="kernel_evaluations", measure="test_error")["mean"].min()
        for name in ("sbp", "pegasos", HOSTILE)
    )
    assert target == pytest.approx(1.1 * least, rel=5e-3)
    for row in page.evaluate(
        "costRows(shown().drawn).map(row => [row.series.name, row.cost === Infinity ? null : row.cost, row.there])"
    ):
        runs = [(column(run, "kernel_evaluations"), column(run, "test_error")) for run in curves("adult", row[0])]
        each = [cost_to_stay([run], target) if reach == "stays" else cost_to_reach(*run, target) for run in runs]
        known = [cost for cost in each if cost is not None]
        cost = (
            cost_to_stay(runs, target)
            if reach == "stays"
            else statistics.median(known)
            if len(known) == SEEDS
            else None
        )
        assert row[2] == len(known)
        assert row[1] == (None if cost is None else pytest.approx(cost, rel=1e-4))


def test_the_target_is_typed_and_dragged(page: Any) -> None:
    page.fill("#level", "12.5")
    page.keyboard.press("Enter")
    assert page.evaluate("state.target") == pytest.approx(0.125)
    assert page.evaluate("at('plot').layout.shapes[0].y0") == pytest.approx(12.5)
    page.evaluate("watch")
    box = page.locator("#plot .shapelayer path").first.bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40, steps=4)
    page.mouse.up()
    page.wait_for_function("state.target > 0.126")
    assert float(page.input_value("#level")) == pytest.approx(100 * page.evaluate("state.target"))
    page.click("#usual")
    assert "a tenth above the least mean" in page.locator("#target-says").inner_text()


def test_what_is_drawn_is_saved(page: Any, tmp_path: Path) -> None:
    for kind in ("csv", "png"):
        with page.expect_download() as download:
            page.click(f"#save-{kind}")
        download.value.save_as(tmp_path / f"saved.{kind}")
    table = pd.read_csv(tmp_path / "saved.csv")
    drawn = table[table["curve"] == "SBP"]
    np.testing.assert_allclose(drawn["Test error, %"], page.evaluate(f"{LINES}[0].y"))
    assert (drawn["low"] <= drawn["Test error, %"]).all()
    with Image.open(tmp_path / "saved.png") as picture:
        assert picture.size == (1800, 1200)


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
        "claim",
        "level",
        "reach",
    } <= reached


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
    assert page.evaluate("ownColor(data.series[0])") == styles_for(["sbp"])["sbp"].color


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
