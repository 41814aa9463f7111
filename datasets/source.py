"""Reads the files of a specification: fetches, verifies and parses them, or uses the prepared cache.

The cache has parsed files as arrays in numpy's .npy format, so that a second load does not parse.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import stat
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..support import disk_cache
from ..support.errors import SettingsError
from ..support.paths import expanded
from .errors import DataError, advice, shorten, shown_path
from .fetch import Fetched, fetch, known_checksum, read
from .readers import READER_VERSION, format_of, reader_of, version_of
from .readers.arrays import read_npz
from .readers.columns import check_names
from .readers.libsvm import with_index_zero
from .sklearn_data import CHECKSUMS, name_and_version, read_bundle, read_openml
from .spec import (
    DatasetSpec,
    ElasticData,
    FileData,
    FileSpec,
    OpenmlData,
    PublishedData,
    ReadData,
    SklearnData,
    SyntheticData,
)
from .synthetic import generate
from .transforms import stack_rows
from .types import Table

_NAMES = ("y", "classes", "from_zero", "columns", "label_column", "indexed", "warnings")
"""Fields of a table beside its features."""
_DATA_SUFFIXES = (".csv", ".tsv", ".parquet", ".npz", ".arff", ".svm", ".libsvm", ".data", ".gz", ".bz2", ".xz")
"""Of files that a folder is asked for first."""


@dataclass
class RawTables:
    """Tables before label rule and split, and the record of their files.

    ``pad`` says whether a narrower part may be padded with zeros: only in formats that omit zeros.
    """

    train: Table
    test: Table | None
    files: list[dict[str, Any]] = field(default_factory=list)
    pad: bool = False

    @property
    def checksums(self) -> dict[str, str]:
        """SHA-256 of the unpacked bytes of each file, by role."""
        return by_role((f["role"], f["sha256"]) for f in self.files if "role" in f)

    def describe_part(self, where: str, role: str) -> str:
        """Return the name of a part for messages: data set and files."""
        names = [f["name"] for f in self.files if f.get("role") == role]
        return f"{where}, {' + '.join(names) or role}"


def by_role(checksums: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each role to the checksum of its file, or to the joined checksums of its files, from pairs of both."""
    joined: dict[str, str] = {}
    for role, sha256 in checksums:
        joined[role] = f"{joined[role]}+{sha256}" if role in joined else sha256
    return joined


def read_tables(spec: DatasetSpec, cache_dir: Path, mirrors: Sequence[Path], note: Callable[[str], None]) -> RawTables:
    """Return the tables of a specification; `note` takes a few words on each download."""
    if isinstance(spec, SklearnData):
        entry, sha256 = spec.entry, CHECKSUMS[spec.entry]
        # the cache saves the import of scikit-learn
        table = PreparedCache(cache_dir).table(sha256, "sklearn", lambda: read_bundle(entry))
        return RawTables(table, None, [{"name": entry, "sha256": sha256}])
    if isinstance(spec, OpenmlData):
        name, version = name_and_version(spec.entry)
        table = read_openml(spec.entry, spec.drop_columns, cache_dir, note)
        return RawTables(table, None, [{"name": name, "version": version}])
    if isinstance(spec, SyntheticData):
        return RawTables(*generate(spec))
    if isinstance(spec, FileData):
        return _user_files(spec, PreparedCache(cache_dir, version_of(spec)))
    if isinstance(spec, ElasticData):  # made of published images
        spec = PublishedData(name=spec.name, files=spec.files, format=spec.format)
    assert isinstance(spec, PublishedData)
    return _published(spec, cache_dir, mirrors, note)


