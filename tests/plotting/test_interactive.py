"""The content of interactive pages, their colours on a dark ground, and the list of the pages in a folder."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from page_cases import HOSTILE, curve, reading, some_curves

from svm_cost_curves.experiments.plotting import STYLES, styles_for
from svm_cost_curves.experiments.plotting.interactive import MOST_BYTES, Curves, RunCurve, curves_page, write_overview
from svm_cost_curves.experiments.plotting.styles import oklab, on_dark


def data_of(page: str) -> dict[str, Any]:
    packed = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page)
    assert packed
    content: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return content


def test_the_data_are_those_of_the_curves() -> None:
    content = some_curves()
    data = data_of(curves_page(content))
    names = [entry["name"] for entry in (*data["costs"], *data["measures"])]
    assert names == ["iterations", "kernel_evaluations", "cpu_seconds", "test_error", "primal", "dual"]
    assert [dataset["label"] for dataset in data["datasets"]] == ["Adult", "web"]
    for run, about, values in zip(content.runs, data["runs"], data["values"], strict=True):
        assert (run.seed, run.command) == (about["seed"], about["command"])
        assert data["datasets"][about["d"]]["name"] == run.dataset
        assert data["series"][about["s"]]["name"] == run.series
        assert data["settings"][about["settings"]] == run.settings
        for name, column in zip(names, values, strict=True):
            np.testing.assert_allclose(column, run.curve[name].to_numpy(dtype=float), rtol=1e-4)


def test_a_claim_has_only_names_that_the_page_has() -> None:
    readings = [reading("a", datasets=["web", "mnist"], series=["sbp", "smo"], cost="epochs", measure="primal")]
    content = replace(some_curves(), claims=[{"id": "toy.1", "says": "It is lower.", "readings": readings}])
    (claim,) = data_of(curves_page(content))["claims"]
    (shown,) = claim["readings"]
    assert [shown[name] for name in ("datasets", "series", "cost", "measure")] == [["web"], ["sbp"], "", "primal"]


def test_missing_values_and_columns() -> None:
    table = curve(0, 0)
    table.loc[3, "test_error"] = np.nan
    table["gap"] = np.nan
    runs = [RunCurve("adult", "sbp", 0, table), RunCurve("adult", "sbp", 1, curve(0, 1)[["iterations", "primal"]])]
    data = data_of(curves_page(Curves("t", runs, styles_for(["sbp"]))))
    names = [entry["name"] for entry in (*data["costs"], *data["measures"])]
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


def made_page(folder: Path, title: str, made: int) -> None:
    folder.mkdir(parents=True)
    path = folder / "curves.html"
    path.write_text(f"<!doctype html><head><title>{title}</title></head>", encoding="utf-8")
    os.utime(path, (made, made))


def test_pages_are_listed_the_newest_first(tmp_path: Path) -> None:
    made_page(tmp_path / "2026-01-01 a" / "demo", "SBP &amp; SMO on adult", 1_000_000_000)
    made_page(tmp_path / "b", "lambda", 1_100_000_000)
    (tmp_path / "b" / "curves.png").touch()
    index = write_overview(tmp_path, "Sweeps")
    assert index == tmp_path / "index.html"
    text = index.read_text(encoding="utf-8")
    links = re.findall(r'href="(.*?)">(.*?)</a>', text)
    assert links == [("b/curves.html", "lambda"), ("2026-01-01%20a/demo/curves.html", "SBP &amp; SMO on adult")]
    assert re.findall(r'src="(.*?)"', text) == ["b/curves.png"]
    assert write_overview(tmp_path, "Sweeps") == index


def test_another_index_stays(tmp_path: Path) -> None:
    made_page(tmp_path / "a", "t", 1_000_000_000)
    os.mkfifo(tmp_path / "index.html")
    assert write_overview(tmp_path, "Sweeps") is None
    (tmp_path / "index.html").unlink()
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b" / "curves.html")  # no page
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    assert write_overview(tmp_path, "Sweeps") is None
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


def distances(colors: list[str]) -> np.ndarray:
    lab = oklab(colors)
    return np.linalg.norm(lab[:, None] - lab, axis=2)


def test_white_black_and_red_have_their_published_coordinates() -> None:
    np.testing.assert_allclose(oklab(["#ffffff", "#000000"]), [[1, 0, 0], [0, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(oklab(["#ff0000"]), [[0.62796, 0.22486, 0.12585]], atol=1e-4)


def test_all_colours_are_light_and_stay_apart() -> None:
    colors = [style.color for style in STYLES.values()]
    dark = on_dark(colors)
    assert oklab(dark)[:, 0].min() > 0.59
    wanted = np.minimum(0.1, 0.8 * distances(colors))
    assert (distances(dark) >= 0.6 * wanted).all()
    assert (distances(dark) >= 0.95 * wanted).mean() > 0.97


def test_light_and_vivid_colours_are_kept() -> None:
    assert on_dark(["#e69f00"]) == ["#e69f00"]
    alone, beside = on_dark(["#0072b2"]), on_dark(["#6699cc", "#0072b2"])
    assert alone[0] == beside[1] != beside[0] != "#6699cc"
    assert on_dark([]) == []
