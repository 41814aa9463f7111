"""Rendering of pictures, and a search for clipped and overlapping texts."""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Sequence
from io import BytesIO

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox, BboxBase
from PIL import Image

from svm_cost_curves.experiments.plotting import Picture, own_settings
from svm_cost_curves.experiments.reproduction.evidence import FigureResult

DPI = 72
HEADROOM = 0.8  # inches that a title takes above the drawing

Boxed = tuple[str, Bbox]
"""A text and its box."""


def render(made: FigureResult | Picture) -> Image.Image:
    """The picture, drawn into a part of a figure; fails on any warning, on clipped text and on overlapping texts."""
    width, height = made.size
    with warnings.catch_warnings(), own_settings():
        warnings.simplefilter("error")
        figure = Figure(figsize=(width, height + HEADROOM), dpi=DPI, facecolor="white")
        FigureCanvasAgg(figure)
        _, part = figure.subfigures(2, 1, height_ratios=[HEADROOM, height], hspace=0)
        made.draw(part)
        file = BytesIO()
        figure.savefig(file, format="png")
        boxes = [(text.get_text(), text.get_window_extent()) for text in texts(figure)]
        assert clipped(boxes, figure.bbox) == []
        assert overlapping(boxes) == []
    if "matplotlib.pyplot" in sys.modules:
        assert sys.modules["matplotlib.pyplot"].get_fignums() == []
    return Image.open(file)


def texts(figure: Figure) -> list[Text]:
    """All visible texts."""
    # tick labels beyond an axis' limits are kept, but not drawn
    hidden = {
        label
        for part in figure.subfigs
        for axes in part.get_axes()
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        if not (min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval()))
        for label in (tick.label1, tick.label2)
    }
    artists = figure.findobj(Text)
    return [text for text in artists if text.get_text().strip() and text.get_visible() and text not in hidden]


def clipped(boxes: Sequence[Boxed], frame: BboxBase) -> list[str]:
    """Texts that reach beyond the figure."""
    return [
        text
        for text, box in boxes
        if box.x0 < frame.x0 - 1 or box.y0 < frame.y0 - 1 or box.x1 > frame.x1 + 1 or box.y1 > frame.y1 + 1
    ]


def overlapping(boxes: Sequence[Boxed]) -> list[tuple[str, str]]:
    """Pairs of texts that lie over each other by more than two points."""
    corners = [(text, *box.extents.tolist()) for text, box in boxes]
    return [
        (first, second)
        for (first, ax0, ay0, ax1, ay1), (second, bx0, by0, bx1, by1) in itertools.combinations(corners, 2)
        if min(ax1, bx1) - max(ax0, bx0) > 2 and min(ay1, by1) - max(ay0, by0) > 2
    ]


def drawn(made: FigureResult) -> FigureResult:
    """Draw the picture of a result, check that its table has one cell per column if there is one, and return it."""
    render(made)
    if made.table is not None:
        assert {len(row) for row in made.table().rows} <= {len(made.table().columns)}
    return made


def drawn_with_table(made: FigureResult) -> FigureResult:
    """Do the same with a result that has a table."""
    assert made.table is not None
    return drawn(made)
