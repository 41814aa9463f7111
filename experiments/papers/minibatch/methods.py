"""Names and styles of this paper's methods, and parts of its drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...plotting import STYLES, Style
from ...reproduction.statistics.target import Effort
from .. import layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

T = TypeVar("T")

METHODS: Final = ("pegasos", "naive", "safe", "aggressive")
"""Series of the methods that the paper compares."""
TAIL: Final = "pegasos_tail"
"""Series of Pegasos with the mean of the tail of its iterates, as in Theorem 1."""
METHOD_STYLES: Final[Mapping[str, Style]] = {
    "pegasos": replace(STYLES["minibatch_pegasos"], name="Pegasos", marker="s", line=(0, (7.0, 1.8))),
    "naive": Style("naive SDCA", "#b0578d", (0, (2.0, 1.2)), "v", 1.8),
    "safe": Style("safe SDCA", "#2b7bba", (0, (6.0, 1.6, 1.2, 1.6)), "D", 1.8),
    "aggressive": replace(STYLES["minibatch_sdca"], name="aggressive SDCA", marker="^"),
    TAIL: Style("Pegasos's tail", "#8a6d3b", (0, (1.0, 1.4)), ".", 1.2),
    # variants of aggressive SDCA (`rho`)
    "1": Style("rho once", "#00684a", "-", "^", 2.4),
    "2": Style("rho twice", "#2b7bba", (0, (6.0, 1.6)), "D"),
    "5": Style("rho five times", "#b0578d", (0, (2.0, 1.2)), "v"),
    "crude": Style("sigma² = 1", "#cc7a00", (0, (1.0, 1.4)), "s"),
}


def name_of_method(method: str) -> str:
    """Return the name of a method in sentences."""
    return METHOD_STYLES[method].name


def drawing(
    items: Sequence[T], methods: Iterable[str], caption: str, draw: Callable[[Axes, T], None], head: float = 0.62
) -> tuple[Any, tuple[float, float]]:
    """Return the drawing of the iterations of some methods against b, a panel per item, and its size."""
    styles, names = [METHOD_STYLES[name] for name in methods], ("$b$, examples in a mini-batch", "Iterations")
    nothing = "no finished runs with an optimum to compare with"
    return layout.drawing(items, styles, caption, names, draw, columns=2, head=head, nothing=nothing)


def draw_iterations(axes: Axes, efforts: Mapping[int, Effort], style: Style) -> None:
    """Draw the iterations of a method against b; an open symbol at the top edge where most runs miss the target."""
    layout.draw_efforts(axes, {b: effort for b, effort in efforts.items() if effort.mostly_reached}, style)
    marks: dict[str, Any] = style.markers()
    marks |= {"markerfacecolor": "white", "markeredgecolor": style.color, "clip_on": False}
    for b in (b for b, effort in efforts.items() if not effort.mostly_reached):
        axes.plot([b], [1.0], linestyle="none", transform=axes.get_xaxis_transform(), **marks, zorder=4)
