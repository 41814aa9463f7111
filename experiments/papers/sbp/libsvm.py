"""Section 5: test error of the SBP after fractions of LIBSVM's running time, with bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach, mean_over_runs, value_at
from experiments.papers.cases import Case, claim_from_cases
from experiments.papers.effort import clock_mismatch
from experiments.papers.panels import COLUMNS, empty, heading, name_of, row_of_axes
from experiments.papers.sbp.printed import compare_number, data_difference
from experiments.plotting import FAINT, INK, PANEL, STYLES, MeanCurve, axis_name, draw_panel, legend_row, mean_curve
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import NumberSpec
from experiments.reproduction.statistics import Interval, bootstrap_mean
from experiments.reproduction.verdict import Number, Ruling
from experiments.store import FinishedRun

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COST: Final = "cpu_seconds"
SHARES: Final = (4, 10, 100)
"""The SBP's error is taken at LIBSVM's time divided by these; the paper takes the first."""
SLACK: Final = 0.001
"""Errors that differ by at most this fraction count as equal."""
_ROUNDING = 1e-12


@dataclass(frozen=True)
class RunningTimes:
    """Both methods' runs on one data set.

    Attributes
    ----------
    panel : Panel
    counts : bool
        Whether the claim is judged on this data set: the paper's, or a stand-in named in the figure's file.
    """

    panel: Panel
    counts: bool = True

    @property
    def libsvm(self) -> FinishedRun | None:
        """LIBSVM's run; it is deterministic, so one run suffices."""
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
        """Test error of the SBP after some time, mean over its runs; None before the first evaluation."""
        errors = [float(value_at(*_points_of(frame), [seconds])[0]) for frame in self.curves]
        known = [error for error in errors if not np.isnan(error)]
        return bootstrap_mean(known) if known else None

    @property
    def shares(self) -> dict[int, Interval | None]:
        """Test error of the SBP after each of `SHARES` of LIBSVM's time."""
        return {} if self.seconds is None else {share: self.sbp_at(self.seconds / share) for share in SHARES}

    @property
    def stopped(self) -> float | None:
        """Seconds of the SBP's shortest run; None without runs."""
        return min((float(column(frame, COST).max()) for frame in self.curves), default=None)

    @property
    def reached(self) -> float | None:
        """Median over the runs of the SBP's seconds to LIBSVM's error plus `SLACK`; None if half of them miss it."""
        if self.error is None or not self.curves:
            return None
        target = self.error + SLACK + _ROUNDING
        found = [cost_to_reach(*_points_of(frame), target) for frame in self.curves]
        middle = sorted(np.inf if cost is None else cost for cost in found)[len(found) // 2]
        return float(middle) if np.isfinite(middle) else None

    @property
    def unequal(self) -> str:
        """Why the two times cannot be compared; empty if they can."""
        return clock_mismatch(self.panel, ("libsvm", "sbp"))

    @property
    def ruling(self) -> Ruling:
        """Whether the SBP has LIBSVM's error after the first of `SHARES`."""
        quarter = self.shares.get(SHARES[0])
        if self.error is None or quarter is None or self.unequal or not self.counts:
            return "not_applicable"
        return "reproduced" if quarter.estimate <= self.error + SLACK + _ROUNDING else "not_reproduced"

    @property
    def case(self) -> Case:
        """The claim's case on this data set."""
        place, about = (self.panel.paper_dataset, "sbp"), name_of(self.panel)
        if self.seconds is None or self.error is None:
            return Case(place, about, "not_applicable", note="no run of LIBSVM")
        quarter = self.shares[SHARES[0]]
        if quarter is None:
            late = f"no run of the SBP was evaluated within {self.seconds / SHARES[0]:.3g} s"
            return Case(place, about, "not_applicable", note=late)
        text = f"LIBSVM {percent(self.error)} in {self.seconds:.3g} s, the SBP {percent(quarter.estimate)} in a quarter"
        if self.reached is not None:
            text += f", and LIBSVM's error + 0.1 % in {self.reached:.3g} s, 1/{self.seconds / self.reached:.3g}"
        return Case(place, about, self.ruling, text, self._statistic, ", ".join(self._notes))

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
            same = "a stand-in, judged too: both methods use the same data"
            notes.append(same if self.counts else "measured, not judged")
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


def _points_of(frame: pd.DataFrame) -> tuple[Any, Any]:
    return column(frame, COST), column(frame, "test_error")


SIZE: Final = (12.0, 4.4)
_LEGEND, _ABOVE, _BELOW = 0.34, 0.5, 0.52  # inches
_BOX: Final = {"facecolor": "white", "edgecolor": "none", "pad": 1.0, "alpha": 0.8}


def _draw(figure: Figure | SubFigure, all_times: Sequence[RunningTimes]) -> None:
    """Draw one panel per data set: the SBP's mean with its spread, LIBSVM as one point at its end."""
    if not all_times:
        empty(figure, "no data set, no curves")
        return
    panels = row_of_axes(figure, len(all_times), above=_LEGEND + _ABOVE, below=_BELOW)
    legend_row(figure, [STYLES["sbp"], STYLES["libsvm"]], (panels[0].get_position().x0, 1.0))
    for k, (axes, times) in enumerate(zip(panels, all_times, strict=True)):
        curve = mean_curve(times.curves, cost=COST, measure="test_error")
        if curve is None:
            axes.set_axis_off()
            axes.text(0.5, 0.5, "no finished runs of the SBP", size=PANEL.label, color=FAINT, ha="center", va="center")
            heading(axes, times.panel)
            continue
        styles = {"sbp": STYLES["sbp"]}
        notes = [draw_panel(axes, {"sbp": curve}, styles, cost=COST, measure="test_error", sizes=PANEL).cut]
        if times.seconds is not None and times.error is not None:
            cut = _limits(axes, curve.times(100), times.seconds, 100 * times.error)
            notes = [f"LIBSVM: {100 * times.error:.2f} % in {times.seconds:.3g} s", cut]
            _draw_libsvm(axes, times.seconds, 100 * times.error)
        heading(axes, times.panel)
        # falling curves leave the upper right corner free
        inside: dict[str, Any] = {"xycoords": "axes fraction", "va": "top", "ha": "right", "parse_math": False}
        text = "\n".join(note for note in notes if note)
        axes.annotate(text, (0.985, 0.92), size=PANEL.note, color=FAINT, bbox=_BOX, zorder=6, **inside)
        if k == 0:
            axes.set_ylabel(axis_name("test_error"), size=PANEL.label, color=INK)


def _limits(axes: Axes, curve: MeanCurve, seconds: float, error: float) -> str:
    """Limit the axes to times from the smallest of `SHARES` on; return a note on what is cut."""
    left, right = axes.get_xlim()
    first = seconds / SHARES[-1] / 1.5
    axes.set_xlim(first if curve.cost[-1] > first else left, max(right, seconds * 1.5))
    shown = curve.mean[curve.cost >= first] if curve.cost[-1] >= first else curve.mean
    low, high = min(float(shown.min()), error), max(float(shown.max()), error)
    margin = 0.12 * (high - low) or 0.05 * high or 1.0
    axes.set_ylim(max(low - margin, 0.0), high + margin)
    return f"axis cut: up to {curve.mean.max():.3g} % before" if curve.mean.max() > high + margin else ""


def _draw_libsvm(axes: Axes, seconds: float, error: float) -> None:
    style = STYLES["libsvm"]
    axes.axhline(error, color=style.color, linewidth=1.0, linestyle=style.line, zorder=2.5)
    axes.plot([seconds], [error], linestyle="none", **style.markers(1.3), zorder=5)
    place: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "top"}
    for share in SHARES:
        at = seconds / share
        axes.axvline(at, color=FAINT, linewidth=0.9, linestyle=(0, (4.0, 3.0)), zorder=1.5)
        axes.annotate(f"1/{share}", (at, 0.99), size=PANEL.note, color=FAINT, bbox=_BOX, zorder=6, **place)


