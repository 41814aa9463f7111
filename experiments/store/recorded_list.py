"""The list of the runs that mlflow has: ``recorded/<address>.txt`` in a store's folder, and what a recorder has to say.

A line ``NAME TIME`` is a run's folder that is recorded, and when it was written: a folder that has been replaced since,
also while mlflow took the earlier one, is recorded again. ``-NAME`` takes it out, ``!NAME TIME`` is a folder that could
not be recorded, and a line in quotes is the folder in which mlflow's files are. Lists of version 2.0 have no times:
mlflow is asked for their runs again.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from ...support.errors import reason
from ...support.files import LOCK, append, locked, read_plain, write_file
from ..processes.streams import print_error
from .address import DATABASE, FILES, folder_name
from .database import make_database
from .run_copy import UnfitRunError
from .run_folder import SUMS_FILE, StoreError
from .store import RECORDED, Store
from .tracking import Recorded, Tracking
from .unfinished import recorded_entries


class RecordedList:
    """The names of a store's run folders that are recorded at a server, or (None) in the database in its folder.

    Methods that write raise StoreError if mlflow cannot be used, or the store cannot be written.
    """

    def __init__(self, store: Store, server: str | None) -> None:
        self._store = store
        self._database = store.root / DATABASE if server is None else None
        self._path = store.root / RECORDED / f"{DATABASE if server is None else folder_name(server)}.txt"
        self._place = json.dumps(str(store.root / FILES))  # one line, which is no run's name
        self._is_checked = False
        self._messages = self._path.with_suffix(".messages")

    def missing(self, *, again: bool = False) -> list[Path]:
        """Return the folders of the runs that are not in the list; those that could not be recorded only `again`."""
        lines = self._lines() if self._is_valid() else []
        recorded, unfit = recorded_entries(lines), set(lines)
        folders = [folder for folder in self._store.ended() if recorded.get(folder.name, "") != _entry(folder)]
        return [folder for folder in folders if again or _unfit(folder) not in unfit]

    def _lines(self) -> list[str]:
        try:
            return read_plain(self._path).decode("utf-8", "replace").split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self._path} cannot be read: {error.strerror or error}") from error

    def _is_valid(self) -> bool:
        """Return whether the list belongs to the present database in the present folder.

        If not, the database was deleted or the store was moved: mlflow is asked for all runs again.
        """
        if self._database is None:
            return True
        places = [line for line in self._lines() if line.startswith('"')]
        return self._database.exists() and places[-1:] == [self._place]

    def prepare(self, say: Callable[[str], None]) -> None:
        """Make the database if there is none that can be used; `say` takes a line on one that was set aside."""
        with self._lock():
            self._prepare(say)

    def _prepare(self, say: Callable[[str], None]) -> None:
        if self._database is None:
            return
        is_there = self._database.is_file() and self._database.stat().st_size > 0
        if is_there and self._is_checked:
            return
        said = make_database(self._store.root, self._forget_all, is_used=bool(recorded_entries(self._lines())))
        self._is_checked = True
        if said is not None:
            say(said)
        if not self._is_valid():
            self._append([self._place])

    def _forget_all(self) -> None:
        self._path.unlink(missing_ok=True)

    def record_next(
        self, tracking: Tracking, skipped: Collection[Path], say: Callable[[str], None], *, again: bool = False
    ) -> tuple[Path, Recorded | UnfitRunError] | None:
        """Record one missing run and add it to the list; None if there is none but the skipped ones.

        Recorders of one store take turns: they hold a lock meanwhile. A run that cannot be recorded is returned with
        the reason, and tried once more when its folder has changed, or `again`.
        """
        with self._lock():
            if self.missing(again=again):
                self._prepare(say)
            folder = next((folder for folder in self.missing(again=again) if folder not in skipped), None)
            if folder is None:
                return None
            entry, unfit = _entry(folder), _unfit(folder)  # of what is read now
            try:
                recorded = tracking.record(folder)
            except UnfitRunError as error:
                self._append([unfit])
                return folder, error
            if not self._is_valid():
                raise StoreError(f"{self._database} was deleted while this process wrote to it")
            self._append([entry])
            return folder, recorded

    def forget(self, tracking: Tracking, keys: Sequence[str]) -> None:
        """Delete the finished runs of some keys in mlflow, and remove them from the list."""
        if self._database is not None and self._database.exists() and self._has_any(keys):
            with self._lock():
                self._prepare(print_error)
                if self._has_any(keys):
                    tracking.delete(keys)
                    self._append([f"-{key}" for key in keys])

    def _has_any(self, keys: Sequence[str]) -> bool:
        return not recorded_entries(self._lines()).keys().isdisjoint(keys)

    def _append(self, names: Sequence[str]) -> None:
        append(self._path, "\n".join(["", *names, ""]).encode())  # the last line may be cut, by a full disk

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        with self._writing(), locked(self._path.with_suffix(LOCK), lambda _: None):
            yield

    @contextlib.contextmanager
    def sole(self) -> Iterator[bool]:
        """Become the store's only recorder at work; yield False if another process already is that."""
        with self._writing(), contextlib.ExitStack() as stack:
            try:
                stack.enter_context(locked(self._path.with_suffix(f".recorder{LOCK}"), lambda _: None, wait=False))
            except BlockingIOError:
                yield False
            else:
                yield True

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            self._path.parent.mkdir(exist_ok=True)
            yield
        except OSError as error:
            raise StoreError(
                f"{error.filename or self._path.parent} cannot be written: {reason(error, error.filename)}"
            ) from error

    def leave(self, lines: Sequence[str], error: str = "") -> None:
        """Leave messages for a command to show, beside those of earlier recorders; never raises.

        If `error` is empty, the error message of an earlier recorder is removed.
        """
        with contextlib.suppress(OSError):
            before = [line for line in self._left() if error or not line.startswith(_ERROR)]
            messages = dict.fromkeys([*before, *lines, *([_ERROR + error] if error else [])])
            if messages:
                self._path.parent.mkdir(exist_ok=True)
                write_file(self._messages, "".join(f"{line}\n" for line in messages).encode(errors="replace"))
            else:
                self._messages.unlink(missing_ok=True)

    def _left(self) -> list[str]:
        if not self._messages.is_file():
            return []
        return read_plain(self._messages).decode("utf-8", "replace").split("\n")[:-1]

    def taken(self) -> list[str]:
        """Return the messages that recorders have left, and remove them."""
        try:
            lines = self._left()
            self._messages.unlink(missing_ok=True)
        except OSError:
            return []
        return [line.removeprefix(_ERROR) for line in lines]


_ERROR: Final = "error: "


def _entry(folder: Path) -> str:
    """Return the list's line for a recorded folder; the line changes when the folder is replaced."""
    try:
        return f"{folder.name} {(folder / SUMS_FILE).lstat().st_mtime_ns}"
    except OSError:  # it was removed, or is no run's
        return f"-{folder.name}"


def _unfit(folder: Path) -> str:
    """Return the list's line for a folder that could not be recorded; the line changes when a file in it changes."""
    try:
        return f"!{folder.name} {max(path.lstat().st_mtime_ns for path in (folder, *folder.iterdir()))}"
    except OSError:  # it is no folder, or was removed
        return f"!{folder.name}"
