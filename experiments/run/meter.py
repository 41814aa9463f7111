"""Progress of work: a bar on a terminal that redraws, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn

from ..processes.streams import pause_after

LINE_WIDTH = 100
"""Columns of a line of progress."""
BAR_WIDTH = 20


class Meter:
    """Shows progress, with the time left: a bar on a terminal that redraws, else a line every few seconds."""

    def __init__(self, write: Callable[[str], None], terminal: Console | None = None) -> None:
        """Make a meter that draws a bar on a `terminal` that redraws, or else passes lines to `write`."""
        self._write = write
        self._begun = self._last = time.monotonic()
        self._bar: Progress | None = None
        if terminal is not None and terminal.is_interactive:
            self._bar = Progress(
                BarColumn(bar_width=BAR_WIDTH),
                TextColumn("{task.fields[percent]:>5}"),
                TextColumn("{task.fields[left]}"),
                TextColumn("{task.fields[text]}"),
                console=terminal,
                transient=True,
                auto_refresh=False,  # no second thread beside the solver
                redirect_stdout=sys.stdout.isatty(),  # what is printed meanwhile goes above the bar
            )
            self._task = self._bar.add_task("", total=1.0, text="", left="", percent="")
            self._bar.start()

    def update(self, fraction: float, text: str, *, is_measured: bool = True) -> None:
        """Show a fraction between 0 and 1, the time left, and a text; as a line only if the last one is old enough.

        No time is shown while nothing tells how fast the work is: `is_measured` says whether the fraction does.
        """
        now = time.monotonic()
        elapsed = now - self._begun
        if self._bar is None and now - self._last < pause_after(elapsed):
            return
        self._last = now
        left = ""
        if is_measured and 0.01 <= fraction < 1 and elapsed >= 1:
            seconds = elapsed * (1 - fraction) / fraction
            left = f"{duration(seconds)} left" if seconds >= 1 else "less than 1 s left"
        whole = 100 if fraction >= 1 else min(round(100 * fraction), 99)
        percent = f"{whole:3d} %" if whole else ""
        if self._bar is None:
            self._write(cut("  ".join(filter(None, (percent, left, text))), LINE_WIDTH))
        else:
            room = max(self._bar.console.width, 40) - BAR_WIDTH - len(left) - len(" 100 %   ")
            text = escape(cut(text, room))
            self._bar.update(self._task, completed=fraction, text=text, left=left, percent=percent, refresh=True)

    def close(self) -> None:
        """Remove the bar; lines stay."""
        if self._bar is not None:
            self._bar.stop()


def meter(target: Console) -> Meter:
    """Return the meter that suits a console."""
    return Meter(partial(target.print, highlight=False, markup=False, soft_wrap=True), target)


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