LIBSVM_ERROR: Final = "LIBSVM error"
SBP_ERROR: Final = "SBP error"
LIBSVM_TIME: Final = "LIBSVM time"
"""Names of printed numbers in conf/figure/; the data set's name follows."""
RULE = (
    "For each data set: reproduced if the SBP's test error (mean over its runs, each at its last evaluation in a "
    "quarter of LIBSVM's time) is at most LIBSVM's plus 0.001. Clocks are CPU seconds of one thread; LIBSVM's is that "
    "of its fit, to its own stopping rule; both compute kernel rows inside their clocks."
)


def make(evidence: Evidence) -> FigureResult:
    """Compare the two on every data set, and judge the claim."""
    all_times = [RunningTimes(panel, counts=evidence.declared(panel)) for panel in evidence.panels]
    return FigureResult(
        data=_data(all_times),
        draw=partial(_draw, all_times=all_times),
        size=SIZE,
        table=_table(all_times, {spec.name: spec for spec in evidence.spec.numbers}),
        claims=[claim_from_cases(spec, RULE, [times.case for times in all_times]) for spec in evidence.spec.claims],
        numbers=[_number(spec, all_times) for spec in evidence.spec.numbers],
    )


def _number(spec: NumberSpec, all_times: Sequence[RunningTimes]) -> Number:
    kind, _, dataset = spec.name.rpartition(" ")
    times = next((times for times in all_times if times.panel.paper_dataset == dataset), None)
    if times is None:
        return compare_number(spec, None, None)
    if kind == LIBSVM_TIME:
        cpu = "" if times.libsvm is None else f"{times.libsvm.result['provenance'].get('cpu')}, not an Intel E7500"
        return compare_number(spec, times.panel, times.seconds, cpu)
    quarter = times.shares.get(SHARES[0])
    error = times.error if kind == LIBSVM_ERROR else quarter.estimate if quarter else None
    return compare_number(spec, times.panel, None if error is None else 100 * error)


