"""Words with which a shell completes a command line of ``reproduce.py``.

``eval "$(python run.py -sc install=bash)"`` installs Hydra's completion for commands that begin with ``python``. The
shell then calls the script that follows, with ``-sc query=bash`` and the line in ``COMP_LINE``: also ``reproduce.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.configuration.paper_style import FORMATS, STYLES
from experiments.reproduction.options import ACTIONS, FLAGS, LAUNCHERS, NAMES
from experiments.reproduction.spec import SCALES, catalogue, known_data_sets

QUERY = "-sc"


def completions(line: str) -> list[str]:
    """Return the words that may replace the last one of a command line, which may be empty.

    Parameters
    ----------
    line : str
        Up to the cursor, with ``python reproduce.py``.
    """
    word = "" if not line or line[-1].isspace() else line.split()[-1]
    name, equals, value = word.partition("=")
    if not equals:
        return [each for each in (*(f"{known}=" for known in NAMES), *ACTIONS, *FLAGS) if each.startswith(word)]
    before, comma, last = value.rpartition(",")
    return [f"{name}={before}{comma}{each}" for each in _values().get(name, ()) if each.startswith(last)]


def _values() -> Mapping[str, Sequence[str]]:
    figures = catalogue()
    return {
        "figure": (*figures, *dict.fromkeys(filter(None, figures.values())), "all", "report"),
        "scale": SCALES,
        "dataset": known_data_sets(),
        "from": ("evidence",),
        "launcher": LAUNCHERS,
        "style": STYLES,
        "format": FORMATS,
    }
