"""The SBP against LIBSVM on one data set, both by their CPU seconds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach, value_at
from experiments.papers.effort import unequal
from experiments.papers.judging import Part
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Panel
from experiments.reproduction.statistics import Interval, bootstrap_mean
from experiments.reproduction.verdict import Ruling
from experiments.store import FinishedRun

COST: Final = "cpu_seconds"
SHARES: Final = (4, 10, 100)
"""The SBP is looked at after these parts of LIBSVM's time: the first is the paper's."""
SLACK: Final = 0.001
"""Errors this close count as equal, as a fraction."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class RunningTimes:
    """Both methods' runs on one data set.

    Attributes
    ----------
    panel : Panel
    counts : bool
        Whether the claim is judged here: on the paper's data, and on what the figure names as a stand-in for them.
    """

    panel: Panel
    counts: bool = True

    @property
    def libsvm(self) -> FinishedRun | None:
        """LIBSVM's run; it draws nothing at random, so that one is enough."""
        runs = [run for run in self.panel.runs.get("libsvm", ()) if run.result["final"].get("test_error") is not None]
        return runs[0] if runs else None

    @property
    def seconds(self) -> float | None:
        """LIBSVM's CPU seconds, to its own stopping rule."""
        return None if self.libsvm is None else float(self.libsvm.result["cpu_seconds"])

    @property
    def error(self) -> float | None:
        """LIBSVM's test error."""
        return None if self.libsvm is None else float(self.libsvm.result["final"]["test_error"])

    @cached_property
    def curves(self) -> tuple[pd.DataFrame, ...]:
        """The SBP's curves."""
        return self.panel.curves("sbp")

    def sbp_at(self, seconds: float) -> Interval | None:
        """Test error of the SBP after some time, mean over its runs; None before the first checkpoint."""
        errors = [float(value_at(*_points(frame), [seconds])[0]) for frame in self.curves]
        known = [error for error in errors if not np.isnan(error)]
        return bootstrap_mean(known) if known else None

    @property
    def shares(self) -> dict[int, Interval | None]:
        """Test error of the SBP after each of `SHARES` of LIBSVM's time."""
        return {} if self.seconds is None else {share: self.sbp_at(self.seconds / share) for share in SHARES}

    @property
    def stopped(self) -> float | None:
        """Seconds after which a run of the SBP ended, the least of its runs; None without runs."""
        return min((float(column(frame, COST).max()) for frame in self.curves), default=None)

    @property
    def reached(self) -> float | None:
        """Seconds in which the SBP first has LIBSVM's error plus `SLACK`, median of its runs; None: half never have."""
        if self.error is None or not self.curves:
            return None
        target = self.error + SLACK + _ROUNDING
        found = [cost_to_reach(*_points(frame), target) for frame in self.curves]
        middle = sorted(np.inf if cost is None else cost for cost in found)[len(found) // 2]
        return float(middle) if np.isfinite(middle) else None

    @property
    def unequal(self) -> str:
        """Why the two clocks cannot be compared; empty where they can."""
        return unequal(self.panel, ("libsvm", "sbp"))

    @property
    def ruling(self) -> Ruling:
        """Whether the SBP has LIBSVM's error after the first of `SHARES`."""
        quarter = self.shares.get(SHARES[0])
        if self.error is None or quarter is None or self.unequal or not self.counts:
            return "not_applicable"
        return "reproduced" if quarter.estimate <= self.error + SLACK + _ROUNDING else "not_reproduced"

    @property
    def part(self) -> Part:
        """What the claim comes to on one data set."""
        place, about = (self.panel.asked, "sbp"), name_of(self.panel)
        if self.seconds is None or self.error is None:
            return Part(place, about, "not_applicable", note="no run of LIBSVM")
        quarter = self.shares[SHARES[0]]
        if quarter is None:
            late = f"no run of the SBP that was looked at within {self.seconds / SHARES[0]:.3g} s"
            return Part(place, about, "not_applicable", note=late)
        text = f"LIBSVM {percent(self.error)} in {self.seconds:.3g} s, the SBP {percent(quarter.estimate)} in a quarter"
        if self.reached is not None:
            text += f", and LIBSVM's error + 0.1 % in {self.reached:.3g} s, 1/{self.seconds / self.reached:.3g}"
        return Part(place, about, self.ruling, text, self._statistic, ", ".join(self._notes))

    @property
    def _notes(self) -> list[str]:
        notes = []
        if self.unequal:
            notes.append(self.unequal)
        if len(self.curves) == 1:
            notes.append("one run of the SBP, whose spread is not known")
        if self.seconds is not None and self.stopped is not None and self.stopped < 0.99 * self.seconds / SHARES[0]:
            notes.append(f"the SBP ran {self.stopped:.3g} s only")
        if self.panel.stand_in:
            same = "a stand-in, judged as well, for both methods have the same data"
            notes.append(same if self.counts else "measured, not counted")
        return notes

    @property
    def _statistic(self) -> dict[str, Any]:
        return {
            "libsvm_seconds": self.seconds,
            "libsvm_error": self.error,
            "libsvm_tolerance": self.libsvm.result["settings"]["algo"].get("tolerance") if self.libsvm else None,
            "sbp_error": {f"1/{share}": value.as_dict() if value else None for share, value in self.shares.items()},
            "sbp_seconds_to_error_plus_0.1_%": self.reached,
            "sbp_runs": len(self.curves),
        }


def percent(error: float) -> str:
    """Write an error."""
    return f"{100 * error:.2f} %"


def _points(frame: pd.DataFrame) -> tuple[Any, Any]:
    return column(frame, COST), column(frame, "test_error")
