"""Styles of algorithms, their colours on a dark ground, and names of axes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LineStyle = Literal["-"] | tuple[int, tuple[float, ...]]

INK, FAINT, GRID = "#222222", "#666666", "#dddddd"
DASHED: Final[LineStyle] = (0, (5.0, 2.0))
_TONE: Final = 0.45
"""Part of the colour in a pale style; the rest is white."""
_SCREEN: Final = Path(__file__).with_name("screen.mplstyle")
PAPER: Final = Path(__file__).with_name("paper.mplstyle")
"""Style of pictures for a paper."""
# Bjorn Ottosson's OKLab: linear RGB to cone responses, and their cube roots to lightness, green-red and blue-yellow
_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_LAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
_LEAST_LIGHTNESS: Final = 0.6
"""Least lightness; its contrast to the ground is 3.6."""
_APART: Final = 0.1
"""Distance from which two colours are told apart easily."""
_KEPT_DISTANCE: Final = 0.8
"""Share of their distance on white that two nearer colours keep."""


@dataclass(frozen=True)
class Style:
    """Style of an algorithm, by the name in the legend."""

    name: str
    color: str
    """``#rrggbb``; of Okabe and Ito's colour-blind safe palette for the project's own algorithms."""
    line: LineStyle
    marker: str
    """Of matplotlib; a glyph (``$...$``) after all filled markers are used."""
    width: float = 1.8
    """Points."""
    quiet: bool = False
    """Whether the curve is in the background: thin and without markers or dashes."""

    @property
    def pale(self) -> Style:
        """The style of the same curve in the background, in a light tone of its colour."""
        parts = (int(self.color[k : k + 2], 16) for k in (1, 3, 5))
        color = "#" + "".join(f"{round(255 - _TONE * (255 - part)):02x}" for part in parts)
        return replace(self, color=color, line="-", marker="None", width=1.3, quiet=True)

    @property
    def dashed_after_first_epoch(self) -> bool:
        """Whether the line is dashed after the first epoch: the Perceptron's, as in the SBP paper."""
        return self.name.startswith("Perceptron") and not self.quiet

    @property
    def look(self) -> dict[str, Any]:
        """Matplotlib's arguments for the line, in the widths of the style in use."""
        return {"color": self.color, "linestyle": self.line, "linewidth": self.width * _scale()}

    def markers(self, scale: float = 1.0) -> dict[str, Any]:
        """Return matplotlib's arguments for the markers, in the sizes of the style in use times `scale`."""
        scale *= _scale()
        return {
            "marker": self.marker,
            # the size of a glyph is its em, which it does not fill
            "markersize": (7.8 if self.marker.startswith("$") else 6.5) * scale,
            "markerfacecolor": self.color,
            "markeredgecolor": "white",
            "markeredgewidth": 0.7 * scale**2,
        }


def _scale() -> float:
    """Return the width of matplotlib's lines over its default."""
    import matplotlib

    return float(matplotlib.rcParams["lines.linewidth"]) / 1.5


