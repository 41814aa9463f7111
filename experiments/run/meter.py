"""How far work is: a bar on a terminal that redraws, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from svm_cost_curves.experiments.processes.elapsed import pause_after

LINE_WIDTH = 100
"""Columns of a line of progress."""
BAR_WIDTH = 20


class Meter(Protocol):
    """Shows progress: a bar on a terminal that redraws, else a line every few seconds."""

    def update(self, fraction: float, text: str) -> None:
        """Show a fraction between 0 and 1, the time left, and a text."""

    def close(self) -> None:
        """Remove the bar."""


def meter(target: Console) -> Meter:
    """Return the meter that suits a console."""
    if target.is_interactive:
        return _BarMeter(target)
    return LineMeter(partial(target.print, highlight=False, markup=False, soft_wrap=True))


class _BarMeter:
    """A bar, on a terminal."""

    def __init__(self, target: Console) -> None:
        self._console = target
        self._bar = Progress(
            BarColumn(bar_width=BAR_WIDTH),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[text]}"),
            console=target,
            transient=True,
            auto_refresh=False,  # no second thread beside the solver
            redirect_stdout=sys.stdout.isatty(),  # what is printed meanwhile goes above the bar
        )
        self._task: TaskID = self._bar.add_task("", total=1.0, text="", left="")
        self._clock = _TimeLeft()
        self._bar.start()

    def update(self, fraction: float, text: str) -> None:
        left = self._clock.text(fraction)
        shown = cut(text, max(self._console.width, 40) - BAR_WIDTH - len(left) - len(" 100 %   "))
        self._bar.update(self._task, completed=fraction, text=escape(shown), left=left, refresh=True)

    def close(self) -> None:
        self._bar.stop()


class LineMeter:
    """A line every few seconds, which `write` takes."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._clock = _TimeLeft()
        self._begun = self._last = time.monotonic()

    def update(self, fraction: float, text: str) -> None:
        """See `Meter.update`."""
        now = time.monotonic()
        if now - self._last >= pause_after(now - self._begun):
            self._last = now
            parts = (f"{100 * fraction:3.0f} %", self._clock.text(fraction), text)
            self._write(cut("  ".join(filter(None, parts)), LINE_WIDTH))

    def close(self) -> None:
        """Lines stay."""


class _TimeLeft:
    """Estimates the time left from the elapsed time and the fraction done, once that is a thousandth."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def text(self, fraction: float) -> str:
        elapsed = time.monotonic() - self._start
        return "" if fraction < 1e-3 or elapsed < 1 else f"{duration(elapsed * (1 - fraction) / fraction)} left"


def cut(text: str, width: int) -> str:
    """Return a text that is no longer than a number of columns, cut at a word where it has several."""
    if len(text) <= width:
        return text
    begin = text[: width - 2].rpartition(" ")[0].rstrip(" ,;:")
    return f"{begin or text[: width - 3]}..."


def duration(seconds: float | None) -> str:
    """Format a time in ms, s, min or h."""
    if seconds is None:
        return "-"
    if seconds < 0.1:
        return f"{1000 * seconds:.1f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"
