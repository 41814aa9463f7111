"""Removal of what killed processes have left behind; every command that computes something does it first."""

from __future__ import annotations

from experiments.processes.forkserver import SERVER_FOLDERS
from experiments.run.checkpointer import FOLDER
from experiments.store import Store
from support.files import remove_drafts, remove_temporary_folders

SWEEPS = "sweeps"
"""Folder of the sweeps in a store's, as in conf/config.yaml."""


def remove_leftovers(store: Store) -> None:
    """Remove what processes that no longer exist have left: drafts and running runs in a store, temporary folders.

    Each process holds a lock that ends with it (`support.files`). Files of other users are not touched.

    Parameters
    ----------
    store : Store
        Its running runs whose process no longer exists are recorded as killed.

    Raises
    ------
    StoreError
        The store cannot be read or written.
    """
    for folder in (store.root, store.root / FOLDER):
        remove_drafts(folder)
    store.close_dead()
    remove_temporary_folders(SERVER_FOLDERS)


def remove_old_leftovers(store: Store) -> None:
    """Remove what killed processes have left in folders that grow: those of sweeps and runs; once for a sweep.

    Raises
    ------
    StoreError
        The store cannot be read or written.
    """
    for folder in (store.root / SWEEPS).glob("*"):
        remove_drafts(folder)
    store.remove_dead_locks()
