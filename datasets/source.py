"""Reads the files of a specification: fetches, verifies and parses them, or uses the prepared cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.bundles import CHECKSUMS, read_bundle
from svm_cost_curves.datasets.errors import DataError, shorten, shown_path
from svm_cost_curves.datasets.fetch import Fetched, fetch, known_checksum, read
from svm_cost_curves.datasets.identity import by_role
from svm_cost_curves.datasets.openml import name_and_version, read_openml
from svm_cost_curves.datasets.prepared import PreparedCache
from svm_cost_curves.datasets.readers import format_of, reader_of
from svm_cost_curves.datasets.readers.libsvm import with_index_zero
from svm_cost_curves.datasets.readers.npz import read_npz
from svm_cost_curves.datasets.spec import (
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
from svm_cost_curves.datasets.synthetic import generate
from svm_cost_curves.datasets.transforms import stack_rows
from svm_cost_curves.datasets.types import Table


@dataclass
class RawTables:
    """Tables before label rule and split, and the record of their files."""

    train: Table
    test: Table | None
    files: list[dict[str, Any]] = field(default_factory=list)
    #: Whether a narrower part may be padded: only in formats that omit zeros.
    pad: bool = False

    @property
    def checksums(self) -> dict[str, str]:
        """SHA-256 of the unpacked bytes of each file, by role."""
        return by_role((f["role"], f["sha256"]) for f in self.files if "role" in f)

    def place(self, where: str, role: str) -> str:
        """Return the name of a part for messages: data set and files."""
        names = [f["name"] for f in self.files if f.get("role") == role]
        return f"{where}, {' + '.join(names) or role}"


class Source:
    """Reads the tables of a specification."""

    def __init__(self, spec: DatasetSpec, cache_dir: Path, mirrors: Sequence[Path]) -> None:
        self._spec, self._cache_dir, self._mirrors = spec, cache_dir, mirrors
        self._prepared = PreparedCache(cache_dir)

    def read(self) -> RawTables:
        """Return the tables.

        Raises
        ------
        DataError
            A file is not available or malformed.
        """
        spec = self._spec
        if isinstance(spec, SklearnData):
            entry, sha256 = spec.entry, CHECKSUMS[spec.entry]
            # the cache saves the import of scikit-learn
            table = self._prepared.table(sha256, "sklearn", lambda: read_bundle(entry))
            return RawTables(table, None, [{"name": entry, "sha256": sha256}])
        if isinstance(spec, OpenmlData):
            name, version = name_and_version(spec.entry)
            table = read_openml(spec.entry, spec.drop_columns, self._cache_dir)
            return RawTables(table, None, [{"name": name, "version": version}])
        if isinstance(spec, SyntheticData):
            return RawTables(*generate(spec))
        if isinstance(spec, FileData):
            return self._user_files(spec)
        if isinstance(spec, ElasticData):  # made of published images
            spec = PublishedData(name=spec.name, files=spec.files, format=spec.format)
        assert isinstance(spec, PublishedData)
        return self._published(spec)

    def _published(self, spec: PublishedData) -> RawTables:
        records: list[dict[str, Any]] = []
        tables: dict[str, Table | None] = {"test": None}
        read = {
            role: [self._published_file(file, spec, records) for file in spec.of_role(role)]
            for role in ("train", "test")
        }
        alike = iter(same_conventions([*read["train"], *read["test"]], spec))
        for role in ("train", "test"):
            if not read[role]:
                continue
            table = _stack([next(alike) for _ in read[role]])
            labels = spec.file(f"{role}_labels")
            if labels is not None:
                table = Table(table.X, self._published_file(labels, spec, records).y)
            tables[role] = table
        topics = spec.file("topics")
        if topics is not None:
            documents = self._published_file(topics, spec, records).y
            tables = {role: table and _in_topic(table, documents) for role, table in tables.items()}
        train = tables["train"]
        assert train is not None  # check_spec: there is a file of role train
        return RawTables(train, tables["test"], records, pad=spec.format == "libsvm")

    def _published_file(self, file: FileSpec, spec: PublishedData, records: list[dict[str, Any]]) -> Table:
        # with a known checksum the prepared file replaces its source
        sha256, origin = known_checksum(file, self._cache_dir, self._mirrors), "prepared cache"
        reader, _ = reader_of(spec, spec.format, file.role)
        table = self._prepared.get(sha256, reader) if sha256 else None
        if table is None:
            found = fetch(file, self._cache_dir, self._mirrors)
            sha256, origin = found.sha256, str(found.path)
            table = self._parsed(found, origin, spec, spec.format, file.role)
        records.append(
            {"role": file.role, "name": file.name, "sha256": sha256, "source": file.url, "obtained_from": origin}
        )
        return table

    def _parsed(self, file: Fetched, where: str, spec: ReadData, format: str, role: str = "train") -> Table:
        """Parse a file through the prepared cache, except .npz, which holds arrays already."""
        reader, read = reader_of(spec, format, role)
        if format == "npz":
            return read(file.content, where)
        return self._prepared.table(file.sha256, reader, lambda: read(file.content, where))

    def _user_files(self, spec: FileData) -> RawTables:
        path = user_path(spec.train)
        found = read(path)
        format = format_of(spec.train, spec.format)
        if format in ("idx", "reuters"):
            raise DataError(
                "dataset=file reads libsvm, csv, npz, parquet, arff and messages; idx needs a label file beside it, "
                "and reuters is read by dataset=reuters_acq."
            )
        records = [_user_record("train", path, found.sha256)]
        test: Table | None = None
        if format == "npz":
            train, test = read_npz(found.content, shown_path(path))
        else:
            train = self._parsed(found, shown_path(path), spec, format)
        formats = {format}
        if spec.test:
            path_test = user_path(spec.test)
            found_test = read(path_test)
            formats.add(format := format_of(spec.test, spec.format))
            test = self._parsed(found_test, shown_path(path_test), spec, format)
            records.append(_user_record("test", path_test, found_test.sha256))
        train, *others = same_conventions([train] if test is None else [train, test], spec)
        return RawTables(train, others[0] if others else None, records, pad=formats == {"libsvm"})


def user_path(name: str) -> Path:
    """Return the path of a user's file.

    Raises
    ------
    DataError
        There is no such file.
    """
    try:
        path = Path(name).expanduser()
        there = path.is_file()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL in it, ~ without a home
        raise DataError(f"{shown_path(name)}: is not a path ({shorten(str(error))}).") from error
    if not there:
        raise DataError(f"{shown_path(path)}: there is no such file.")
    return path


def same_conventions(tables: Sequence[Table], spec: ReadData) -> list[Table]:
    """Return the tables with the same first index, and the same numbers for text labels.

    Raises
    ------
    DataError
        An index 0 where ``zero_based`` is false; labels that are numbers in one file and texts in another.
    """
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


def _stack(tables: list[Table]) -> Table:
    """Stack the rows of several LIBSVM files."""
    if len(tables) == 1:
        return tables[0]
    return Table(stack_rows([table.X for table in tables]), np.concatenate([table.y for table in tables]))


def _in_topic(table: Table, documents: NDArray[np.float64]) -> Table:
    """Replace document numbers by 1 for the topic's documents and -1 for the others."""
    return Table(table.X, np.where(np.isin(table.y, documents), 1.0, -1.0))


def _user_record(role: str, path: Path, sha256: str) -> dict[str, Any]:
    return {"role": role, "name": path.name, "sha256": sha256, "source": "", "obtained_from": str(path)}
