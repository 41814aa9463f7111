"""The final predictor of a run in a file (``model=model.npz``): made with the run, and stored among its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.store import FinishedRun
from svm_cost_curves.experiments.store.run_folder import is_intact
from svm_cost_curves.solvers import Problem, SettingsError, Snapshot
from svm_cost_curves.solvers.models import Model, model_of
from svm_cost_curves.support.files import write_output

MODEL_FILE = "model.npz"
"""Name in the run's folder."""


def is_complete(settings: RunSettings, found: FinishedRun) -> bool:
    """Return whether a finished run has a model, or none is asked for."""
    if settings.model is None:
        return True
    return is_intact(found.directory, MODEL_FILE)


def deliver(settings: RunSettings, folder: Path) -> None:
    """Copy the model of a run, if it is asked for and there is one, from the run's folder to the path of the setting.

    Raises
    ------
    SettingsError
        The file cannot be written.
    """
    if settings.model is None or not (folder / MODEL_FILE).exists():
        return
    try:
        write_output(settings.model, (folder / MODEL_FILE).read_bytes())
    except OSError as error:
        raise SettingsError(
            f"model={settings.model} cannot be written: {error.strerror or error}; the run is recorded, and with "
            "another model= the same command writes its model"
        ) from error


def model_of_run(settings: RunSettings, data: Dataset, problem: Problem, snapshot: Snapshot) -> Model:
    """Return the predictor of a run; its entries about the data let `experiments.predict` read other files alike.

    Raises
    ------
    NotImplementedError
        The solver does not say how its predictor is saved.
    """
    spec, labels = settings.dataset, data.provenance["labels"]
    about = {
        "algo": settings.algo,
        "dataset": spec.name,
        "settings": _plain(settings.identity()),
        "labels": labels,
        "from_zero": data.provenance["from_zero"],
        "transforms": {name: getattr(spec, name) for name in ("divide_by", "scaling", "row_norm")},
    }
    return model_of(problem, snapshot, _classes(labels), about)


def _classes(labels: dict[str, Any]) -> tuple[Any, Any]:
    """Return the labels of both classes as in the files; -1 and +1 if a class has several."""
    groups, names = [labels["negative"] or (), labels["positive"]], labels["classes"]
    if any(len(group) != 1 for group in groups):
        return -1, 1
    (negative,), (positive,) = groups
    return (names[int(negative)], names[int(positive)]) if names else (negative, positive)


def _plain(value: Any) -> Any:
    """Return settings as JSON types."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value
