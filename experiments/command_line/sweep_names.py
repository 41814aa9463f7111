"""Names, order and colours of a sweep's curves: by what differs between them."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from svm_cost_curves.experiments.configuration.settings import setting_name

if TYPE_CHECKING:
    from svm_cost_curves.experiments.plotting import Style

_MARKERS = ("o", "s", "^", "D", "v", "P", "p", "X", "<", ">", "h", "d")
_LONGEST_NUMBER = 12
"""Characters of a number; a longer one is rounded."""
_DARKEST, _LIGHTEST = 0.22, 0.72
"""Lightness of the first and the last of the curves of one algorithm."""
_DARK_END, _LIGHT_END = 0.0, 0.85
"""Part of the colour map that is dark enough to be seen on white."""

Values = tuple[tuple[str, str], ...]
"""Settings and their values, as on the command line."""


def differing(overrides: Sequence[Sequence[str]]) -> list[Values]:
    """Return for each list of overrides those whose values are not the same in all lists, by the settings' names."""
    values = [{setting_name(text): text.partition("=")[2] for text in own} for own in overrides]
    names = dict.fromkeys(name for own in values for name in own)
    differ = [name for name in names if len({own.get(name) for own in values}) > 1]
    return [tuple((name, own[name]) for name in differ if name in own) for own in values]


def in_order(values: Values) -> tuple[tuple[float, str], ...]:
    """Return what sorts values: numbers by size, before texts in the order of the alphabet."""
    return tuple((_number(text), text) for _, text in values)


def labels(curves: Sequence[tuple[str, Values]]) -> list[str]:
    """Return a short name for each curve of one picture, all different.

    It has the algorithm where there are several, and each differing setting with its value (`short`).

    Parameters
    ----------
    curves : sequence of (str, Values)
        Algorithm and differing settings of each curve.
    """
    own = differing([[f"{name}={value}" for name, value in values] for _, values in curves])
    several = len({algo for algo, _ in curves}) > 1
    return [
        " ".join([called(algo)] * (several or not parts) + parts)
        for (algo, _), parts in zip(curves, short(own), strict=True)
    ]


def short(lists: Sequence[Values]) -> list[list[str]]:
    """Return lists of settings as short texts ``name=value``.

    A name is the last part of the setting's, where no other setting has the same. Numbers of many digits have three,
    where that tells all values of the setting apart.
    """
    settings = dict.fromkeys(name for values in lists for name, _ in values)
    lasts = [name.rpartition(".")[2].rstrip("_") for name in settings]  # lambda_ is Python's spelling
    names = {name: last if lasts.count(last) == 1 else name for name, last in zip(settings, lasts, strict=True)}
    shown = {name: _shown({value for values in lists for other, value in values if other == name}) for name in settings}
    return [[f"{names[name]}={shown[name][value]}" for name, value in values] for values in lists]


def job_labels(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return a short name for each job of a sweep: algorithm, data set and settings, as far as they differ."""
    differ = [dict(values) for values in differing(overrides)]
    first = [[own.pop(name).replace("\\:", ":") for name in ("algo", "dataset") if name in own] for own in differ]
    texts = short([tuple(own.items()) for own in differ])
    return [
        " ".join(parts + rest) or " ".join(words) for parts, rest, words in zip(first, texts, overrides, strict=True)
    ]


def called(algo: str) -> str:
    """Return an algorithm's name in pictures."""
    from svm_cost_curves.experiments.plotting import STYLES

    return STYLES[algo].name if algo in STYLES else algo


def styles(curves: Sequence[tuple[str, Values]]) -> dict[str, Style]:
    """Return the style of each curve by its label (`labels`), in the order of the curves.

    Curves of one algorithm have its line, and colours from dark to light in their order. Where there is one algorithm
    only, the colours are those of matplotlib's viridis, whose steps are larger.
    """
    from svm_cost_curves.experiments.plotting import Style, styles_for

    named = dict(zip(labels(curves), curves, strict=True))
    own = styles_for({algo for algo, _ in curves})
    members = {algo: [label for label, (other, _) in named.items() if other == algo] for algo in own}
    result: dict[str, Style] = {}
    for label, (algo, _) in named.items():
        family = members[algo]
        if len(family) == 1:
            result[label] = replace(own[algo], name=label)
            continue
        place = family.index(label)
        share = place / (len(family) - 1)
        result[label] = Style(
            label,
            _viridis(share) if len(members) == 1 else _shade(own[algo].color, share),
            "-" if len(members) == 1 else own[algo].line,
            _MARKERS[place % len(_MARKERS)],
        )
    return result


def _shown(values: set[str]) -> dict[str, str]:
    """Return each value as it is written in names."""
    long = {value for value in values if len(value) > _LONGEST_NUMBER and math.isfinite(_number(value))}
    shown = {value: f"{float(value):.3g}" if value in long else value for value in values}
    return shown if len(set(shown.values())) == len(values) else {value: value for value in values}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.inf


def _viridis(share: float) -> str:
    import matplotlib
    from matplotlib.colors import to_hex

    return to_hex(matplotlib.colormaps["viridis"](_DARK_END + (_LIGHT_END - _DARK_END) * share))


def _shade(color: str, share: float) -> str:
    """Return a colour of the same hue, from dark (0) to light (1)."""
    red, green, blue = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    shade = colorsys.hls_to_rgb(hue, _DARKEST + (_LIGHTEST - _DARKEST) * share, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in shade)
