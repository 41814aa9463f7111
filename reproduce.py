"""The command line: ``python3 reproduce.py figure=sbp_fig2``; ``python3 reproduce.py --help`` lists what there is.

Any python3 will do: without the program it continues in ``.venv``.
"""

import sys

if __name__ == "__main__" and not getattr(sys.flags, "safe_path", False):
    del sys.path[0]  # this folder, or with -m the working directory: it may have any file, such as signal.py

import signal

TYPE_CHECKING = False  # for a type checker it is true; typing would be imported too early
if TYPE_CHECKING:
    from svm_cost_curves.experiments.processes.command import Main


def command() -> int:
    """Run the command line of this process and return its exit status."""
    # until `run` answers them
    signal.pthread_sigmask(
        signal.SIG_BLOCK,
        (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU),
    )
    from svm_cost_curves.experiments.processes.command import run

    return run(_load)


def _load() -> "Main":
    from svm_cost_curves.experiments.reproduction import cli

    return cli.command


if __name__ == "__main__":
    # these signals wait, also while Python starts once more, until `run` can answer them
    signal.pthread_sigmask(
        signal.SIG_BLOCK,
        (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU),
    )
    from importlib.util import find_spec
    from pathlib import Path
    from runpy import run_path

    if find_spec("svm_cost_curves") is None:
        run_path(str(Path(__file__).resolve().parent / "requirements" / "environment.py"))["enter"]()
    sys.exit(command())
