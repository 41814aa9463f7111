"""The picture of one run: test error against cost."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from svm_cost_curves.experiments.configuration.schema import kernel_name
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.provenance import commit_text
from svm_cost_curves.support.text import command_line

if TYPE_CHECKING:
    import pandas as pd


def draw_if_possible(
    settings: RunSettings, cost: str, curve: pd.DataFrame, provenance: Mapping[str, Any], key: str, path: Path
) -> bool:
    """Draw the picture and return True; an error is a warning only, so that no computed result is lost to it.

    Parameters
    ----------
    settings : RunSettings
    cost : str
        The solver's cost; a curve without it is drawn against `experiments.curve.step_cost`.
    curve : DataFrame
        A curve (`experiments.curve`).
    provenance : mapping
        `experiments.provenance.collect`.
    key : str
        The run's key.
    path : Path
        Of the PNG file.
    """
    try:
        from svm_cost_curves.experiments.curve import step_cost
        from svm_cost_curves.experiments.plotting import curves_picture

        kernel, commit = settings.kernel, commit_text(provenance["commit"], provenance["dirty"])
        stand_in = " (stand-in)" if provenance["data"].get("stand_in") else ""
        command = re.sub(r"^run\.py(?= )", command_line("run"), provenance["command"])
        numbers = ", ".join(f"{name}={value:g}" for name, value in dataclasses.asdict(kernel).items())
        curves_picture(
            {settings.algo: [curve]},
            cost=step_cost(curve) if curve[cost].isna().any() else cost,
            title=f"{settings.algo} on {settings.dataset.name}{stand_in}, seed {settings.seed}",
            small_print=f"{kernel_name(kernel)} kernel {numbers}; key {key}; commit {commit or 'none'}; {command}",
        ).save(path)
    except Exception as error:
        warnings.warn(f"no picture of {settings.label()}: {type(error).__name__}: {error}", stacklevel=2)
        return False
    return True
