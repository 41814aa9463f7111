"""Section 5: test error of the SBP after fractions of LIBSVM's running time, with bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...columns import MEASURE
from ...curve import ROUNDING, column, mean_over_runs
from ...plotting import FAINT, INK, STYLES, axis_name, draw_panel, legend_row, mean_curve, paper, row_of_axes
from ...plotting.bands import Band
from ...reproduction.claim_spec import NumberSpec
from ...reproduction.evidence import Evidence, FigureResult, Panel, Run, Table
from ...reproduction.numbers import Number
from ...reproduction.statistics.interval import MISSING, at_most, bootstrap_mean
from ...reproduction.statistics.target import cost_to_target
from ..cases import Case, Statistic, case_on, judge_claims
from ..kinds.limits import measure_at, missing_runs
from ..panels import COLUMNS, empty, empty_panel, heading, name_of
from ..printed import compare_number, size_of_test_set
from ..times import clock_mismatch, seconds_text
from .methods import data_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COST: Final = "cpu_seconds"
SHARES: Final = (4, 10, 100)
"""Parts of LIBSVM's time at which the SBP's error is shown; the paper takes the first."""
LIBSVM_ERROR: Final = "LIBSVM error"
SBP_ERROR: Final = "SBP error"
LIBSVM_TIME: Final = "LIBSVM time"
"""Names of printed numbers in the figure's file; the data set's name follows."""
NEAR: Final = 0.001
"""The table has the SBP's time to LIBSVM's error plus this."""


@dataclass(frozen=True)
class RunningTimes:
    """The runs of the SBP and of a rival that ends by itself, on one data set."""

    panel: Panel
    rival: str = "libsvm"
    """Series of the rival: it draws nothing, so its runs differ in their times only."""

    @cached_property
    def rival_runs(self) -> list[Run]:
        """The rival's runs that have a test error."""
        runs = self.panel.runs.get(self.rival, ())
        return [run for run in runs if run.result["final"].get("test_error") is not None]

    @property
    def seconds(self) -> float | None:
        """The rival's CPU seconds, to its own stopping rule: median over its runs."""
        return float(np.median([run.result["cpu_seconds"] for run in self.rival_runs])) if self.rival_runs else None

    @property
    def error(self) -> float | None:
        """The rival's test error."""
        return float(self.rival_runs[0].result["final"]["test_error"]) if self.rival_runs else None

    @cached_property
    def curves(self) -> tuple[pd.DataFrame, ...]:
        """The SBP's curves."""
        return self.panel.curves("sbp")

    def errors_after(self, share: float) -> list[float]:
        """Test error of each SBP run after a fraction of the rival's time; runs that begin later have none."""
        if self.seconds is None:
            return []
        errors = [measure_at(frame, COST, MEASURE, self.seconds / share) for frame in self.curves]
        return [error for error in errors if not np.isnan(error)]

    @cached_property
    def reached(self) -> float | None:
        """Median over the runs of the SBP's seconds to the rival's error plus `NEAR`; None if half of them miss it."""
        if self.error is None or not self.curves:
            return None
        effort = cost_to_target(self.curves, COST, MEASURE, self.error + NEAR)
        return effort.median if effort is not None and effort.mostly_reached else None

    @property
    def unequal(self) -> str:
        """Why the two times cannot be compared; empty if they can."""
        return clock_mismatch(self.panel, (self.rival, "sbp"))