def _published(spec: PublishedData, cache_dir: Path, mirrors: Sequence[Path], note: Callable[[str], None]) -> RawTables:
    records: list[dict[str, Any]] = []

    def table_of(file: FileSpec) -> Table:
        # with a known checksum the prepared file replaces its source
        sha256, origin = known_checksum(file, cache_dir, mirrors), "prepared cache"
        cache = PreparedCache(cache_dir)
        table = cache.get(sha256, reader_of(spec, spec.format, file.role)[0]) if sha256 else None
        if table is None:
            fetched = fetch(file, cache_dir, mirrors, note)
            sha256, origin = fetched.sha256, str(fetched.path)
            table = _parsed(fetched, origin, spec, spec.format, cache, file.role)
        records.append(
            {"role": file.role, "name": file.name, "sha256": sha256, "source": file.url, "obtained_from": origin}
        )
        return table

    train, test = (spec.of_role(role) for role in ("train", "test"))
    alike = _same_conventions([table_of(file) for file in (*train, *test)], spec)
    tables = [_stack(alike[: len(train)])] + ([_stack(alike[len(train) :])] if test else [])
    for k, role in enumerate(("train_labels", "test_labels")[: len(tables)]):
        if labels := spec.file(role):
            tables[k] = Table(tables[k].X, table_of(labels).y)
    if topics := spec.file("topics"):
        documents = table_of(topics).y
        tables = [Table(table.X, np.where(np.isin(table.y, documents), 1.0, -1.0)) for table in tables]
    return RawTables(tables[0], tables[1] if test else None, records, pad=spec.format == "libsvm")


def _parsed(file: Fetched, where: str, spec: ReadData, format: str, cache: PreparedCache, role: str = "train") -> Table:
    """Parse a file through the prepared cache, except .npz, which holds arrays already."""
    name, read_content = reader_of(spec, format, role)
    if format == "npz":
        return read_content(file.content, where)
    return cache.table(file.sha256, name, lambda: read_content(file.content, where))


def _user_files(spec: FileData, cache: PreparedCache) -> RawTables:
    tables: dict[str, Table] = {}
    records, formats = [], set()
    for role, name in (("train", spec.train), ("test", spec.test)):
        if not name:
            continue
        path = user_path(name)
        file, where, format = read(path), shown_path(path), format_of(name, spec.format)
        if format in ("idx", "reuters"):
            raise DataError(
                "dataset=file reads libsvm, csv, npz, parquet, arff and messages; idx needs a label file beside it, "
                "and reuters is read by dataset=reuters_acq."
            )
        if format == "npz" and role == "train":
            tables["train"], test = read_npz(file.content, where)
            if test is not None:
                tables["test"] = test
        else:
            tables[role] = _parsed(file, where, spec, format, cache)
        formats.add(format)
        records.append(
            {"role": role, "name": path.name, "sha256": file.sha256, "source": "", "obtained_from": str(path)}
        )
    train, *test_tables = _same_conventions([*tables.values()], spec)
    if test_tables:
        check_names(test_tables[0].columns, train.columns, f"Data set {spec.name}, test part", "the training part")
    return RawTables(train, test_tables[0] if test_tables else None, records, pad=formats == {"libsvm"})


def user_path(name: str) -> Path:
    """Return the path of a user's file: a plain file, or a link to one."""
    try:
        path = expanded(name, "dataset")
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise DataError(f"{shorten(name)}: there is no such file.") from None
    except OSError as error:  # too long, not a folder on the way, no permission
        raise DataError(f"{shorten(name)}: cannot be read ({error.strerror or type(error).__name__}).") from error
    except SettingsError as error:  # ~ without a home
        raise DataError(str(error)) from error
    except ValueError as error:  # a NUL in it
        raise DataError(f"{shorten(name)}: is not a path ({shorten(str(error))}).") from error
    if stat.S_ISDIR(mode):
        need = advice("dataset=file:PATH needs the path of a file", "name a file")
        raise DataError(f"{shown_path(path)}: is a folder; {need}, such as {_inside(path)}.")
    if not stat.S_ISREG(mode):
        raise DataError(
            f"{shown_path(path)}: is a device, a pipe or a socket; data are read more than once: save them to a file."
        )
    return path


