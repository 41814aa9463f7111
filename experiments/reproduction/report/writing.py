"""A page and the folder of its files, written beside and put in place together."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path


@contextmanager
def replaced(target: Path, page: str, folder: str, holds: Collection[str]) -> Iterator[Path]:
    """Give an empty place to write to, which takes the place of an earlier page when all went well.

    Parameters
    ----------
    target : Path
        Made where needed; anything else in it is left alone.
    page, folder : str
        Names of a file and a folder that are to be written in the place given, and to appear in `target`.
    holds : collection of str
        Patterns of the names of files that such a folder holds.

    Raises
    ------
    FileExistsError
        The folder is there and holds other files: someone's own.
    """
    target = target.resolve()
    for path in (target / folder).rglob("*"):
        if path.is_file() and not path.name.startswith(".") and not any(fnmatch(path.name, one) for one in holds):
            message = f"{folder}/{path.name} was not written by a report: choose another place than {target}"
            raise FileExistsError(message)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    new = not target.exists()
    try:
        yield draft
        target.mkdir(exist_ok=True)
        _put(draft, target, page, folder)
    except BaseException:
        if new and target.exists():
            target.rmdir()
        raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put(draft: Path, target: Path, page: str, folder: str) -> None:
    before = draft / ".before"
    if (target / folder).exists():
        (target / folder).rename(before)
    try:
        (draft / folder).rename(target / folder)
        (draft / page).replace(target / page)
    except OSError:
        if (target / folder).exists():
            (target / folder).rename(draft / folder)
        if before.exists():
            before.rename(target / folder)
        raise
