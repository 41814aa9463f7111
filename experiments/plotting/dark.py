"""Colours of curves on a dark ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
_LEAST: Final = 0.6
"""Least lightness; its contrast to the ground is 3.6."""
_APART: Final = 0.1
"""Distance from which two colours are told apart easily."""
_KEPT: Final = 0.8
"""Share of their distance on white that two nearer colours keep."""


def on_dark(colors: Sequence[str]) -> list[str]:
    """Return colours for a dark ground: as light as needed, and turned in hue where two would become alike.

    Parameters
    ----------
    colors : sequence of str
        ``#rrggbb``, on white.
    """
    given = oklab(colors)
    order = np.argsort(-np.hypot(given[:, 1], given[:, 2]), kind="stable")  # vivid colours first: they keep their hue
    chosen = np.zeros((len(colors), 3))
    for k, at in enumerate(order):
        lab, before = given[at], order[:k]
        wanted = np.array([max(lab[0], _LEAST), lab[1], lab[2]])
        options = oklab(_hexadecimal(_near(wanted)))
        needed = np.minimum(_APART, _KEPT * np.linalg.norm(lab - given[before], axis=1))
        apart = np.linalg.norm(options[:, None] - chosen[before], axis=2)
        lacking = np.maximum(needed - apart, 0.0).max(axis=1, initial=0.0)
        chosen[at] = options[np.argmin(10 * lacking + np.linalg.norm(options - wanted, axis=1))]
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
    lightness = np.append(np.arange(_LEAST, 0.95, 0.04), lab[0])
    light, turn, share = (part.ravel() for part in np.meshgrid(lightness, turns, (1.0, 0.6)))
    chroma, hue = share * np.hypot(lab[1], lab[2]), np.arctan2(lab[2], lab[1]) + turn
    return np.column_stack([light, chroma * np.cos(hue), chroma * np.sin(hue)])


def _hexadecimal(lab: NDArray[np.float64]) -> list[str]:
    linear = np.clip((lab @ np.linalg.inv(_LAB).T) ** 3 @ np.linalg.inv(_CONES).T, 0.0, 1.0)
    rgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return ["#" + "".join(f"{round(255 * part):02x}" for part in row) for row in rgb.tolist()]
