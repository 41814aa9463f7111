"""A store may be moved or copied as a folder: mlflow, which notes absolute paths, is told of the new ones."""

from __future__ import annotations

import contextlib

from experiments.store.database import connect, experiment
from experiments.store.errors import StoreError
from experiments.store.place import Place


def relocate(place: Place) -> str:
    """Note where the artifacts are now, if it is elsewhere than before. Called with the store's lock held.

    mlflow has no call for this, so these are the only rows that are written past it.

    Returns
    -------
    str
        Identifier of mlflow's experiment.

    Raises
    ------
    StoreError
        The experiment is gone.
    """
    found = experiment(place)
    if found is None:
        raise StoreError(f"{place.database} was deleted or replaced while this process used it: start again")
    experiment_id, before = found
    now = str(place.artifacts)
    if before != now:
        with contextlib.closing(connect(place)) as connection, connection:
            connection.execute(
                "UPDATE runs SET artifact_uri = ? || substr(artifact_uri, ?) "
                "WHERE experiment_id = ? AND substr(artifact_uri, 1, ?) = ?",
                (now, len(before) + 1, experiment_id, len(before) + 1, before + "/"),
            )
            connection.execute(
                "UPDATE experiments SET artifact_location = ? || substr(artifact_location, ?) "
                "WHERE substr(artifact_location, 1, ?) IN (?, ?)",
                (now, len(before) + 1, len(before) + 1, before, before + "/"),  # mlflow's own is in a folder of ours
            )
    return str(experiment_id)