def _inside(folder: Path) -> str:
    """Return the path of a file in a folder, an example."""
    with contextlib.suppress(OSError):
        files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
        tables = [path for path in files if path.suffix.lower() in _DATA_SUFFIXES]
        if tables:
            return shown_path(tables[0])
    return "FOLDER/points.csv"


def _same_conventions(tables: Sequence[Table], spec: ReadData) -> list[Table]:
    """Return the tables with the same first index, and the same numbers for text labels."""
    from_zero = any(table.from_zero for table in tables)
    if from_zero and spec.zero_based is False:
        raise DataError(f"Data set {spec.name}: index 0 occurs, and dataset.zero_based=false counts from 1.")
    if from_zero or (spec.zero_based and any(sparse.issparse(table.X) for table in tables)):
        tables = [with_index_zero(table) if sparse.issparse(table.X) else table for table in tables]
    if len({bool(table.classes) for table in tables if table.y.size}) > 1:
        raise DataError(f"Data set {spec.name}: labels are numbers in one file and texts in another.")
    classes = tuple(sorted({name for table in tables for name in table.classes}))
    if not classes:
        return list(tables)
    places = {name: float(k) for k, name in enumerate(classes)}
    return [
        replace(table, y=np.array([places[name] for name in table.classes])[table.y.astype(np.intp)], classes=classes)
        for table in tables
    ]


def _stack(tables: Sequence[Table]) -> Table:
    """Stack the rows of several LIBSVM files."""
    if len(tables) == 1:
        return tables[0]
    return Table(stack_rows([table.X for table in tables]), np.concatenate([table.y for table in tables]))


class PreparedCache:
    """Parsed files in ``<cache_dir>/prepared``.

    A file is known by the SHA-256 of its unpacked source, or of the content without a file, and the name of the reader
    with the options that change its result: ``csv:-1``.
    """

    def __init__(self, cache_dir: Path, version: int = READER_VERSION) -> None:
        self._folder, self._version = cache_dir / "prepared", version

    def path(self, sha256: str, reader: str) -> Path:
        """Return the path of a prepared file."""
        identity = {"version": self._version, "sha256": sha256, "reader": reader}
        key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
        return self._folder / f"{reader.partition(':')[0]}-{key}.arrays"

    def get(self, sha256: str, reader: str) -> Table | None:
        """Return the parsed file; None if it is missing, or damaged, which logs a warning."""
        return disk_cache.get(self.path(sha256, reader), _read_arrays)

    def put(self, sha256: str, reader: str, table: Table) -> None:
        """Write a parsed file; a cache that cannot be written only logs a warning."""

        def write(file: BinaryIO) -> None:
            arrays = _arrays(table)
            for array in (np.array(list(arrays)), *arrays.values()):
                np.save(file, array, allow_pickle=False)

        disk_cache.put(self.path(sha256, reader), write)

    def table(self, sha256: str, reader: str, make: Callable[[], Table]) -> Table:
        """Return the parsed file; `make` parses it if it is not here."""
        table = self.get(sha256, reader)
        if table is None:
            table = make()
            self.put(sha256, reader, table)
        return table


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    arrays = {name: np.array(getattr(table, name)) for name in _NAMES}
    if not sparse.issparse(table.X):
        return {"X": np.asarray(table.X), **arrays}
    X = table.X
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape, np.int64), **arrays}


def _read_arrays(file: BinaryIO) -> Table:
    arrays = {str(name): np.load(file, allow_pickle=False) for name in np.load(file, allow_pickle=False)}
    X = arrays.get("X")
    if X is None:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        n, d = map(int, arrays["shape"])
        X = sparse.csr_matrix(parts, shape=(n, d))
    # files of earlier versions lack the names that were empty
    classes, columns, warnings = (tuple(map(str, arrays.get(name, ()))) for name in ("classes", "columns", "warnings"))
    from_zero, indexed = (bool(arrays.get(name, False)) for name in ("from_zero", "indexed"))
    label_column = str(arrays.get("label_column", ""))
    return Table(X, arrays["y"], classes, from_zero, columns, label_column, indexed, warnings)
