"""Colours on a dark ground."""

from __future__ import annotations

import numpy as np

from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.plotting.styles import oklab, on_dark


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
