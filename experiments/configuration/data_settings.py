"""The data set of a run: its name, and settings that have an effect on it."""

from __future__ import annotations

from collections.abc import Collection

from datasets import DataError, DatasetSpec, check_used, named
from datasets.settings import TEXTS
from solvers import SettingsError


def choose_data(
    dataset: DatasetSpec, given: Collection[str], may_be_unused: Collection[str] = ()
) -> tuple[DatasetSpec, bool]:
    """Name a data set, and refuse settings that have no effect on it.

    Parameters
    ----------
    dataset : DatasetSpec
    given : collection of str
        Names of the settings on the command line (``problem.C``, ``dataset.n``).
    may_be_unused : collection of str
        Those of them that need not have an effect.

    Returns
    -------
    dataset : DatasetSpec
    changed : bool
        Whether the command line changes points or labels.

    Raises
    ------
    SettingsError
        A setting without effect.
    """
    fields = {name.split(".")[1]: name for name in given if name.startswith("dataset.")}
    dataset = named(dataset)
    try:
        check_used(dataset, sorted(field for field, name in fields.items() if name not in may_be_unused))
    except DataError as error:
        raise SettingsError(str(error)) from error
    return dataset, bool(fields.keys() - TEXTS)