@dataclass(frozen=True, kw_only=True)
class ErrorInShareOfTime(Statistic, kind="error_in_share_of_time"):
    """In a part of a rival's time the SBP has the rival's test error, up to an excess."""

    share: float
    """The part is the rival's time over this."""
    excess: float
    """In percentage points."""
    printed: bool = False
    """Whether the excess on a data set is that of the printed errors, with their rounding, where there are any."""
    rival: str = "libsvm"
    """Series that the SBP is compared with."""

    def case(self, times: RunningTimes, evidence: Evidence) -> Case:
        """Compare the errors."""
        times = replace(times, rival=self.rival)
        panel, errors = times.panel, times.errors_after(self.share)
        if times.seconds is None or times.error is None:
            return missing_runs(evidence, panel, "sbp", [self.rival])
        seconds = times.seconds / self.share
        if not errors:
            late = f"no run of the SBP was evaluated within {seconds_text(seconds)}"
            return case_on(panel, "sbp", MISSING, note=late)
        mean, excess = bootstrap_mean(errors), self._excess(evidence.spec.numbers, panel) / 100
        text = f"{STYLES[self.rival].name} {percent(times.error)} in {seconds_text(times.seconds)}, "
        text += f"the SBP {percent(mean.estimate)} in 1/{self.share:g}"
        statistic = {
            "rival_seconds": times.seconds,
            "rival_error": times.error,
            "rival_tolerance": times.rival_runs[0].result["settings"]["algo"].get("tolerance"),
            "sbp_error": mean.as_dict(),
            "excess_allowed": excess,
            "sbp_seconds_to_error_plus_0.1_%": times.reached,
        }
        stopped = min(float(column(frame, COST).max()) for frame in times.curves)
        short = f"the SBP ran {seconds_text(stopped)} only" if stopped < 0.99 * seconds else ""
        note = ", ".join(filter(None, [times.unequal, short]))
        decision = MISSING if times.unequal else at_most(mean, (times.error + excess) * (1 + ROUNDING))
        return case_on(panel, "sbp", decision, text, statistic, note)

    def _excess(self, numbers: Sequence[NumberSpec], panel: Panel) -> float:
        """Return the excess that is allowed on a data set, in percentage points."""
        printed = {spec.name: spec for spec in numbers}
        sbp, libsvm = (printed.get(f"{kind} {panel.paper_dataset}") for kind in (SBP_ERROR, LIBSVM_ERROR))
        if not self.printed or sbp is None or libsvm is None:
            return self.excess
        return sbp.paper - libsvm.paper + (sbp.rounding or 0) + (libsvm.rounding or 0)


def percent(error: float) -> str:
    """Write an error."""
    return f"{100 * error:.2f} %"


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
            empty_panel(axes, "no finished runs of the SBP")
            heading(axes, times.panel)
            continue
        styles = {"sbp": STYLES["sbp"]}
        notes = [draw_panel(axes, {"sbp": curve.band}, styles, cost=COST, measure="test_error").cut]
        if times.seconds is not None and times.error is not None:
            cut = _limits(axes, curve.band.times(100), times.seconds, 100 * times.error)
            notes = [f"LIBSVM: {100 * times.error:.2f} % in {seconds_text(times.seconds)}", cut]
            _draw_libsvm(axes, times.seconds, 100 * times.error)
        heading(axes, times.panel)
        # falling curves leave the upper right corner free
        inside: dict[str, Any] = {"xycoords": "axes fraction", "va": "top", "ha": "right", "parse_math": False}
        text = "\n".join(note for note in notes if note)
        axes.annotate(text, (0.985, 0.92), color=FAINT, bbox=_BOX, zorder=6, label=paper.NOTE, **inside)
        if k == 0:
            axes.set_ylabel(axis_name("test_error"), color=INK)


def _limits(axes: Axes, curve: Band, seconds: float, error: float) -> str:
    """Limit the axes to times from the smallest of `SHARES` on; return a note on what is cut."""
    left, right = axes.get_xlim()
    first = seconds / SHARES[-1] / 1.5
    axes.set_xlim(first if curve.cost[-1] > first else left, max(right, seconds * 1.5))
    shown = curve.middle[curve.cost >= first] if curve.cost[-1] >= first else curve.middle
    low, high = min(float(shown.min()), error), max(float(shown.max()), error)
    margin = 0.12 * (high - low) or 0.05 * high or 1.0
    axes.set_ylim(max(low - margin, 0.0), high + margin)
    return f"axis cut: up to {curve.middle.max():.3g} % before" if curve.middle.max() > high + margin else ""