STYLES: Final[Mapping[str, Style]] = {
    "sbp": Style("SBP", "#0072b2", "-", "o", 2.6),
    "pegasos": Style("Pegasos", "#e69f00", (0, (7.0, 1.8)), "s"),
    "sdca": Style("SDCA", "#009e73", (0, (6.0, 1.6, 1.2, 1.6)), "^"),
    "smo": Style("SMO", "#d55e00", (0, (1.2, 1.2)), "D", 2.2),
    "perceptron": Style("Perceptron", "#b0578d", "-", "v", 1.4),
    "fourier": Style("Fourier features", "#56b4e9", (0, (4.0, 1.2, 1.2, 1.2, 1.2, 1.2)), "P"),
    "simba": Style("SIMBA", "#7b3294", "-", "p", 2.6),
    "libsvm": Style("LIBSVM", "#111111", (0, (3.0, 1.5)), "X"),
    "lasvm": Style("LASVM", "#a6761d", (0, (8.0, 1.5, 1.0, 1.5)), "$\N{BLACK FOUR POINTED STAR}$", 2.0),
    "svmlight": Style("SVMlight", "#4d4d4d", (0, (6.0, 1.5, 1.0, 1.5)), "$\N{TWELVE POINTED BLACK STAR}$"),
    # one hue for methods of a kind: cutting planes, dual coordinates, stochastic gradients
    "svmperf": Style("SVMperf", "#1b7837", (0, (9.0, 2.5)), "$\N{BLACK RECTANGLE}$"),
    "ocas": Style("OCAS", "#67b96a", (0, (4.5, 1.5)), "$\N{BLACK VERTICAL RECTANGLE}$"),
    "dcd": Style("DCD", "#d7301f", "-", "$\N{BLACK LOWER RIGHT TRIANGLE}$", 2.2),
    "liblinear": Style("LIBLINEAR", "#fc8d59", (0, (2.0, 1.0)), "$\N{BLACK UPPER RIGHT TRIANGLE}$"),
    "mpu": Style("MPU", "#8c2d04", (0, (6.5, 1.5, 1.5, 1.5)), "$\N{BLACK LOWER LEFT TRIANGLE}$"),
    "svmsgd": Style("SVMSGD", "#ae017e", (0, (3.0, 1.2)), "$\N{LEFT HALF BLACK CIRCLE}$"),
    "sgdqn": Style("SGD-QN", "#f768a1", (0, (5.5, 1.2, 1.2, 1.2)), "$\N{RIGHT HALF BLACK CIRCLE}$"),
    "sgdqn_2009": Style("SGD-QN, averaged", "#c51b8a", (0, (1.0, 1.2)), "$\N{CIRCLE WITH UPPER HALF BLACK}$"),
    "sklearn_sgd": Style("scikit-learn SGD", "#aa8f00", (0, (1.5, 1.5)), "$\N{BLACK UPPER LEFT TRIANGLE}$"),
    "sgd_r": Style("SGD-r", "#7fb8e6", (0, (4.0, 1.4)), "$\N{BLACK CLUB SUIT}$"),
    "sgd_s": Style("SGD-s", "#2b7bba", "-", "$\N{BLACK SPADE SUIT}$", 2.2),
    "sgd_m": Style("SGD-m", "#08306b", "-", "$\N{BLACK HEART SUIT}$", 2.6),
    "minibatch_pegasos": Style("mini-batch Pegasos", "#cc7a00", (0, (8.0, 1.5)), "$\N{BLACK PENTAGON}$"),
    "minibatch_sdca": Style("mini-batch SDCA", "#00684a", "-", "$\N{BLACK UP-POINTING SMALL TRIANGLE}$", 2.4),
    "asset": Style("ASSET", "#5e4fa2", "-", "$\N{BLACK DIAMOND MINUS WHITE X}$", 2.4),
    "asset_star": Style("ASSET*", "#9e7bd0", (0, (6.0, 1.6)), "$\N{SIX POINTED BLACK STAR}$"),
    "asset_online": Style("ASSET on a stream", "#9e0142", (0, (9.0, 2.0)), "$\N{BLACK CENTRE WHITE STAR}$"),
    "asset_star_online": Style("ASSET* on a stream", "#e0709a", (0, (3.5, 1.4)), "$\N{EIGHT POINTED BLACK STAR}$"),
    "cpny": Style("CPNY", "#4d9221", (0, (7.5, 1.5)), "$\N{BLACK PARALLELOGRAM}$"),
    "cpsp": Style("CPSP", "#8fbf2f", (0, (4.0, 1.5, 1.2, 1.5)), "$\N{BLACK RIGHT-POINTING POINTER}$"),
    "sklearn_nystroem": Style("scikit-learn Nystroem", "#6b5b00", (0, (2.5, 1.2)), "$\N{BLACK LEFT-POINTING POINTER}$"),
}
"""Styles by algorithm, as in ``algo=<name>``."""

_SPARE: Final = (
    Style("", "#332288", (0, (9.0, 2.0)), "<"),
    Style("", "#882255", (0, (2.5, 1.5)), ">"),
    Style("", "#44aa99", "-", "*"),
    Style("", "#999933", (0, (8.0, 1.5, 2.0, 1.5)), "h"),
    Style("", "#661100", (0, (5.0, 1.5, 1.5, 1.5)), "d"),
    Style("", "#7fbf00", (0, (3.5, 1.2)), "$\N{BLACK HOURGLASS}$"),
    Style("", "#777777", "-", "8"),
)

AXIS_NAMES: Final[Mapping[str, str]] = {
    "kernel_evaluations": "kernel evaluations",
    "inner_products": "inner products",
    "feature_accesses": "feature accesses",
    "feature_accesses_dense": "feature accesses (dense convention)",
    "presentations": "example presentations",
    "cpu_seconds": "CPU seconds in the solver",
    "wall_seconds": "seconds in the solver",
    "dual": "dual objective",
    "primal": "primal objective",
    "gap": "duality gap",
    "support_vectors": "support vectors",
    "water_level": "water level (saddle value)",
}
"""Names of costs and measures on axes; others are the column's name with spaces."""


