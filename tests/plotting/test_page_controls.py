"""Controls of an interactive page in a real browser, by clicks, keys and the pointer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_cases import HOSTILE, LINES
from PIL import Image

from svm_cost_curves.experiments.plotting import styles_for


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
