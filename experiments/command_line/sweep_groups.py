"""The runs of a sweep, grouped over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from svm_cost_curves.experiments.command_line.sweep_names import Values, differing, in_order
from svm_cost_curves.experiments.configuration.schema import NOT_INFLUENTIAL
from svm_cost_curves.experiments.configuration.settings import setting_name
from svm_cost_curves.experiments.processes.outcome import Outcome


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
        """Mean of one of the outcome's numbers over the runs that know it."""
        values = self._values(name)
        return statistics.fmean(values) if values else None

    def spread(self, name: str) -> float | None:
        """Return the standard deviation (divisor runs - 1); None for a single run."""
        values = self._values(name)
        return statistics.stdev(values) if len(values) > 1 else None

    @property
    def found(self) -> int:
        """How many were in the store already."""
        return sum(outcome.status == "found" for outcome in self.outcomes)

    def _values(self, name: str) -> list[float]:
        return [value for outcome in self.outcomes if (value := getattr(outcome, name)) is not None]


def distinguishing(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that change a result, but for those that are shown anyway: algorithm, data set and seed."""
    return [
        override
        for override in overrides
        if (name := setting_name(override)) not in ("algo", "dataset", "seed")
        and name.partition(".")[0] not in NOT_INFLUENTIAL
    ]


def groups(outcomes: Sequence[Outcome]) -> list[Group]:
    """Group the runs with a result, without regard to their seeds.

    Data sets and algorithms are in the order of their first appearance; groups of one algorithm are sorted by the
    values of the settings that differ.
    """
    done = [outcome for outcome in outcomes if outcome.status in ("finished", "found")]
    data_names = _data_names(done)
    settings: list[Values] = [()] * len(done)
    for dataset in set(data_names):
        places = [place for place, name in enumerate(data_names) if name == dataset]
        own = differing([distinguishing(done[place].overrides) for place in places])
        for place, values in zip(places, own, strict=True):
            settings[place] = values
    members: dict[tuple[str, str, Values], list[Outcome]] = {}
    for outcome, dataset, values in zip(done, data_names, settings, strict=True):
        members.setdefault((dataset, str(outcome.algo), values), []).append(outcome)
    data_sets, algorithms = (list(dict.fromkeys(key[place] for key in members)) for place in (0, 1))
    ordered = sorted(
        members.items(),
        key=lambda item: (data_sets.index(item[0][0]), algorithms.index(item[0][1]), in_order(item[0][2])),
    )
    return [Group(*key, tuple(runs)) for key, runs in ordered]


def _data_names(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the name of each run's data set; files of one name have their paths beside it."""
    trained = [_trained_on(outcome.overrides) for outcome in outcomes]
    files: dict[str, set[str]] = {}
    for outcome, path in zip(outcomes, trained, strict=True):
        files.setdefault(str(outcome.dataset), set()).add(path)
    return [
        f"{outcome.dataset} ({path})" if len(files[str(outcome.dataset)]) > 1 else str(outcome.dataset)
        for outcome, path in zip(outcomes, trained, strict=True)
    ]


def _trained_on(overrides: Sequence[str]) -> str:
    """Return the path of a user's training file; empty without one."""
    starts = ("dataset.train=", "dataset=file:")
    return next((word.removeprefix(start) for word in overrides for start in starts if word.startswith(start)), "")
