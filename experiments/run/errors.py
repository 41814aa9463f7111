"""Errors become messages on standard error and outcomes: user errors a sentence, faults of the program a traceback."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from svm_cost_curves.datasets import DataError
from svm_cost_curves.experiments.processes.mpirun import place
from svm_cost_curves.experiments.processes.outcome import Outcome, status_of
from svm_cost_curves.experiments.run.curve_builder import NotFiniteError
from svm_cost_curves.experiments.store import StoreError
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.text import printable

USER_ERRORS = (SettingsError, DataError, StoreError)
"""Errors that the user can correct: shown as a sentence, exit status 2."""


def outcome_of(make: Callable[[], Outcome], label: Callable[[], str]) -> Outcome:
    """Return the outcome of a run, whatever it raises; a fault of the program is written with its traceback."""
    try:
        return make()
    except USER_ERRORS as error:
        return Outcome(label(), "refused", str(error))
    except NotFiniteError as error:
        print_error(f"{label()}: failed: {error}")
        return Outcome(label(), "failed", str(error))
    except KeyboardInterrupt as stopped:
        return Outcome(label(), status_of(stopped), "before the solver had started: nothing recorded")
    except Exception as error:
        print_error(f"{label()}: failed\n{traceback.format_exc()}")
        return Outcome(label(), "failed", f"{type(error).__name__}: {error}")


def print_error(text: str) -> None:
    """Write to standard error, in one call; of the processes that ``mpirun`` has started only rank 0 does.

    Control characters other than line ends and tabs are escaped: the text may quote a command line or a server.
    """
    if place().rank:
        return
    sys.stderr.write(printable(text.rstrip(), keep="\n\t") + "\n")
    sys.stderr.flush()


def print_text(make_text: Callable[[], str]) -> int:
    """Print the text, or the user error that making it raises; return the exit status."""
    try:
        print(make_text(), flush=True)
    except USER_ERRORS as error:
        print_error(f"error: {error}")
        return 2
    return 0
