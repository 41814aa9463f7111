"""Times in sentences, and whether the times of some series can be compared."""

from __future__ import annotations

from collections.abc import Iterable

from svm_cost_curves.experiments.reproduction.evidence import Panel


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
