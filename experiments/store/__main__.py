"""``svm-store``; the command line is in `cli`."""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False  # for a type checker it is true; typing would be imported too early
if TYPE_CHECKING:
    from ..processes.command import Main


def command() -> int:
    """Run the command line of this process and return its exit status."""
    # until `run` answers them
    signal.pthread_sigmask(
        signal.SIG_BLOCK,
        (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU),
    )
    from ..processes.command import run

    return run(_load)


def _load() -> Main:
    from .cli import main

    return lambda: main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(command())
