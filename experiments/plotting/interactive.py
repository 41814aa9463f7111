"""Writes curves as one HTML page on which a reader chooses data set, solvers, cost and measure.

The page loads nothing from elsewhere: plotly.js, our scripts (``page/``) and the curves are in it. Without scripts it
shows a picture.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.columns import COLUMNS, COSTS, MEASURES, STEP_COSTS
from svm_cost_curves.experiments.curve import MAX_POINTS, spread_rows
from svm_cost_curves.experiments.plotting.styles import Style, axis_name

if TYPE_CHECKING:
    import pandas as pd

PAGE: Final = "curves.html"
"""Name of the file."""
MOST_BYTES: Final = 6_000_000
"""Largest page."""
_SOURCES: Final = Path(__file__).with_name("page")
_SCRIPTS: Final = ("arithmetic.js", "curves.js", "controls.js")
_RISING: Final = ("dual",)
"""Measures that are better when larger; the others are better when smaller."""
_MOST_NUMBERS: Final = 800_000
_LEAST_POINTS: Final = 20
_NO_FIGURES: Final = '<nav id="figures"></nav>'


@dataclass(frozen=True)
class RunCurve:
    """The curve of one run, and what a reader wants to know of the run.

    Attributes
    ----------
    dataset, series : str
        Name of the data set and of the curve.
    seed : int
    curve : DataFrame
        With some or all columns of a curve (`experiments.curve`).
    command : str
        Makes the run again.
    settings : mapping of str to str
    """

    dataset: str
    series: str
    seed: int
    curve: pd.DataFrame
    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class JudgedReading:
    """A reading of a claim, and the curves by which it is judged.

    Attributes
    ----------
    id, says, outcome, measured : str
    datasets, series : sequence of str
        Names as in `RunCurve`; without series the page shows no button.
    cost, measure : str
        Columns; empty if several or none were read.
    """

    id: str
    says: str
    outcome: str
    measured: str = ""
    datasets: Sequence[str] = ()
    series: Sequence[str] = ()
    cost: str = ""
    measure: str = ""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its readings; the first is nearest to the paper's words."""

    id: str
    says: str
    readings: Sequence[JudgedReading]


@dataclass(frozen=True)
class Curves:
    """The content of a page.

    Attributes
    ----------
    title : str
    runs : sequence of RunCurve
        At least one. Data sets are listed in the order of their first run.
    styles : mapping of str to Style
        Of each series, in the order of the page.
    datasets : mapping of str to str
        Names of data sets for the reader; others keep theirs.
    claims : sequence of JudgedClaim
    facts : str
        One line below the title: scale, number of runs, stand-ins.
    small_print : str
        Last line: commit, command.
    pictures : sequence of bytes
        PNGs that a browser without scripts shows.
    cost, measure : str
        Columns that are drawn first. If no run has the cost, the one of `STEP_COSTS` that most runs have.
    """

    title: str
    runs: Sequence[RunCurve]
    styles: Mapping[str, Style]
    datasets: Mapping[str, str] = field(default_factory=dict)
    claims: Sequence[JudgedClaim] = ()
    facts: str = ""
    small_print: str = ""
    pictures: Sequence[bytes] = ()
    cost: str = ""
    measure: str = "test_error"


def curves_page(content: Curves) -> str:
    """Return the page.

    Raises
    ------
    ValueError
        No run has both a cost and a measure.
    """
    values = {
        "title": html.escape(content.title),
        "facts": html.escape(content.facts),
        "small_print": html.escape(content.small_print),
        "pictures": "".join(map(partial(_image, content.title), content.pictures)),
        "css": _source("curves.css"),
        "script": "".join(map(_source, _SCRIPTS)),
        "data": _packed(_json(content)),
        "plotly": _plotly(),
    }
    return Template(_source("curves.html")).substitute(values)


