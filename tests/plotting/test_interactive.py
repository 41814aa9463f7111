"""The content of interactive pages."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_cases import HOSTILE, curve, some_curves

from svm_cost_curves.experiments.plotting import styles_for
from svm_cost_curves.experiments.plotting.interactive import MOST_BYTES, curves_page, with_figures
from svm_cost_curves.experiments.plotting.page_content import Curves, RunCurve


def data_of(page: str) -> dict[str, Any]:
    packed = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert packed
    content: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return content


def test_the_data_are_those_of_the_curves() -> None:
    content = some_curves()
    data = data_of(curves_page(content))
    names = [each["name"] for each in (*data["costs"], *data["measures"])]
    assert names == ["iterations", "kernel_evaluations", "cpu_seconds", "test_error", "primal", "dual"]
    assert [each["label"] for each in data["datasets"]] == ["Adult", "web"]
    for run, about, values in zip(content.runs, data["runs"], data["values"], strict=True):
        assert (run.seed, run.command) == (about["seed"], about["command"])
        assert data["datasets"][about["d"]]["name"] == run.dataset
        assert data["series"][about["s"]]["name"] == run.series
        assert data["settings"][about["settings"]] == run.settings
        for name, column in zip(names, values, strict=True):
            np.testing.assert_allclose(column, run.curve[name].to_numpy(dtype=float), rtol=1e-4)


def test_missing_values_and_columns() -> None:
    table = curve(0, 0)
    table.loc[3, "test_error"] = np.nan
    table["gap"] = np.nan
    runs = [RunCurve("adult", "sbp", 0, table), RunCurve("adult", "sbp", 1, curve(0, 1)[["iterations", "primal"]])]
    data = data_of(curves_page(Curves("t", runs, styles_for(["sbp"]))))
    names = [each["name"] for each in (*data["costs"], *data["measures"])]
    assert "gap" not in names
    assert data["values"][0][names.index("test_error")][3] is None
    assert data["values"][1][names.index("test_error")] == 0
    assert data["values"][1][names.index("primal")] != 0


def test_the_first_cost_is_the_one_that_most_runs_count() -> None:
    both, one = curve(0, 0), curve(0, 1).drop(columns="kernel_evaluations")
    page = Curves("t", [RunCurve("a", "sbp", 0, both), RunCurve("a", "sbp", 1, one)], styles_for(["sbp"]))
    assert data_of(curves_page(page))["start"]["cost"] == "iterations"
    assert data_of(curves_page(replace(page, cost="cpu_seconds")))["start"]["cost"] == "cpu_seconds"
    assert data_of(curves_page(replace(page, runs=page.runs[:1])))["start"]["cost"] == "kernel_evaluations"


def test_runs_without_evaluations_are_refused() -> None:
    empty = pd.DataFrame({"iterations": [], "test_error": []})
    with pytest.raises(ValueError, match="no curve to show"):
        curves_page(Curves("t", [RunCurve("adult", "sbp", 0, empty)], styles_for(["sbp"])))


def test_no_text_ends_an_element() -> None:
    page = curves_page(some_curves(HOSTILE))
    assert page.count("</script>") == 3
    assert "<img src=x" not in page
    assert data_of(page)["series"][2]["name"] == HOSTILE


def test_two_thousand_curves_are_less_than_the_largest_page() -> None:
    generator = np.random.default_rng(0)
    tables = [
        pd.DataFrame(
            {name: np.sort(generator.random(300)) for name in ("iterations", "cpu_seconds", "test_error", "gap")}
        )
        for _ in range(20)
    ]
    runs = [RunCurve("adult", "sbp", seed, tables[seed % 20]) for seed in range(2000)]
    page = curves_page(Curves("t", runs, styles_for(["sbp"])))
    assert len(page) < MOST_BYTES
    ends = data_of(page)["values"][7][0]
    assert ends[0] == pytest.approx(tables[7]["iterations"].iloc[0], rel=1e-4)
    assert ends[-1] == pytest.approx(tables[7]["iterations"].iloc[-1], rel=1e-4)


def test_the_list_of_figures() -> None:
    page = with_figures(curves_page(some_curves()), [("a.html", "A & B"), ('b".html', "C")], "a.html", report="r.html")
    assert '<option value="a.html" selected>A &amp; B</option><option value="b&quot;.html">C</option>' in page
    assert '<a href="r.html">' in page
