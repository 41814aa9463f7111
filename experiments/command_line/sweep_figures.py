"""The figures of a sweep, or of one run for a paper: test error against cost, one for each data set."""

from __future__ import annotations

import colorsys
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import matplotlib
import pandas as pd
from matplotlib.colors import to_hex

from ...support.text import power_of_ten
from .. import provenance
from ..columns import STEP_COSTS
from ..curve import column, cost_to_stay
from ..plotting import STYLES, NothingToDrawError, Picture, Style, curves_picture, mean_curves, styles_for
from ..processes.outcome import Outcome
from ..processes.streams import print_error
from ..store.run_folder import DamagedRunError, read_run
from .sweep_names import Group, Values, differing, groups, short

NEAR = 0.1
"""`sentence` compares at an error a tenth above the least one of all mean curves."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "p", "X", "<", ">", "h", "d")
_DARKEST, _LIGHTEST = 0.22, 0.72
"""Lightness of the first and the last of the curves of one algorithm."""
_DARK_END, _LIGHT_END = 0.0, 0.85
"""Part of the colour map that is dark enough to be seen on white."""

Member = tuple[Group, list[tuple[Outcome, pd.DataFrame]]]
"""A group and its runs with their curves."""


def members_of(outcomes: Sequence[Outcome]) -> list[Member]:
    """Return the groups of runs with their curves, as far as the records are on this machine.

    A run whose record is damaged is left out, with a line on it.
    """
    members = [
        (group, [(outcome, curve) for outcome in group.outcomes if (curve := _curve_of(outcome)) is not None])
        for group in groups(outcomes)
    ]
    return [(group, runs) for group, runs in members if runs]


def _curve_of(outcome: Outcome) -> pd.DataFrame | None:
    try:
        run = None if outcome.result_path is None else read_run(Path(outcome.result_path).parent)
        return None if run is None else run.curve
    except DamagedRunError as error:
        print_error(f"not drawn: {error}")
        return None


def pictures(
    members: Sequence[Member], command: str, highlight: str | None, *, names: bool = True
) -> Iterator[tuple[str, Picture, str]]:
    """Yield of each data set the end of its file's name, the picture, its sentence; say which has no point to draw.

    The cost is the one that most runs count: kernel evaluations or feature accesses; where no run counts either,
    iterations. `highlight` is the algorithm whose curves are in colour, with a `sentence`; None: all, without one.
    """
    by_dataset: dict[str, dict[tuple[str, Values], list[pd.DataFrame]]] = {}
    for group, runs in members:
        by_dataset.setdefault(group.dataset, {})[group.algo, group.values] = [curve for _, curve in runs]
    for dataset, drawn in by_dataset.items():
        curve_styles = styles([*drawn])
        algorithms = list(dict.fromkeys(algo for algo, _ in drawn))
        named = dict(zip(curve_styles, drawn.values(), strict=True))
        cost = _cost([curve for curves in named.values() for curve in curves])
        only = f", {called(algorithms[0])}" if len(algorithms) == 1 else ""
        text = sentence(named, cost) if highlight else ""
        try:
            picture = curves_picture(
                named,
                cost=cost,
                title=f"Test error against cost on {dataset}{only}",
                small_print=small_print(command),
                styles=curve_styles,
                in_order=any(values for _, values in drawn),
                names=names,
                coloured=[label for label, (algo, _) in zip(curve_styles, drawn, strict=True) if algo == highlight],
                sentence=text,
                level=near_least(named, cost) if highlight else None,
            )
        except NothingToDrawError as error:  # the sweep is done all the same
            print_error(f"no figure: {error}")
        else:
            yield f"-{_file_name(dataset)}" if len(by_dataset) > 1 else "", picture, text


def small_print(command: str) -> str:
    """Return the text below a figure: the program's commit and the command."""
    commit, dirty = provenance.git_state(provenance.PROJECT_ROOT)
    return f"commit {provenance.commit_text(commit, dirty)}; {command}" if commit else command