def _draw_libsvm(axes: Axes, seconds: float, error: float) -> None:
    style = STYLES["libsvm"]
    axes.axhline(error, color=style.color, linewidth=1.0, linestyle=style.line, zorder=2.5)
    axes.plot([seconds], [error], linestyle="none", **style.markers(1.5), zorder=5)
    label: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "center", "va": "top"}
    for share in SHARES:
        at = seconds / share
        axes.axvline(at, color=FAINT, linewidth=0.9, linestyle=(0, (4.0, 3.0)), zorder=1.5)
        axes.annotate(f"1/{share}", (at, 0.99), color=FAINT, bbox=_BOX, zorder=6, **label)


OVER: Final = " over "
"""Between the data sets of a ratio of LIBSVM's times."""


def make(evidence: Evidence) -> FigureResult:
    """Compare the two on every data set, and judge the claim."""
    all_times = [RunningTimes(panel) for panel in evidence.panels]
    return FigureResult(
        make_data=lambda: _data(all_times),
        draw=partial(_draw, all_times=all_times),
        size=SIZE,
        table=partial(_table, all_times, {spec.name: spec for spec in evidence.spec.numbers}),
        claims=judge_claims(evidence, data=all_times),
        numbers=[
            _number(spec, {times.panel.paper_dataset: times for times in all_times}) for spec in evidence.spec.numbers
        ],
    )


def _number(spec: NumberSpec, by_dataset: Mapping[str, RunningTimes]) -> Number:
    name, _, divisor = spec.name.partition(OVER)
    kind, _, dataset = name.rpartition(" ")
    times, divisor_times = by_dataset.get(dataset), by_dataset.get(divisor)
    if times is None or (divisor and divisor_times is None):
        return compare_number(spec, "", None)
    why = data_difference(times.panel)
    if divisor_times is not None:
        why = why or data_difference(divisor_times.panel)
        ratio = [times.seconds / divisor_times.seconds] if times.seconds and divisor_times.seconds else None
        return compare_number(spec, why, ratio)
    if kind == LIBSVM_TIME:
        cpu = f"{times.rival_runs[0].result['provenance'].get('cpu')}, not an Intel E7500" if times.rival_runs else ""
        return compare_number(spec, why, times.seconds, cpu)
    if kind == SBP_ERROR:
        errors: ArrayLike | None = [100 * error for error in times.errors_after(SHARES[0])] or None
    else:  # LIBSVM draws nothing, and the rows are the paper's: one number, which another run repeats
        errors = None if times.error is None else 100 * times.error
    return compare_number(spec, why, errors, test_rows=size_of_test_set(times.panel))


def _table(all_times: Sequence[RunningTimes], printed: Mapping[str, NumberSpec]) -> Table:
    columns = ["data set", "n", "LIBSVM", "its error", "SMO here", "its error"]
    columns += [f"SBP at 1/{share}" for share in SHARES]
    columns += ["SBP at LIBSVM's error + 0.1 %", "paper: LIBSVM", "its error", "SBP at 1/4"]
    rows = []
    for times in all_times:
        shares, smo = [times.errors_after(share) for share in SHARES], replace(times, rival="smo")
        rows.append(
            [
                name_of(times.panel),
                "" if times.panel.n is None else f"{times.panel.n:,}",
                "" if times.seconds is None else seconds_text(times.seconds),
                "" if times.error is None else percent(times.error),
                "" if smo.seconds is None else seconds_text(smo.seconds),
                "" if smo.error is None else percent(smo.error),
                *(percent(float(np.mean(errors))) if errors else "" for errors in shares),
                "" if times.reached is None else seconds_text(times.reached),
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
    rows: list[tuple[Any, ...]] = []
    for times in all_times:
        names = (times.panel.paper_dataset, times.panel.dataset)
        mean = mean_over_runs(times.curves, cost=COST, measure=MEASURE)
        seeds = " ".join(map(str, times.panel.seeds("sbp")))
        points = zip(mean["cost"], mean["mean"], mean["sd"], strict=True)
        rows += [(*names, "sbp", COST, *point, seeds) for point in points]
        if times.seconds is not None:
            rows.append((*names, "libsvm", COST, times.seconds, times.error, 0.0, "0"))
    return pd.DataFrame(rows, columns=list(COLUMNS))
