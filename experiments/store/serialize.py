"""Values as result.json and mlflow hold them: JSON, flat parameters and tags as text, points of a curve."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from experiments.store.errors import StoreError
from support import values
from support.values import flatten as flatten

if TYPE_CHECKING:
    import pandas as pd

PARAM_LENGTH = 6000
TAG_LENGTH = 8000
"""Most characters of a parameter's and of a tag's value in mlflow."""

MetricPoint = tuple[str, float, int, int]
"""Name, value, time in milliseconds since 1970, step."""


def plain(value: Any, where: str) -> Any:
    """As `support.values.plain`; raises StoreError for a value that has no form in JSON."""
    try:
        return values.plain(value, where)
    except TypeError as error:
        raise StoreError(str(error)) from error


def flat_texts(values: Mapping[str, Any], length: int) -> dict[str, str]:
    """Flat mapping of texts for mlflow: names are joined with dots and contain only characters that it allows.

    Parameters
    ----------
    values : mapping
        May be nested.
    length : int
        Most characters of a text; longer texts are cut.
    """
    result: dict[str, str] = {}
    for path, value in flatten(values):
        name = re.sub(r"[^A-Za-z0-9_.\- :]", "_", path)[:240]
        if not name.strip(".") or name.startswith(".."):
            name = f"_{name}"
        while name in result:  # two names that became equal
            name += "_"
        text = _text(value)
        result[name] = text if len(text) <= length else text[: length - 3] + "..."
    return result


def filter_texts(value: Any) -> set[str]:
    """Texts that match a filter's value, or one of several: 10 also finds the setting 10.0."""
    if isinstance(value, list | tuple | set | frozenset | range):
        return {text for item in value for text in filter_texts(item)}
    texts = {_text(value)}
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        texts.add(_text(float(value)))
        if float(value).is_integer():
            texts.add(_text(int(value)))
    return texts


def metric_points(curve: pd.DataFrame, started: int) -> list[MetricPoint]:
    """Points of the thinned curve for mlflow's charts: every column, finite numbers only (its pages break on others).

    The time of a point is the start of the run plus the solver's wall seconds, without evaluation.

    Parameters
    ----------
    curve : DataFrame
        A curve (`experiments.curve`).
    started : int
        When the run began, in milliseconds since 1970.
    """
    from experiments.curve import column, step_cost, thin

    thinned = thin(curve)
    steps = thinned[step_cost(curve)].tolist()  # integers: a float step breaks mlflow's run pages
    elapsed = [0.0 if math.isnan(seconds) else seconds for seconds in column(thinned, "wall_seconds").tolist()]
    return [
        (name, value, started + int(1000 * seconds), int(step))
        for name in thinned.columns
        for value, seconds, step in zip(column(thinned, name).tolist(), elapsed, steps, strict=True)
        if math.isfinite(value)
    ]


def _text(value: Any) -> str:
    """Text as on the command line: true, false, null; numbers by repr, which is exact."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_text(item) for item in value) + "]"
    return repr(value) if isinstance(value, float) else str(value)