def _file_name(dataset: str) -> str:
    """Return a data set's name as a part of a file's name; other names than letters, digits, . _ - get a checksum."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", dataset)
    return plain if plain == dataset else f"{plain[:80]}_{hashlib.sha256(dataset.encode()).hexdigest()[:6]}"


def _cost(curves: Sequence[pd.DataFrame]) -> str:
    *telling, otherwise = STEP_COSTS
    counted = {name: sum(not curve[name].isna().any() for curve in curves) for name in telling}
    best = max(telling, key=lambda name: counted[name])  # the first of equals
    return best if counted[best] else otherwise


def near_least(curves: Mapping[str, Sequence[pd.DataFrame]], cost: str) -> float:
    """Return the error, a fraction, that `sentence` compares; 0 without curves."""
    return (1 + NEAR) * min((float(mean.mean.min()) for mean in mean_curves(curves, cost=cost).values()), default=0.0)


def sentence(curves: Mapping[str, Sequence[pd.DataFrame]], cost: str = "kernel_evaluations") -> str:
    """Say after which cost, a column, the mean test error of each algorithm's runs stays near the least error.

    The sentence is empty if no algorithm stays there.
    """
    target = near_least(curves, cost)
    runs = {
        called(name): [(column(frame, cost), column(frame, "test_error")) for frame in frames]
        for name, frames in curves.items()
    }
    stays = {name: cost_to_stay(points, target) for name, points in runs.items()}
    reached = sorted((spent, name) for name, spent in stays.items() if spent is not None)
    if not reached:
        return ""
    (least, first), *rest = reached
    parts = [
        f"By the mean over the runs {first} stays at or below {100 * target:.1f} % test error, a tenth above the "
        f"least, after {_count(least)} {cost.replace('_', ' ')}",
        *([f"{rest[0][1]} needs {rest[0][0] / least:.1f} times as many"] if rest else []),
    ]
    parts[-1] += "".join(f", {name} {spent / least:.1f}" for spent, name in rest[1:])
    if lost := [name for name, spent in stays.items() if spent is None]:
        names = " and ".join(filter(None, (", ".join(lost[:-1]), lost[-1])))
        parts.append(f"{names} {'does' if len(lost) == 1 else 'do'} not get there")
    return "; ".join(parts) + "."


def _count(value: float) -> str:
    """Write a count as in 9,000 and 2.06×10⁷."""
    if value < 1e7:
        return f"{value:,.0f}"
    digits, _, exponent = f"{value:.2e}".partition("e")
    return f"{digits}\N{MULTIPLICATION SIGN}{power_of_ten(int(exponent))}"


def called(algo: str) -> str:
    """Return an algorithm's name in pictures."""
    return STYLES[algo].name if algo in STYLES else algo


def labels(curves: Sequence[tuple[str, Values]]) -> list[str]:
    """Return a short name for each curve (algorithm, differing settings) of one picture, all different.

    It has the algorithm where there are several, and each differing setting with its value (`short`).
    """
    values_of_curves = differing([[f"{name}={value}" for name, value in values] for _, values in curves])
    several = len({algo for algo, _ in curves}) > 1
    return [
        " ".join([called(algo)] * (several or not parts) + parts)
        for (algo, _), parts in zip(curves, short(values_of_curves), strict=True)
    ]


def styles(curves: Sequence[tuple[str, Values]]) -> dict[str, Style]:
    """Return the style of each curve by its label (`labels`), in the order of the curves.

    Curves of one algorithm have its line, and colours from dark to light in their order. Where there is one algorithm
    only, the colours are those of matplotlib's viridis, whose steps are larger.
    """
    by_algo = styles_for({algo for algo, _ in curves})
    members = {algo: [index for index, (member, _) in enumerate(curves) if member == algo] for algo in by_algo}
    result: dict[str, Style] = {}
    for index, (label, (algo, _)) in enumerate(zip(labels(curves), curves, strict=True)):
        rank, family = members[algo].index(index), len(members[algo])
        style = replace(by_algo[algo], name=label)
        if family > 1:
            share, marker = rank / (family - 1), _MARKERS[rank % len(_MARKERS)]
            if len(members) == 1:
                place_in_map = _DARK_END + (_LIGHT_END - _DARK_END) * share
                style = Style(label, to_hex(matplotlib.colormaps["viridis"](place_in_map)), "-", marker)
            else:
                style = Style(label, _shade(by_algo[algo].color, share), by_algo[algo].line, marker)
        result[label] = style
    return result


def _shade(color: str, share: float) -> str:
    """Return a colour of the same hue, from dark (0) to light (1)."""
    red, green, blue = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    hue, _, saturation = colorsys.rgb_to_hls(red, green, blue)
    shade = colorsys.hls_to_rgb(hue, _DARKEST + (_LIGHTEST - _DARKEST) * share, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in shade)
