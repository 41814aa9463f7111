"""The published evidence of a figure as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from .reproduction.published import EVIDENCE, figure_runs
from .store.tidy import tidy


def load(figure: str, folder: Path = EVIDENCE) -> pd.DataFrame:
    """Return the runs of a published figure as one table, as `experiments.store.tidy.tidy` describes it.

    Raises
    ------
    EvidenceError
        The figure is not published, or a file is damaged.
    """
    runs: list[Any] = [*figure_runs(folder, figure).values()]
    return tidy(runs)
