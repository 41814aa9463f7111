"""Compares a published run with the same run made again: costs exactly, measures within their scatter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.columns import COUNTS
from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.reproduction.evidence import Run
from svm_cost_curves.experiments.reproduction.plan import PlannedRun

TIMES: Final = ("cpu_seconds", "wall_seconds")
RELATIVE: Final = 1e-4
"""What a final measure may differ by where the published runs of its series do not scatter; see `agreeing`."""
ABSOLUTE: Final = float(np.finfo(np.float32).eps)
"""The same for measures near 0: kernel rows, about 1, have single precision."""
SCALES: Final = {"gap": "primal", "relative_gap": None}
"""Measures that are differences of nearly equal numbers, and the measure that `RELATIVE` is a share of; None: of 1."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A published run that can be made again.

    Attributes
    ----------
    figure : str
    run : PlannedRun
        With `found`.
    series : tuple of Run
        All published runs of its series on its data set, itself among them.
    timed : bool
        Whether the figure is of running times.
    """

    figure: str
    run: PlannedRun
    series: tuple[Run, ...]
    timed: bool

    @property
    def case(self) -> tuple[str, str, str]:
        """Figure, solver and data set."""
        return self.figure, self.run.settings.algo, self.run.settings.dataset.name

    @property
    def published(self) -> Run:
        """The published run."""
        assert self.run.found is not None
        return self.run.found


@dataclass(frozen=True)
class Comparison:
    """A published run and the same run made again.

    Attributes
    ----------
    figure, label, key : str
        The figure that was checked, the run's short name, and its key when it was published.
    outcome : str
        ``equal``: every bit, except for times; ``agrees`` as far as another build, instruction set or BLAS allows
        (`compare`); ``DIFFERS``.
    difference : str
        What differs most; empty if nothing does.
    time_ratio : float or None
        CPU seconds now over the published ones.
    """

    figure: str
    label: str
    key: str
    outcome: Literal["equal", "agrees", "DIFFERS"]
    difference: str
    time_ratio: float | None

    @property
    def agrees(self) -> bool:
        """Whether it does not differ."""
        return self.outcome != "DIFFERS"


def compare(candidate: Candidate, again: Run) -> Comparison:
    """Compare a published run with the same run made again.

    Made by the same build and Python code, with the same instruction set and the same recorded loops of BLAS, it has
    the same bits. Otherwise every counter in every row is equal, and every final measure is `agreeing`.
    """
    published = candidate.published
    outcome, difference = _compared(candidate, again)
    seconds = [float(each.result["cpu_seconds"]) for each in (again, published)]
    ratio = seconds[0] / seconds[1] if seconds[1] > 0 else None
    return Comparison(candidate.figure, candidate.run.settings.label(), published.key, outcome, difference, ratio)


def _compared(candidate: Candidate, again: Run) -> tuple[Literal["equal", "agrees", "DIFFERS"], str]:
    published = candidate.published
    if len(published.curve) != len(again.curve):
        return "DIFFERS", f"{len(again.curve)} evaluations, not {len(published.curve)}"
    columns = [name for name in published.curve.columns if name not in TIMES]
    old, new = _values(published, columns), _values(again, columns)
    changed = [name for name, values in old.items() if not np.array_equal(values, new[name], equal_nan=True)]
    if not changed:
        return "equal", ""
    counted = [name for name in changed if name.removeprefix("final ") in (*COUNTS, "epochs")]
    if counted or _same_arithmetic(published.result["provenance"], again.result["provenance"]):
        return "DIFFERS", _difference((counted or changed)[0], old, new)
    shares = {name: _share(candidate, name, new) for name in changed if name.startswith("final ")}
    most = max(shares, key=shares.__getitem__, default=changed[0])
    text = _difference(most, old, new)
    if shares.get(most, 0.0) <= 1:
        return "agrees", text
    low, high = agreeing(candidate, most.removeprefix("final "))
    return "DIFFERS", f"{text}; {low:.9g} to {high:.9g} agrees"


def _values(run: Run, columns: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """Return the columns of a curve, and the last counters and measures, which evidence has of every run."""
    last = run.result["counters"] | run.result["final"]
    ends = {f"final {name}": np.array([value], dtype=np.float64) for name, value in last.items()}
    return {name: column(run.curve, name) for name in columns} | ends


def _difference(name: str, old: Mapping[str, NDArray[np.float64]], new: Mapping[str, NDArray[np.float64]]) -> str:
    """Write the first difference of a column, or of a final value."""
    unequal = (old[name] != new[name]) & ~(np.isnan(old[name]) & np.isnan(new[name]))
    row = int(np.argmax(unequal))
    where = "" if name.startswith("final ") else f" in row {row + 1}"
    return f"{name}{where}: {new[name][row]:.9g}, not {old[name][row]:.9g}"


def _share(candidate: Candidate, name: str, new: Mapping[str, NDArray[np.float64]]) -> float:
    """Return how far a final measure is from the middle of what agrees, over the half of that range."""
    low, high = agreeing(candidate, name.removeprefix("final "))
    middle, half = (low + high) / 2, (high - low) / 2
    distance = abs(float(new[name][0]) - middle)
    return distance / half if half else np.inf if distance or np.isnan(distance) else 0.0


def agreeing(candidate: Candidate, measure: str) -> tuple[float, float]:
    """Return the least and the largest final value of a measure that agrees with the published one.

    They are the least and the largest value of the published runs of the series, widened on each side by the largest of

    - the distance of the two: a run on the path of rounding of another processor is at most a run of another seed,
      whose value lies outside the range of the others in two of n + 1 cases;
    - `RELATIVE` times the published value, which is all that a series of a single run has. Of a gap it is `RELATIVE`
      times the primal objective, of a relative gap `RELATIVE`;
    - `ABSOLUTE`;
    - one example of an error, or one support vector: rounding decides on which side of 0 it lies.

    NaN if the published value is missing.
    """
    final = candidate.published.result["final"]
    if final.get(measure) is None:
        return np.nan, np.nan
    values = [each.result["final"].get(measure) for each in candidate.series]
    known = np.array([value for value in values if value is not None], dtype=np.float64)
    scale = SCALES.get(measure, measure)
    least = RELATIVE * abs(float(1.0 if scale is None else final[scale]))
    rows = candidate.published.result["provenance"]["data"]["counts"]
    example = {"test_error": 1 / rows["test"]["n"], "train_error": 1 / rows["train"]["n"], "support_vectors": 1.0}
    width = max(float(np.ptp(known)), least, ABSOLUTE, (1 + RELATIVE) * example.get(measure, 0.0))
    return float(known.min()) - width, float(known.max()) + width


def _same_arithmetic(published: Mapping[str, Any], again: Mapping[str, Any]) -> bool:
    """Whether two runs are of the same core build, instruction set, Python code and recorded BLAS."""
    made = [
        (each["build"]["build_id"], each["build"]["isa"], each["build"].get("code"), each.get("blas"))
        for each in (published, again)
    ]
    return made[0] == made[1]
