"""The picture of a paper's claims by their readings."""

from __future__ import annotations

from collections import Counter
from io import BytesIO

import numpy as np
import pytest
from matplotlib.transforms import BboxBase
from pictures import clipped, overlapping, texts
from PIL import Image, ImageColor

from svm_cost_curves.experiments.plotting import own_settings
from svm_cost_curves.experiments.reproduction.report.readings import COLOURS, draw_readings, readings_picture
from svm_cost_curves.experiments.reproduction.spec import catalogue, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim, Outcome, Reading


def claim(name: str, *outcomes: Outcome, likely: bool = False) -> Claim:
    readings = [Reading("", "", "", "", outcome, likely=likely) for outcome in outcomes]
    return Claim(name, "It holds.", "", "", "", readings)


def areas(*claims: Claim) -> dict[Outcome, int]:
    """Return the pixels of each outcome's colour."""
    with Image.open(BytesIO(readings_picture(claims))) as image:
        pixels = np.asarray(image.convert("RGB")).reshape(-1, 3)
    return {
        outcome: int((pixels == ImageColor.getrgb(colour)).all(axis=1).sum()) for outcome, colour in COLOURS.items()
    }


def test_each_reading_is_a_cell_of_its_outcome_s_colour() -> None:
    """Beside the cells the key has each outcome that occurs, once."""
    one = areas(claim("a.1", "mixed"), claim("a.2", "unclear"))
    two = areas(claim("a.1", "mixed", "mixed", "mixed"), claim("a.2", "unclear"))
    assert {outcome for outcome, area in one.items() if area} == {"mixed", "unclear"}
    cell = two["mixed"] - one["mixed"]
    assert cell / 2 == pytest.approx(one["mixed"], rel=0.5)
    assert two["unclear"] == one["unclear"]


def test_the_likely_reading_is_framed() -> None:
    plain, framed = (areas(claim("a.1", "mixed", likely=likely))["mixed"] for likely in (False, True))
    assert framed < plain


SPECS = [spec for name in catalogue() for spec in read_figure(name, with_statistics=False).claims if spec.readings]


@pytest.mark.parametrize("paper", sorted({spec.id.partition(".")[0] for spec in SPECS}))
def test_no_name_of_a_reading_leaves_its_cell(paper: str) -> None:
    claims = [
        Claim(spec.id, "", "", "", "", [Reading(reading.id, "", "", "", "mixed") for reading in spec.readings])
        for spec in SPECS
        if spec.id.startswith(f"{paper}.")
    ]
    with own_settings():
        figure = draw_readings(claims)
        figure.draw_without_rendering()
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts(figure)]
        cells = [patch.get_window_extent() for patch in figure.axes[0].patches]
    assert clipped(boxes, figure.bbox) == []
    assert overlapping(boxes) == []
    inside = [text.replace("\n", "_").replace(" ", "_") for text, box in boxes if any(_within(box, c) for c in cells)]
    expected = Counter(reading.id for claim in claims for reading in claim.readings)
    assert {name: inside.count(name) for name in expected} == expected


def _within(box: BboxBase, cell: BboxBase) -> bool:
    return cell.x0 < box.x0 and box.x1 < cell.x1 and cell.y0 < box.y0 and box.y1 < cell.y1


@pytest.mark.parametrize("outcome", COLOURS)
def test_all_outcomes_are_drawn_without_a_name(outcome: Outcome) -> None:
    assert areas(claim("a.1", outcome))[outcome]
