"""Times in sentences, whether the times of some series can be compared, and how far they are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ..reproduction.evidence import Panel
from ..reproduction.statistics.ratio import Ratio

BETWEEN_STARTS: Final = 1.1
"""Factor by which a ratio of CPU times is widened on both sides, as two starts of the program differ.

The intervals over runs do not show it, as one start times all runs of a figure. Measured by ``benchmarks/starts.py``:
95 % of 1,140 ratios differ by at most 1.07 (docs/reproduction.md, "Timed runs"); rounded up.
"""


def widened(ratio: Ratio) -> Ratio:
    """Widen a ratio of CPU times by `BETWEEN_STARTS` on both sides."""
    return replace(ratio, down=BETWEEN_STARTS * ratio.down, up=BETWEEN_STARTS * ratio.up)


def seconds_text(seconds: float) -> str:
    """Write a time with three digits: ``12.3 ms``, ``1.23 s``."""
    if seconds < 0.9995:
        return f"{1e3 * seconds:.3g} ms"
    return f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def clock_mismatch(panel: Panel, series: Iterable[str]) -> str:
    """Say why the times of some series cannot be compared; empty if they can."""
    runs = [run for name in series for run in panel.runs.get(name, ())]
    for entry, text in (("cpu", "processors"), ("threads", "numbers of threads")):
        values = {str(run.result["provenance"].get(entry)) for run in runs}
        if len(values) > 1:
            return f"timed on different {text}: {', '.join(sorted(values))}"
    return ""
