"""Pictures of error against cost, in one style that is readable in grey and by the colour-blind.

Every algorithm keeps its colour, line style and marker in all figures (`styles`). Figures are drawn without pyplot and
without the user's matplotlib settings, so the same curves give the same bytes everywhere the same matplotlib is
installed. `plot_curves` makes one picture of one data set; the papers' figures put several panels (`panel`) under one
legend (`legend`). `paper` lays a drawn figure out for a paper.
"""

from experiments.plotting.curves import DPI, HEIGHT, WIDTH, NothingToDrawError, plot_curves, plot_for_paper
from experiments.plotting.legend import legend_row, name_curves
from experiments.plotting.means import MeanCurve, mean_curve, mean_curves
from experiments.plotting.panel import PANEL, SINGLE, Drawn, Sizes, draw_panel
from experiments.plotting.ranges import interesting_range, spread
from experiments.plotting.styles import (
    FAINT,
    GRID,
    INK,
    STYLES,
    Style,
    axis_name,
    own_settings,
    plain_frame,
    styles_for,
)

__all__ = [
    "DPI",
    "FAINT",
    "GRID",
    "HEIGHT",
    "INK",
    "PANEL",
    "SINGLE",
    "STYLES",
    "WIDTH",
    "Drawn",
    "MeanCurve",
    "NothingToDrawError",
    "Sizes",
    "Style",
    "axis_name",
    "draw_panel",
    "interesting_range",
    "legend_row",
    "mean_curve",
    "mean_curves",
    "name_curves",
    "own_settings",
    "plain_frame",
    "plot_curves",
    "plot_for_paper",
    "spread",
    "styles_for",
]
