"""Removal of what killed processes have left behind; every command that computes something does it first."""

from __future__ import annotations

from svm_cost_curves.experiments.run.checkpointer import FOLDER
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.store import SWEEPS
from svm_cost_curves.support.files import remove_drafts, remove_temporary_folders


def remove_leftovers(store: Store) -> None:
    """Remove what processes that no longer exist have left: drafts in a store, temporary folders.

    Each process holds a lock that ends with it (`support.files`). Files of other users are not touched.

    Parameters
    ----------
    store : Store
    """
    store.remove_leftovers()
    remove_drafts(store.root / FOLDER)
    remove_temporary_folders()


def remove_old_leftovers(store: Store) -> None:
    """Remove what killed processes have left in the folders of sweeps, which grow; once for a sweep."""
    for folder in (store.root / SWEEPS).glob("*"):
        remove_drafts(folder)
