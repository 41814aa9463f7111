"""Writes curves as one HTML page on which a reader chooses data set, solvers, cost and measure; lists such pages.

The page loads nothing from elsewhere: plotly.js, our scripts (``page/``) and the curves are in it. Without scripts it
shows a picture.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ...support.errors import UserError
from ...support.files import open_plain, write_file
from ...support.text import made_by_make
from ..columns import COLUMNS, COSTS, MEASURES, STEP_COSTS
from ..curve import MAX_POINTS, spread_rows
from .styles import Style, axis_name, on_dark

if TYPE_CHECKING:
    import pandas as pd


class NoPlotlyError(UserError):
    """A page cannot be made, as plotly is not installed; all else can."""


PAGE: Final = "curves.html"
"""Name of the file."""
CHARGED: Final = "charged_evaluations"
"""A cost that only a page has: the iterations times n."""
SUBOPTIMALITY: Final = "suboptimality"
"""A measure that only a page has: (P - L) / L, with L a lower bound on the optimum of P."""
MOST_BYTES: Final = 6_000_000
"""Largest page."""
_SOURCES: Final = Path(__file__).with_name("page")
_SCRIPTS: Final = ("arithmetic.js", "curves.js", "lists.js", "controls.js")
_COSTS: Final = (*COSTS, CHARGED)
_MEASURES: Final = (*MEASURES, SUBOPTIMALITY)
_NAMES: Final = {
    CHARGED: "Kernel evaluations, n for each iteration",
    SUBOPTIMALITY: "Suboptimality, (P - L) / L",
}
_RISING: Final = ("dual",)
"""Measures that are better when larger; the others are better when smaller."""
_TO_ZERO: Final = ("gap", "relative_gap", SUBOPTIMALITY)
"""Measures whose optimum is 0: drawn on a logarithmic axis."""
_MOST_NUMBERS: Final = 800_000
_LEAST_POINTS: Final = 20
INDEX: Final = "index.html"
"""Name of the list of the pages in a folder."""
_MARK: Final = "<!-- pages of curves -->"
"""Tells our list from a file that someone else has put there."""
_TITLE_BYTES: Final = 4096
"""Bytes at the beginning of a page that have its title."""


@dataclass(frozen=True)
class RunCurve:
    """The curve of one run, the command that makes it again, and its settings for the reader."""

    dataset: str
    series: str
    seed: int
    curve: pd.DataFrame
    """With some or all columns of a curve (`experiments.curve`), and perhaps `CHARGED` and `SUBOPTIMALITY`."""
    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Swept:
    """The only number that differs between the curves of an algorithm."""

    name: str
    families: Sequence[Style]
    """Of each algorithm."""
    places: Mapping[str, tuple[int, float]]
    """For each series its algorithm, a place in `families`, and its number."""


@dataclass(frozen=True)
class Curves:
    """The content of a page."""

    title: str
    runs: Sequence[RunCurve]
    """At least one. Data sets are listed in the order of their first run."""
    styles: Mapping[str, Style]
    """Of each series, in the order of the page."""
    datasets: Mapping[str, str] = field(default_factory=dict)
    """Names of data sets for the reader; others keep theirs."""
    claims: Sequence[Mapping[str, Any]] = ()
    """Each has ``id``, ``says`` and ``readings``, the first of which is nearest to the paper's words. A reading has
    ``id``, ``says``, ``outcome``, ``measured``, and ``datasets``, ``series``, ``cost`` and ``measure`` of the curves by
    which it is judged; without series the page shows no button."""
    facts: str = ""
    """One line below the title: scale, number of runs, stand-ins."""
    small_print: str = ""
    """Last line: commit, command."""
    pictures: Sequence[bytes] = ()
    """PNGs that a browser without scripts shows."""
    cost: str = ""
    """Drawn first, with `measure`; if no run has it, the one of `STEP_COSTS` that most runs have."""
    measure: str = "test_error"
    middle: Literal["mean", "median"] = "mean"
    """Drawn first of several runs."""
    first: Collection[str] = ()
    """Series that are drawn first; empty: all."""
    highlight: str = ""
    target: float | None = None
    """The first target, in the unit of the measure; None: one that the page chooses."""
    stays: bool = True
    """Whether the target is reached where the mean stays at or below it, or else at a run's first evaluation there."""
    swept: Swept | None = None
    """Then the page also draws last values and costs against the number, and the last values first."""


