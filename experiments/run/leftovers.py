"""Removal of what killed processes have left behind; every command that computes something does it first."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import psutil

from experiments.processes.forkserver import SERVER_FOLDERS
from experiments.run.checkpointer import FOLDER
from experiments.store import Store
from support.files import remove_drafts, remove_temporary_folders

_SHARED_MEMORY = Path("/dev/shm")
_JOBLIB = ("sem.loky-{}-", "joblib_memmapping_folder_{}_")
"""Prefixes of the names of joblib's files in shared memory, with the process number."""


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
    for process in remove_temporary_folders(SERVER_FOLDERS):
        if not psutil.pid_exists(process):
            _remove_shared_memory(process)


def _remove_shared_memory(process: int) -> None:
    """Remove joblib's files in shared memory of one of our processes that no longer exists."""
    prefixes = tuple(prefix.format(process) for prefix in _JOBLIB)
    with contextlib.suppress(OSError), os.scandir(_SHARED_MEMORY) as entries:
        for entry in entries:
            if entry.name.startswith(prefixes) and entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink(missing_ok=True)
