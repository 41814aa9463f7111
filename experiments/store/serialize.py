"""Values as result.json and mlflow hold them: JSON, settings as text, points of a curve."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.columns import COSTS
from svm_cost_curves.experiments.store.errors import StoreError
from svm_cost_curves.support import values
from svm_cost_curves.support.values import flatten as flatten

if TYPE_CHECKING:
    import pandas as pd

PARAM_LENGTH = 6000
TAG_LENGTH = 8000
NAME_LENGTH = 250
"""Most characters of a parameter's value, a tag's value, and a run's name in mlflow."""

NAMES: Final = ("algo", "dataset", "kernel", "seed")
"""Entries of result.json that name a run."""
ERRORS: Final = ("test_error", "train_error")
DESCRIPTIONS: Final = frozenset(
    ("description", "source", "licence", "remarks", "stand_in", "files", "expected_train", "expected_test")
)
"""Entries of a data set that say what it is; its name tells them apart."""
_MISSING: Final = object()

MetricPoint = tuple[str, float, int, int]
"""Name, value, time in milliseconds since 1970, step."""


def plain(value: Any, where: str) -> Any:
    """As `support.values.plain`; raises StoreError for a value that has no form in JSON."""
    try:
        return values.plain(value, where)
    except TypeError as error:
        raise StoreError(str(error)) from error


def settings_in(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run in their groups, by their present names, without who chose them."""
    from svm_cost_curves.experiments.configuration.schema import RENAMED

    settings = {name: value for name, value in result["settings"].items() if name != "origins"}
    for old, new in RENAMED.items():
        group, _, name = old.partition(".")
        if name in settings.get(group, ()):
            last = new.partition(".")[2]
            settings[group] = {last if other == name else other: value for other, value in settings[group].items()}
    return settings


def recorded_text(result: Mapping[str, Any], name: str) -> str | None:
    """Return a setting of a run, or an entry of its provenance, as text; None if it has none of this name.

    Parameters
    ----------
    result : mapping
        Content of result.json.
    name : str
        ``algo``, ``seed``, ``problem.nu``; ``commit``, ``cpu``, ``isa``.
    """
    if name in NAMES:
        return _text(result[name])
    for names in (settings_in(result), result["provenance"], result["provenance"].get("build", {})):
        value: Any = names
        for part in name.split("."):
            value = value.get(part, _MISSING) if isinstance(value, Mapping) else _MISSING
        if value is not _MISSING and not isinstance(value, Mapping):
            return _text(value)
    return None


def setting_names(result: Mapping[str, Any]) -> list[str]:
    """Return the names that `recorded_text` knows of a run's settings and provenance."""
    provenance = result["provenance"]
    facts = {name: value for name, value in provenance.items() if not isinstance(value, Mapping)}
    settings = {name: value for name, value in settings_in(result).items() if name != "seed"}
    return [*NAMES, *(name for name, _ in flatten({**settings, **facts, **provenance.get("build", {})}))]


def params_of(result: Mapping[str, Any]) -> dict[str, str]:
    """Return a run's settings for mlflow, flat and as text: the names first, no setting without a value.

    Characters that mlflow does not allow in a name become ``_``; long values are cut.
    """
    groups = {name: value for name, value in settings_in(result).items() if name not in NAMES[1:]}
    groups |= {"kernel": result["settings"]["kernel"], "dataset": data_settings(result)}
    settings = {name: value for name, value in flatten(groups) if not name.endswith(".name") and value is not None}
    named = {name: result[name] for name in NAMES}
    return {_allowed(name): _cut(_text(value), PARAM_LENGTH) for name, value in {**named, **settings}.items()}


def data_settings(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a run's data set that differ from the defaults, without descriptions."""
    from svm_cost_curves.datasets.spec import DatasetConfig

    default = DatasetConfig()
    recorded = result["settings"]["dataset"].items()
    left_out = {"name", "kind", *DESCRIPTIONS}
    return {name: value for name, value in recorded if name not in left_out and value != getattr(default, name, None)}


def run_name(result: Mapping[str, Any]) -> str:
    """Return the name of a run in mlflow, that of the console: with the settings of its command line."""
    from svm_cost_curves.experiments.configuration.presets import COMMAND_LINE

    settings = dict(flatten(settings_in(result))) | {"kernel": result["kernel"]}
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


def filter_texts(value: Any) -> set[str]:
    """Texts that match a filter's value, or one of several: 10 also finds the setting 10.0."""
    if hasattr(value, "tolist"):  # numpy's scalars and arrays
        value = value.tolist()
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

    A point's step is its cost (`experiments.curve.step_cost`), so that a chart shows a measure against the cost. The
    names have sections: the errors come first, then ``cost/`` and ``measure/``. The time of a point is the start of the
    run plus the solver's wall seconds, without evaluation.

    Parameters
    ----------
    curve : DataFrame
        A curve (`experiments.curve`).
    started : int
        When the run began, in milliseconds since 1970.
    """
    from svm_cost_curves.experiments.curve import column, step_cost, thin

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