def curves_page(content: Curves) -> str:
    """Return the page.

    Raises ValueError if no run has both a cost and a measure.
    """
    values = {
        "title": html.escape(content.title),
        "facts": html.escape(content.facts),
        "small_print": html.escape(content.small_print),
        "pictures": "".join(
            f'<img src="data:image/png;base64,{base64.b64encode(png).decode()}" alt="{html.escape(content.title)}">'
            for png in content.pictures
        ),
        "css": _source("curves.css"),
        "script": "".join(map(_source, _SCRIPTS)),
        "data": _packed(_json(content)),
        "plotly": _plotly(),
    }
    return Template(_source("curves.html")).substitute(values)


@cache
def _source(name: str) -> str:
    return (_SOURCES / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        install = "make environment" if made_by_make() else "pip install plotly"
        raise NoPlotlyError(f"no {PAGE}: it needs plotly, which cannot be imported here: {install}") from error
    return _packed(get_plotlyjs())


def _packed(text: str) -> str:
    """Compress a text; level 5 takes half the time of level 9, for one per cent more bytes."""
    return base64.b64encode(gzip.compress(text.encode(), 5, mtime=0)).decode("ascii")


def _json(content: Curves) -> str:
    """Return the data of the page: descriptions, and for each run a list of numbers, or 0, for each column."""
    tables = [_known_columns(run.curve) for run in content.runs]
    present = {name for table in tables for name in table}
    costs, measures = ([name for name in names if name in present] for names in (_COSTS, _MEASURES))
    if not costs or not measures:
        raise ValueError("no run has both a cost and a measure: there is no curve to show")
    datasets = list(dict.fromkeys(run.dataset for run in content.runs))
    drawn = {run.series for run in content.runs}
    series = [name for name in content.styles if name in drawn]
    looks = _looks([content.styles[name] for name in series])
    settings: dict[str, int] = {}
    runs = [
        {
            "d": datasets.index(run.dataset),
            "s": series.index(run.series),
            "seed": run.seed,
            "command": run.command,
            "settings": settings.setdefault(json.dumps(dict(run.settings)), len(settings)),
        }
        for run in content.runs
    ]
    several = len({(run.dataset, run.series) for run in content.runs}) < len(runs)
    measure = content.measure if content.measure in measures else measures[0]
    head: dict[str, Any] = {
        "costs": [{"name": name, "label": _name(name)} for name in costs],
        "measures": [
            {
                "name": name,
                "label": _name(name),
                "percent": name.endswith("_error"),
                "rises": name in _RISING,
                "toZero": name in _TO_ZERO,
            }
            for name in measures
        ],
        "datasets": [{"name": name, "label": content.datasets.get(name, name)} for name in datasets],
        "series": [{"name": name, **look} for name, look in zip(series, looks, strict=True)],
        "runs": runs,
        "settings": [json.loads(text) for text in settings],
        "claims": [_claim(claim, datasets, series, costs, measures) for claim in content.claims],
        "start": {
            "cost": content.cost if content.cost in costs else _usual_cost(tables, costs),
            "measure": measure,
            "view": "last" if content.swept else content.middle if several else "runs",
            "reach": "stays" if content.stays else "first",
            "highlight": content.highlight,
            "hidden": [name for name in series if content.first and name not in content.first],
            "target": content.target if measure == content.measure else None,
            "xlog": True,
            "ylog": measure in _TO_ZERO,
            "whole": False,
            "bands": False,
        },
    }
    if swept := content.swept:
        head |= {"swept": swept.name, "families": _looks(swept.families)}
        for series in head["series"]:
            series["family"], series["place"] = swept.places[series["name"]]
    limit = min(MAX_POINTS, max(_LEAST_POINTS, _MOST_NUMBERS // (len(runs) * (len(costs) + len(measures)))))
    values = ",".join(_numbers(table, (*costs, *measures), limit) for table in tables)
    return json.dumps(head)[:-1] + f', "values": [{values}]}}'


def _known_columns(curve: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve that have a value, (rows,) each, missing values as NaN."""
    names = [name for name in (*COLUMNS, CHARGED, SUBOPTIMALITY) if name in curve.columns]
    table = curve.reindex(columns=names).to_numpy(dtype=np.float64, na_value=np.nan)
    return {name: table[:, index] for index, name in enumerate(names) if not np.isnan(table[:, index]).all()}


def _usual_cost(tables: Sequence[Mapping[str, object]], costs: Sequence[str]) -> str:
    """Return the cost of `STEP_COSTS` that most runs have, the first of equals; else the first of `costs`."""
    counted = {name: sum(name in table for table in tables) for name in STEP_COSTS if name in costs}
    return max(counted, key=lambda name: counted[name], default=costs[0])


def _numbers(table: Mapping[str, NDArray[np.float64]], names: Sequence[str], limit: int) -> str:
    """Write the columns of a curve with five significant digits; a column that it does not have is 0."""
    cost = next((table[name] for name in COSTS if name in table), np.zeros(0))
    rows = spread_rows(cost, limit)
    form = ",".join(["%.5g"] * len(rows))
    texts = [f"[{form % tuple(table[name][rows].tolist())}]" if name in table else "0" for name in names]
    return f"[{','.join(texts)}]".replace("nan", "null")


def _name(column: str) -> str:
    return _NAMES.get(column) or axis_name(column)


def _looks(styles: Sequence[Style]) -> list[dict[str, Any]]:
    """Return label, colours and line of each style; ``split``: the line is dashed after the first epoch."""
    return [
        {
            "label": style.name,
            "color": style.color,
            "dark": dark,
            "dash": "" if style.line == "-" else ",".join(f"{style.width * length:.3g}px" for length in style.line[1]),
            "width": style.width,
            "split": style.dashed_after_first_epoch,
        }
        for style, dark in zip(styles, on_dark([style.color for style in styles]), strict=True)
    ]


def _claim(
    claim: Mapping[str, Any],
    datasets: Sequence[str],
    series: Sequence[str],
    costs: Sequence[str],
    measures: Sequence[str],
) -> dict[str, Any]:
    """Return a claim with the data sets, series, costs and measures that the page has."""
    lists, columns = (("datasets", datasets), ("series", series)), (("cost", costs), ("measure", measures))
    readings = [
        reading
        | {name: [item for item in reading[name] if item in present] for name, present in lists}
        | {name: reading[name] if reading[name] in present else "" for name, present in columns}
        for reading in claim["readings"]
    ]
    return {**claim, "readings": readings}


def write_overview(folder: Path, title: str) -> Path | None:
    """Write the list of the pages of curves one or two levels below a folder, and return its path.

    None without pages, or where the folder has an ``index.html`` of something else, which stays.
    """
    path = folder / INDEX
    pages = [page for name in (f"*/{PAGE}", f"*/*/{PAGE}") for page in folder.glob(name) if page.is_file()]
    pages.sort(key=lambda page: page.stat().st_mtime, reverse=True)
    if not pages or (path.exists() and not (path.is_file() and _MARK in _beginning(path))):
        return None
    rows = "\n".join(_row(page, folder) for page in pages)
    text = Template(_source("overview.html")).substitute(title=html.escape(title), rows=rows)
    write_file(path, text.encode(), sync=False)
    return path


def _row(page: Path, folder: Path) -> str:
    below = page.parent.relative_to(folder)
    link = quote(below.as_posix())
    title = re.search(r"<title>(.*?)</title>", _beginning(page), re.DOTALL)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(page.stat().st_mtime))
    picture = min([*page.parent.glob("curves*.png"), *page.parent.glob("figure.png")], default=None)
    image = f'<img src="{link}/{quote(picture.name)}" alt="" loading="lazy">' if picture else ""
    name, facts = title[1] if title else html.escape(below.name), html.escape(f"{when}; {below}")
    return f'<li>{image}<div><a href="{link}/{PAGE}">{name}</a><small>{facts}</small></div></li>'


def _beginning(path: Path) -> str:
    with open_plain(path) as file:
        return file.read(_TITLE_BYTES).decode(errors="replace")
