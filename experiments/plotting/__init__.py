"""Pictures of error against cost, in one style that is readable in grey and by the colour-blind.

Every algorithm keeps its colour, line style and marker in all figures (`styles`). Figures are drawn without pyplot and
without the user's matplotlib settings, so the same curves give the same bytes everywhere the same matplotlib is
installed. A `Picture` is a drawing with its title and its small print: of a run or a sweep (`curves_picture`), or of a
figure, whose module puts panels (`draw_panel`) under one legend (`legend_row`). For a paper the same drawing is made in
another style (`paper.mplstyle`) and its panels are put into a grid of the paper's width (`paper`).
"""

from .bands import MeanCurve, mean_curve, mean_curves
from .curves import NothingToDrawError, curves_picture
from .legend import legend_row
from .panel import LEFT, draw_level, draw_panel, draw_spread, interesting_range, row_of_axes
from .picture import Picture
from .styles import FAINT, INK, STYLES, Style, axis_name, own_settings, plain_frame, styles_for

__all__ = [
    "FAINT",
    "INK",
    "LEFT",
    "STYLES",
    "MeanCurve",
    "NothingToDrawError",
    "Picture",
    "Style",
    "axis_name",
    "curves_picture",
    "draw_level",
    "draw_panel",
    "draw_spread",
    "interesting_range",
    "legend_row",
    "mean_curve",
    "mean_curves",
    "own_settings",
    "plain_frame",
    "row_of_axes",
    "styles_for",
]
