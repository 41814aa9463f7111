"""Times in sentences, whether the times of some series can be compared, and how far they are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from svm_cost_curves.experiments.provenance import SHORT
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.statistics.ratio import Ratio

BETWEEN_SESSIONS: Final = 2.0
"""Factor by which a ratio of CPU times is widened on both sides where one of the two is short; a choice of ours.

All runs of a figure are timed in one session, so the intervals over runs do not show how sessions differ. On the same
processor 23 runs of less than 0.2 s that were timed again in another session took 0.55 to 2.06 times the published
time; of the longer ones, whose ratios are not widened, one of 1.34 s took 2.63 times (docs/results/checks.md).
"""


def session_factor(seconds: Iterable[float]) -> float:
    """Return the factor by which a ratio of two median CPU times is widened: `BETWEEN_SESSIONS` if one is short."""
    return BETWEEN_SESSIONS if min(seconds) < SHORT else 1.0


def widened_by(ratio: Ratio, factor: float) -> Ratio:
    """Widen a ratio of CPU times by a factor on both sides."""
    return replace(ratio, down=factor * ratio.down, up=factor * ratio.up)


def seconds_text(seconds: float) -> str:
    """Write a time with three digits: ``12.3 ms``, ``1.23 s``."""
    if seconds < 0.9995:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def clock_mismatch(panel: Panel, series: Iterable[str]) -> str:
    """Say why the times of some series cannot be compared; empty if they can."""
    runs = [run for name in series for run in panel.runs.get(name, ())]
    for what, text in (("cpu", "processors"), ("threads", "numbers of threads")):
        values = {str(run.result["provenance"].get(what)) for run in runs}
        if len(values) > 1:
            return f"timed on different {text}: {', '.join(sorted(values))}"
    return ""