def _table(all_times: Sequence[RunningTimes], printed: Mapping[str, NumberSpec]) -> Table:
    columns = ["data set", "n", "LIBSVM", "its error"]
    columns += [f"SBP at 1/{share}" for share in SHARES]
    columns += ["SBP at LIBSVM's error + 0.1 %", "paper: LIBSVM", "its error", "SBP at 1/4"]
    rows = []
    for times in all_times:
        shares = times.shares
        values = [shares.get(share) for share in SHARES]
        rows.append(
            [
                name_of(times.panel),
                "" if times.panel.n is None else f"{times.panel.n:,}",
                "" if times.seconds is None else f"{times.seconds:.3g} s",
                "" if times.error is None else percent(times.error),
                *("" if value is None else percent(value.estimate) for value in values),
                "" if times.reached is None else f"{times.reached:.3g} s",
                *(
                    _printed(printed.get(f"{kind} {times.panel.paper_dataset}"))
                    for kind in (LIBSVM_TIME, LIBSVM_ERROR, SBP_ERROR)
                ),
            ]
        )
    notes = [
        "CPU seconds of one thread, kernel rows included; errors on the test set, the SBP's as the mean over its runs.",
        *(f"{name_of(times.panel)}: {times.unequal}." for times in all_times if times.unequal),
        *(f"{name_of(times.panel)}: {why}." for times in all_times if (why := data_difference(times.panel))),
    ]
    return Table(columns, rows, notes)


def _printed(spec: NumberSpec | None) -> str:
    return "" if spec is None else f"{spec.paper:,.6g} {spec.unit}"


def _data(all_times: Sequence[RunningTimes]) -> pd.DataFrame:
    tables: list[pd.DataFrame] = []
    for times in all_times:
        mean = mean_over_runs(times.curves, cost=COST, measure="test_error")
        common = {"panel": times.panel.paper_dataset, "dataset": times.panel.dataset, "cost": COST}
        seeds = " ".join(map(str, times.panel.seeds("sbp")))
        tables.append(
            pd.DataFrame(
                common | {"series": "sbp", "x": mean["cost"], "mean": mean["mean"], "sd": mean["sd"], "seeds": seeds}
            )
        )
        if times.seconds is not None:
            tables.append(
                pd.DataFrame(
                    [common | {"series": "libsvm", "x": times.seconds, "mean": times.error, "sd": 0.0, "seeds": "0"}]
                )
            )
    known = [table for table in tables if len(table)]
    return pd.concat(known, ignore_index=True)[list(COLUMNS)] if known else pd.DataFrame(columns=list(COLUMNS))
