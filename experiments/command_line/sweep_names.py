"""The runs of a sweep by what differs between them: their groups over seeds, and short names."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ...support.text import setting_name
from ..configuration.composition import distinguishing
from ..configuration.grammar import plain_value
from ..processes.outcome import Outcome

_LONGEST_NUMBER = 12
"""Characters of a number; a longer one is rounded."""

Values = tuple[tuple[str, str], ...]
"""Settings and their values, as on the command line."""


@dataclass(frozen=True)
class Group:
    """Runs that differ in their seed only; `values` are the settings that tell them from other groups."""

    dataset: str
    algo: str
    values: Values
    outcomes: tuple[Outcome, ...]

    @property
    def name(self) -> str:
        """The algorithm, and what else tells the group from the others, as on the command line."""
        return " ".join([self.algo, *(f"{name}={value}" for name, value in self.values)])

    def mean(self, name: str) -> float | None:
        """Mean over the runs of one number of their outcomes; runs without it are left out."""
        values = self._values(name)
        return statistics.fmean(values) if values else None

    def spread(self, name: str) -> float | None:
        """Return the standard deviation (divisor runs - 1); None for a single run."""
        values = self._values(name)
        return statistics.stdev(values) if len(values) > 1 else None

    def _values(self, name: str) -> list[float]:
        return [value for outcome in self.outcomes if (value := getattr(outcome, name)) is not None]


def groups(outcomes: Sequence[Outcome]) -> list[Group]:
    """Group the runs with a result, without regard to their seeds.

    Data sets and algorithms are in the order of their first appearance; groups of one algorithm are sorted by the
    values of the settings that differ.
    """
    done = [outcome for outcome in outcomes if outcome.status in ("finished", "found")]
    by_data: dict[str, list[Outcome]] = {}
    for name, outcome in zip(_data_names(done), done, strict=True):
        by_data.setdefault(name, []).append(outcome)
    algorithms = list(dict.fromkeys(str(outcome.algo) for outcome in done))
    result = []
    for dataset, runs in by_data.items():
        members: dict[tuple[str, Values], list[Outcome]] = {}
        for outcome, values in zip(runs, differing([distinguishing(run.overrides) for run in runs]), strict=True):
            members.setdefault((str(outcome.algo), values), []).append(outcome)
        ordered = sorted(members, key=lambda kind: (algorithms.index(kind[0]), in_order(kind[1])))
        result += [Group(dataset, algo, values, tuple(members[algo, values])) for algo, values in ordered]
    return result


def _data_names(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the name of each run's data set; files of one name have their paths beside it."""
    starts = ("dataset.train=", "dataset=file:")
    pairs = []
    for outcome in outcomes:
        settings = [f"{setting_name(word)}={plain_value(word)}" for word in outcome.overrides]
        paths = (word.removeprefix(start) for word in settings for start in starts if word.startswith(start))
        pairs.append((str(outcome.dataset), next(paths, "")))
    names = [name for name, _ in dict.fromkeys(pairs)]
    return [f"{name} ({path})" if names.count(name) > 1 else name for name, path in pairs]


def differing(overrides: Sequence[Sequence[str]]) -> list[Values]:
    """Return, for each list of overrides, the settings whose values are not the same in all lists."""
    lists = [{setting_name(word): plain_value(word) for word in job} for job in overrides]
    names = dict.fromkeys(name for values in lists for name in values)
    differ = [name for name in names if len({values.get(name) for values in lists}) > 1]
    return [tuple((name, values[name]) for name in differ if name in values) for values in lists]


def in_order(values: Values) -> tuple[tuple[float, str], ...]:
    """Return a sort key for values: numbers by size, then texts in alphabetical order."""
    return tuple((_number(text), text) for _, text in values)


def short_name(setting: str) -> str:
    """Return the last part of a setting's name: ``lambda`` for ``problem.lambda_``."""
    return setting.rpartition(".")[2].rstrip("_")  # lambda_ is Python's spelling


def short(lists: Sequence[Values]) -> list[list[str]]:
    """Return lists of settings as short texts ``name=value``.

    A name is the last part of the setting's, where no other setting has the same. Numbers of many digits have three,
    where that tells all values of the setting apart.
    """
    settings = dict.fromkeys(name for values in lists for name, _ in values)
    lasts = [short_name(name) for name in settings]
    names = {name: last if lasts.count(last) == 1 else name for name, last in zip(settings, lasts, strict=True)}
    shown = {
        name: _shown({value for values in lists for setting, value in values if setting == name}) for name in settings
    }
    return [[f"{names[name]}={shown[name][value]}" for name, value in values] for values in lists]


def job_labels(overrides: Sequence[Sequence[str]]) -> list[str]:
    """Return a short name for each job of a sweep: algorithm, data set and settings, as far as they differ."""
    differ = [dict(values) for values in differing(overrides)]
    names = ("algo", "dataset")
    first = [[values.pop(name) for name in names if name in values] for values in differ]
    texts = short([tuple(values.items()) for values in differ])
    return [" ".join(parts + rest) or " ".join(job) for parts, rest, job in zip(first, texts, overrides, strict=True)]


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
