"""Words with which a shell completes a command line of ``reproduce.py``.

``eval "$(python3 run.py -sc install=bash)"`` installs Hydra's completion for commands that begin with ``python3``. The
shell then calls the script that follows, with ``-sc query=bash`` and the line in ``COMP_LINE``: also ``reproduce.py``.
"""

from __future__ import annotations

from typing import get_args

from svm_cost_curves.experiments.configuration.paper_style import FORMATS, STYLES
from svm_cost_curves.experiments.reproduction.options import FLAGS, NAMES, VERBS, Launcher, Timed
from svm_cost_curves.experiments.reproduction.spec import SCALES, catalogue, known_data_sets

QUERY = "-sc"


def completions(line: str) -> list[str]:
    """Return the words that may replace the last one of a command line, which may be empty.

    Parameters
    ----------
    line : str
        Up to the cursor, with ``python3 reproduce.py``.
    """
    word = "" if not line or line[-1].isspace() else line.split()[-1]
    name, equals, value = word.partition("=")
    if not equals:
        known = (*(f"{name}=" for name in NAMES), *VERBS, *FLAGS)
        return [candidate for candidate in known if candidate.startswith(word)]
    before, comma, last = value.rpartition(",")
    return [f"{name}={before}{comma}{allowed}" for allowed in _values(name) if allowed.startswith(last)]


def _values(name: str) -> tuple[str, ...]:
    if name == "figure":
        figures = catalogue()
        return (*figures, *dict.fromkeys(filter(None, figures.values())), "all", "report")
    known = {"scale": SCALES, "dataset": known_data_sets(), "style": STYLES, "format": FORMATS} | {
        "from": ("evidence",),
        "timed": get_args(Timed),
        "launcher": get_args(Launcher),
    }
    return tuple(known.get(name, ()))
