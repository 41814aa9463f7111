"""How the bounds are drawn: dotted above the iterations that were measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.minibatch.spectrum import Spectrum
from experiments.papers.minibatch.study import ACCURACY, Study
from experiments.papers.panels import empty, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_CAPTION: Final = (
    f"Iterations to P(w) - P* <= {ACCURACY:g}, as in Figure 1; open symbols: their budget. Thin lines without symbols: "
    "Theorem 1 for Pegasos, Theorem 2 for safe SDCA."
)


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(panels, _COLUMNS)


def draw(
    figure: Figure | SubFigure,
    found: Sequence[Study],
    bounds: Mapping[str, Callable[[Spectrum, int, float], float]],
) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    axes = layout.places(figure, len(found), _HEAD, _COLUMNS)
    layout.head(figure, axes[0], [LOOKS[name] for name in bounds], _CAPTION)
    for k, (place, study) in enumerate(zip(axes, found, strict=True)):
        layout.dress(place, "b, examples in a mini-batch", "Iterations", k, _COLUMNS)
        spectrum = study.data.spectrum
        assert spectrum is not None  # of the others nothing is shown
        for name, theorem in bounds.items():
            layout.draw_efforts(place, study.of(name), LOOKS[name])
            look: dict[str, Any] = {"color": LOOKS[name].color, "linewidth": 1.0}
            sizes = list(study.of(name))
            place.plot(sizes, [theorem(spectrum, b, ACCURACY) for b in sizes], **look)
        heading(place, study.panel, f"lambda = {spectrum.lambda_:g}, 1/sigma² = {spectrum.enough:.3g}")
