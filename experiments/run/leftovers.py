"""What killed processes have left behind; the next command that computes something removes it."""

from __future__ import annotations

from experiments.processes.forkserver import SERVER_FOLDERS
from experiments.run.checkpointer import FOLDER
from experiments.store import Store
from support.files import remove_drafts, remove_temporary_folders


def remove_leftovers(store: Store) -> None:
    """Remove what processes that are gone have left: drafts and running runs in a store, folders of temporary files.

    A lock that ends with its process tells which are gone (`support.files`). Nothing of other users is touched.

    Parameters
    ----------
    store : Store
        Its runs that were killed are recorded as killed.

    Raises
    ------
    StoreError
        The store cannot be read or written.
    """
    for folder in (store.root, store.root / FOLDER):
        remove_drafts(folder)
    store.close_dead()
    remove_temporary_folders(SERVER_FOLDERS)