def with_figures(page: str, figures: Iterable[tuple[str, str]], chosen: str, *, report: str) -> str:
    """Return a page with a list of other pages to go to, and a link to the report on all of them.

    Parameters
    ----------
    page : str
        As `curves_page` returns it.
    figures : iterable of (str, str)
        Address, relative to the page, and name of each.
    chosen : str
        Address of this page.
    report : str
        Address of the report.
    """
    options = "".join(
        f'<option value="{html.escape(link)}"{" selected" * (link == chosen)}>{html.escape(name)}</option>'
        for link, name in figures
    )
    select = f'<label>Figure <select id="figure" autocomplete="off">{options}</select></label>'
    link = f'<a href="{html.escape(report)}">Report</a>'
    return page.replace(_NO_FIGURES, f'<nav aria-label="Figures">{link} {select}</nav>', 1)


def _image(title: str, png: bytes) -> str:
    return f'<img src="data:image/png;base64,{base64.b64encode(png).decode("ascii")}" alt="{html.escape(title)}">'


@cache
def _source(name: str) -> str:
    return (_SOURCES / name).read_text(encoding="utf-8")


@cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return _packed(get_plotlyjs())


def _packed(text: str) -> str:
    """Compress a text; level 3 takes a third of the time of level 9, for a tenth more bytes."""
    return base64.b64encode(gzip.compress(text.encode(), 3, mtime=0)).decode("ascii")


def _json(content: Curves) -> str:
    """Return the data of the page: descriptions, and for each run a list of numbers, or 0, for each column."""
    tables = [_known_columns(run.curve) for run in content.runs]
    own = {name for table in tables for name in table}
    costs, measures = ([name for name in names if name in own] for names in (COSTS, MEASURES))
    if not costs or not measures:
        raise ValueError("no run has both a cost and a measure: there is no curve to show")
    datasets = list(dict.fromkeys(run.dataset for run in content.runs))
    series = [name for name in content.styles if any(run.series == name for run in content.runs)]
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
    head: dict[str, Any] = {
        "costs": [{"name": name, "label": axis_name(name)} for name in costs],
        "measures": [
            {"name": name, "label": axis_name(name), "percent": name.endswith("_error"), "rises": name in _RISING}
            for name in measures
        ],
        "datasets": [{"name": name, "label": content.datasets.get(name, name)} for name in datasets],
        "series": [{"name": name, **_style(content.styles[name])} for name in series],
        "runs": runs,
        "settings": [json.loads(text) for text in settings],
        "claims": [_claim(claim, datasets, series, costs, measures) for claim in content.claims],
        "start": {
            "cost": content.cost if content.cost in costs else _usual_cost(tables, costs),
            "measure": content.measure if content.measure in measures else measures[0],
            "view": "mean" if several else "runs",
            "xlog": True,
            "ylog": False,
            "whole": False,
        },
    }
    limit = min(MAX_POINTS, max(_LEAST_POINTS, _MOST_NUMBERS // (len(runs) * (len(costs) + len(measures)))))
    values = ",".join(_numbers(table, (*costs, *measures), limit) for table in tables)
    return json.dumps(head)[:-1] + f', "values": [{values}]}}'


def _known_columns(curve: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve that have a value, (rows,) each, missing values as NaN."""
    names = [name for name in COLUMNS if name in curve.columns]
    table = curve.reindex(columns=names).to_numpy(dtype=np.float64, na_value=np.nan)
    return {name: table[:, place] for place, name in enumerate(names) if not np.isnan(table[:, place]).all()}


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


def _style(style: Style) -> dict[str, Any]:
    dash = "" if style.line == "-" else ",".join(f"{style.width * length:.3g}px" for length in style.line[1])
    return {"label": style.name, "color": style.color, "dash": dash, "width": style.width}


def _claim(
    claim: JudgedClaim, datasets: Sequence[str], series: Sequence[str], costs: Sequence[str], measures: Sequence[str]
) -> dict[str, Any]:
    readings = [
        {
            "id": reading.id,
            "says": reading.says,
            "outcome": reading.outcome,
            "measured": reading.measured,
            "datasets": [name for name in reading.datasets if name in datasets],
            "series": [name for name in reading.series if name in series],
            "cost": reading.cost if reading.cost in costs else "",
            "measure": reading.measure if reading.measure in measures else "",
        }
        for reading in claim.readings
    ]
    return {"id": claim.id, "says": claim.says, "readings": readings}