def styles_for(labels: Iterable[str]) -> dict[str, Style]:
    """Return the style of each label; styles differ while there are enough of them.

    A label that begins with an algorithm's name (``sbp``, ``fourier 64``) gets its style; any other label gets a spare
    one, chosen by the label's hash.
    """
    result: dict[str, Style] = {}
    taken: set[str] = set()
    for label in sorted(labels, key=lambda text: (text not in STYLES, text)):
        own = STYLES.get((label.split() or [""])[0].lower())
        if own is not None and own.color not in taken:
            style = replace(own, name=own.name if label.lower() in STYLES else label)
        else:
            first = int(hashlib.sha256(label.encode()).hexdigest(), 16)
            order = [_SPARE[(first + offset) % len(_SPARE)] for offset in range(len(_SPARE))]
            style = replace(next((spare for spare in order if spare.color not in taken), order[0]), name=label)
        taken.add(style.color)
        result[label] = style
    return result


def axis_name(column: str) -> str:
    """Return the name of a curve's column on an axis."""
    text = AXIS_NAMES.get(column, column.replace("_", " "))
    return text[0].upper() + text[1:]


def own_settings(*changes: Path | Mapping[str, Any]) -> AbstractContextManager[None]:
    """Return a context with our settings of matplotlib instead of the user's, to draw and save figures.

    `changes` are style files such as `PAPER`, or settings, that change those of the screen.
    """
    import matplotlib.style

    styles: Any = ["default", _SCREEN, *changes]
    context: AbstractContextManager[None] = matplotlib.style.context(styles, after_reset=True)
    return context


def plain_frame(axes: Axes, grid: Literal["both", "x"] = "both") -> None:
    """Draw only the sides with numbers, and a grid behind all curves: of both axes, or of x if y has no numbers."""
    axes.tick_params(colors=INK)
    axes.grid(True, axis=grid, which="major", color=GRID)
    axes.set_axisbelow(True)
    for side in ("top", "right") if grid == "both" else ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def on_dark(colors: Sequence[str]) -> list[str]:
    """Return colours ``#rrggbb`` for a dark ground: as light as needed, and turned in hue where two become alike."""
    on_white = oklab(colors)
    # vivid colours first: they keep their hue
    order = np.argsort(-np.hypot(on_white[:, 1], on_white[:, 2]), kind="stable")
    chosen = np.zeros((len(colors), 3))
    for k, color in enumerate(order):
        lab, before = on_white[color], order[:k]
        wanted = np.array([max(lab[0], _LEAST_LIGHTNESS), lab[1], lab[2]])
        options = oklab(_hexadecimal(_near(wanted)))
        needed = np.minimum(_APART, _KEPT_DISTANCE * np.linalg.norm(lab - on_white[before], axis=1))
        apart = np.linalg.norm(options[:, None] - chosen[before], axis=2)
        lacking = np.maximum(needed - apart, 0.0).max(axis=1, initial=0.0)
        chosen[color] = options[np.argmin(10 * lacking + np.linalg.norm(options - wanted, axis=1))]
    return _hexadecimal(chosen)


def oklab(colors: Sequence[str]) -> NDArray[np.float64]:
    """Return lightness and two coordinates of hue of each colour, (n, 3): distances are as they are seen."""
    rgb = np.array([[int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)] for color in colors]).reshape(-1, 3)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab: NDArray[np.float64] = np.cbrt(linear @ _CONES.T) @ _LAB.T
    return lab


def _near(lab: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a colour and others of near hues, other lightness or less chroma, (n, 3)."""
    turns = np.radians(np.arange(-30, 31, 15))
    lightness = np.append(np.arange(_LEAST_LIGHTNESS, 0.95, 0.04), lab[0])
    light, turn, share = (part.ravel() for part in np.meshgrid(lightness, turns, (1.0, 0.6)))
    chroma, hue = share * np.hypot(lab[1], lab[2]), np.arctan2(lab[2], lab[1]) + turn
    return np.column_stack([light, chroma * np.cos(hue), chroma * np.sin(hue)])


def _hexadecimal(lab: NDArray[np.float64]) -> list[str]:
    linear = np.clip((lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_CONES).T, 0.0, 1.0)
    rgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return ["#" + "".join(f"{round(255 * part):02x}" for part in row) for row in rgb.tolist()]
