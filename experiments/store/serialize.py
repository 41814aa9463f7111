"""Settings of runs by name and as text, and what mlflow gets of a run: parameters, tags, points of its curve."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ...support.values import flatten
from ..columns import COSTS

if TYPE_CHECKING:
    import pandas as pd

PARAM_LENGTH, TAG_LENGTH, NAME_LENGTH = 6000, 8000, 250
"""Most characters of a parameter's value, a tag's value, and a run's name in mlflow."""

NAMES: Final = ("algo", "dataset", "kernel", "seed")
"""Entries of result.json that name a run."""
ERRORS: Final = ("test_error", "train_error")
DESCRIPTIONS: Final = frozenset(
    ("description", "source", "licence", "remarks", "stand_in", "files", "expected_train", "expected_test")
)
"""Entries of a data set that say what it is; its name tells them apart."""

EXACT: Final = 2.0**53
"""Whole numbers below are exact as float."""

MetricPoint = tuple[str, float, int, int]
"""Name, value, time in milliseconds since 1970, step."""


def named_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a result.json by their present names (``problem.nu``), without who chose them."""
    from ..configuration.schema import RENAMED

    groups = {name: value for name, value in settings.items() if name != "origins"}
    return {RENAMED.get(name, name): value for name, value in flatten(groups)}


def named_values(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings and facts of a run by name: ``algo``, ``problem.nu``; ``cpu``, ``isa``."""
    facts = {**result["provenance"].get("build", {}), **result["provenance"]}
    return {**dict(flatten(facts)), **named_settings(result["settings"]), **{name: result[name] for name in NAMES}}


def filter_texts(value: Any) -> set[str]:
    """Return a value, or several, as texts that are equal however a number was written: 10, 10.0 and "1e1" are."""
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        value = value.tolist()
    if isinstance(value, list | tuple | set | frozenset | range):
        return {text for item in value for text in filter_texts(item)}
    text = _text(value)
    try:
        number = float(text)
    except ValueError:
        return {text}
    if not abs(number) < EXACT:
        return {text}
    return {str(int(number)) if number.is_integer() else repr(number)}


def params_of(result: Mapping[str, Any]) -> dict[str, str]:
    """Return a run's settings for mlflow, flat and as text: the names first, no setting without a value.

    Characters that mlflow does not allow in a name become ``_``; long values are cut.
    """
    settings = {
        name: value for name, value in named_settings(result["settings"]).items() if not name.startswith("dataset.")
    }
    settings |= flatten({"dataset": data_settings(result)})
    return {
        _allowed(name): _cut(_text(value), PARAM_LENGTH)
        for name, value in {**{name: result[name] for name in NAMES}, **settings}.items()
        if value is not None and not name.endswith(".name")
    }


def data_settings(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run's data set that differ from the defaults, without descriptions."""
    from ...datasets.spec import DatasetConfig

    default = DatasetConfig()
    recorded = result["settings"]["dataset"].items()
    left_out = {"name", "kind", *DESCRIPTIONS}
    return {name: value for name, value in recorded if name not in left_out and value != getattr(default, name, None)}


def run_name(result: Mapping[str, Any]) -> str:
    """Return the name of a run in mlflow, that of the console: with the settings of its command line."""
    from ..configuration.presets import COMMAND_LINE

    settings = named_settings(result["settings"]) | {"kernel": result["kernel"]}
    given = [name for name, origin in result["settings"].get("origins", {}).items() if origin == COMMAND_LINE]
    texts = {name: _text(settings[name]).removesuffix(".0") for name in given if name in settings and name != "seed"}
    shown = [f"{name}={text}" for name, text in texts.items()]
    return _cut(" ".join([f"{result['algo']} {result['dataset']} seed={result['seed']}", *shown]), NAME_LENGTH)


def tags_of(texts: Mapping[str, Any]) -> dict[str, str]:
    """Return tags as mlflow takes them; a tag without a value is left out."""
    return {_allowed(name): _cut(_text(value), TAG_LENGTH) for name, value in texts.items() if value not in (None, "")}


def _allowed(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.\- :]", "_", name)[:240]


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."


def metric_points(curve: pd.DataFrame, started: int) -> list[MetricPoint]:
    """Points of a thinned curve for mlflow's charts: every column, finite numbers only (its pages break on others).

    A point's step is its cost (`experiments.curve.step_cost`), so that a chart shows a measure against the cost. The
    names have sections: the errors come first, then ``cost/`` and ``measure/``. The time of a point is the start of the
    run, `started` in milliseconds since 1970, plus the solver's wall seconds, without evaluation.
    """
    from ..curve import column, step_cost, thin

    thinned = thin(curve)
    steps = thinned[step_cost(curve)].tolist()  # integers: a float step breaks mlflow's run pages
    elapsed = [0.0 if math.isnan(seconds) else seconds for seconds in column(thinned, "wall_seconds").tolist()]
    return [
        (_sectioned(str(name)), value, started + int(1000 * seconds), int(step))
        for name in thinned.columns
        for value, seconds, step in zip(column(thinned, name).tolist(), elapsed, steps, strict=True)
        if math.isfinite(value)
    ]


def _sectioned(name: str) -> str:
    """Return a column's name with its section of mlflow's page of charts."""
    return name if name in ERRORS else f"{'cost' if name in COSTS else 'measure'}/{name}"


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
