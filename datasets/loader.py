"""From a specification to a validated data set: obtain, read, verify, label, split, sample, transform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets import checks, transforms
from datasets.dataset import Dataset, Matrix, Table
from datasets.digits import DIGITS_SHA256, read_digits
from datasets.errors import DataError
from datasets.fetch import default_cache_dir, fetch, mirrors_from_environment, read
from datasets.identity import fingerprint_of, reader_name
from datasets.labels import apply_rule, make_rule
from datasets.prepared import PreparedCache
from datasets.readers import format_of, read_text
from datasets.readers.idx import read_idx
from datasets.readers.npz import read_npz
from datasets.sample import describe_sample, sample_rows
from datasets.spec import DatasetSpec, FileSpec, check_spec
from datasets.split import PURPOSE_SAMPLE_TEST, PURPOSE_SAMPLE_TRAIN, split_rows
from datasets.synthetic import generate


@dataclass
class _Raw:
    """The parts before labels and split, and what is known of their files."""

    train: Table
    test: Table | None
    files: list[dict[str, Any]] = field(default_factory=list)
    #: Whether a narrower part may be padded: only where the format leaves zeros out.
    pad: bool = False

    @property
    def checksums(self) -> dict[str, str]:
        return {f["role"]: f["sha256"] for f in self.files if "role" in f}


def load(spec: DatasetSpec, *, cache_dir: Path, mirrors: Sequence[Path] = ()) -> Dataset:
    """Load a data set.

    Parameters
    ----------
    spec
        What to load.
    cache_dir
        Folder of downloaded and prepared files; made when missing.
    mirrors
        Directories to look for files in, before those of ``SVM_DATA_MIRROR``.

    Returns
    -------
    Dataset
        Validated arrays of one width, with their provenance and fingerprint.

    Raises
    ------
    DataError
        Any problem with the specification, the files, or what is in them.
    """
    check_spec(spec)
    source = _Source(spec, Path(cache_dir), (*map(Path, mirrors), *mirrors_from_environment()))
    raw = source.read()
    where = f"Data set {spec.name or spec.kind}"
    checks.check_table(raw.train, _place(where, raw, "train"))
    checks.check_expected(raw.train, spec.expected_train, f"{where}, training file")
    if raw.test is not None:
        checks.check_table(raw.test, _place(where, raw, "test"))
        checks.check_expected(raw.test, spec.expected_test, f"{where}, test file")
    d = checks.common_width(raw.train, raw.test, spec.d, pad=raw.pad, where=where)

    rule = make_rule(raw.train.y, spec.positive, spec.negative, _place(where, raw, "train"))
    drop = spec.negative is not None
    y, rows = apply_rule(rule, raw.train.y, drop_others=drop, where=_place(where, raw, "train"))
    features = transforms.take_rows(raw.train.X, rows)
    if raw.test is not None:
        y_test, rows_test = apply_rule(rule, raw.test.y, drop_others=drop, where=_place(where, raw, "test"))
        features_test = transforms.take_rows(raw.test.X, rows_test)
        split = "as published" if spec.kind == "published" else "none: train and test come apart"
    else:
        n_test = spec.test_count if spec.test_count is not None else int(y.size * spec.test_fraction + 0.5)
        inside, outside = split_rows(y.size, n_test, spec.split_seed)
        y, y_test, features, features_test = y[inside], y[outside], features[inside], features[outside]
        split = f"{y.size} train / {n_test} test rows drawn from one file, Philox, seed {spec.split_seed}"
    checks.check_classes(y, f"{where}, training part")
    n, n_test = y.size, y_test.size
    features, y = _sample(features, y, spec.max_train, spec.split_seed, PURPOSE_SAMPLE_TRAIN)
    features_test, y_test = _sample(features_test, y_test, spec.max_test, spec.split_seed, PURPOSE_SAMPLE_TEST)

    dense = transforms.choose_dense(features, d, spec.storage)
    X, X_test = (transforms.to_matrix(part, d, dense=dense) for part in (features, features_test))
    for part in (X, X_test):
        transforms.divide(part, spec.divide_by)
    if spec.scaling == "minmax":
        transforms.minmax(X, X_test)
    counts = {"train": _counts(X, y), "test": _counts(X_test, y_test)}
    provenance: dict[str, Any] = {
        "files": raw.files,
        "source": spec.source,
        "licence": spec.licence,
        "stand_in": bool(spec.stand_in),
        "stand_in_why": spec.stand_in,
        "split": split,
        "sample": describe_sample(n, y.size, n_test, y_test.size, spec.split_seed),
        "label_rule": rule.describe(),
        "transforms": _describe_transforms(spec, d, raw),
        "storage": "dense" if dense else "sparse",
        "counts": counts,
        "remarks": [*spec.remarks, *_remarks(counts)],
    }
    return Dataset(spec.name, X, y, X_test, y_test, provenance, fingerprint_of(spec, raw.checksums))


def fingerprint(spec: DatasetSpec, *, cache_dir: Path | None = None, mirrors: Sequence[Path] = ()) -> str:
    """Return the identity of a data set, without loading it where all checksums are known.

    A file whose checksum the specification does not know is hashed; it is looked for (and, if need
    be, downloaded) as :func:`load` does with the same ``cache_dir`` (default:
    :func:`default_cache_dir`) and ``mirrors``.

    Raises
    ------
    DataError
        A specification that makes no sense, or a file that must be hashed cannot be read.
    """
    check_spec(spec)
    folder = default_cache_dir() if cache_dir is None else Path(cache_dir)
    places = (*map(Path, mirrors), *mirrors_from_environment())
    checksums: dict[str, str] = {}
    if spec.kind == "published":
        checksums = {f.role: f.sha256 or fetch(f, folder, places).sha256 for f in spec.files}
    if spec.kind == "file":
        checksums = {"train": read(_user_path(spec.train)).sha256}
        if spec.test:
            checksums["test"] = read(_user_path(spec.test)).sha256
    return fingerprint_of(spec, checksums)


class _Source:
    """Reads the raw parts of a specification, each kind in its way."""

    def __init__(self, spec: DatasetSpec, cache_dir: Path, mirrors: Sequence[Path]) -> None:
        self._spec, self._cache_dir, self._mirrors = spec, cache_dir, mirrors
        self._prepared = PreparedCache(cache_dir)

    def read(self) -> _Raw:
        spec = self._spec
        if spec.kind == "digits":
            content = {"name": "digits, bundled with scikit-learn", "sha256": DIGITS_SHA256, "source": spec.source}
            return _Raw(self._digits(), None, [content])
        if spec.kind == "synthetic":
            assert spec.d is not None  # check_spec
            return _Raw(*generate(spec.shape, spec.n, spec.n_test, spec.d, spec.noise, spec.margin, spec.data_seed))
        return self._published() if spec.kind == "published" else self._user_files()

    def _digits(self) -> Table:
        # Prepared not to save parsing but importing scikit-learn.
        table = self._prepared.get(DIGITS_SHA256, "digits")
        if table is None:
            table = read_digits()
            self._prepared.put(DIGITS_SHA256, "digits", table)
        return table

    def _published(self) -> _Raw:
        records: list[dict[str, Any]] = []
        tables: dict[str, Table | None] = {"test": None}
        for role in ("train", "test"):
            file = self._spec.file(role)
            if file is None:
                continue
            table = self._published_file(file, records)
            labels = self._spec.file(f"{role}_labels")
            if labels is not None:
                # The idx reader knows either images or labels; a label file's bytes are the "features" there.
                table = Table(table.X, self._published_file(labels, records).y)
            tables[role] = table
        train = tables["train"]
        assert train is not None  # check_spec: there is a file of role train
        return _Raw(train, tables["test"], records, pad=self._spec.format == "libsvm")

    def _published_file(self, file: FileSpec, records: list[dict[str, Any]]) -> Table:
        reader = reader_name(self._spec.format, self._spec.label_column)
        # With a known checksum a prepared file speaks for its source, which need not be there any more.
        table = self._prepared.get(file.sha256, reader) if file.sha256 else None
        sha256, origin = file.sha256, "prepared cache"
        if table is None:
            found = fetch(file, self._cache_dir, self._mirrors)
            sha256, origin = found.sha256, str(found.path)
            table = self._parse(found.content, sha256, origin, self._spec.format)
        records.append(
            {"role": file.role, "name": file.name, "sha256": sha256, "source": file.url, "obtained_from": origin}
        )
        return table

    def _parse(self, content: bytes, sha256: str, where: str, format: str) -> Table:
        """Parse by way of the prepared cache. An .npz is arrays already and is not kept again."""
        if format == "npz":
            return read_npz(content, where)[0]
        reader = reader_name(format, self._spec.label_column)
        table = self._prepared.get(sha256, reader)
        if table is None:
            if format == "idx":
                table = _idx_table(read_idx(content, where))
            else:
                table = read_text(content, where, format, self._spec.label_column)
            self._prepared.put(sha256, reader, table)
        return table

    def _user_files(self) -> _Raw:
        spec = self._spec
        path = _user_path(spec.train)
        found = read(path)
        format = format_of(spec.train, spec.format)
        if format == "idx":
            raise DataError("dataset=file reads libsvm, csv and npz; idx needs a label file beside it.")
        records = [_user_record("train", path, found.sha256)]
        test: Table | None = None
        if format == "npz":
            train, test = read_npz(found.content, str(path))
        else:
            train = self._parse(found.content, found.sha256, str(path), format)
        formats = {format}
        if spec.test:
            path_test = _user_path(spec.test)
            found_test = read(path_test)
            formats.add(format_of(spec.test, spec.format))
            test = self._parse(found_test.content, found_test.sha256, str(path_test), format_of(spec.test, spec.format))
            records.append(_user_record("test", path_test, found_test.sha256))
        return _Raw(train, test, records, pad=formats == {"libsvm"})


def _idx_table(array: NDArray[np.uint8]) -> Table:
    if array.ndim == 1:
        return Table(np.empty((array.shape[0], 0), np.uint8), array.astype(np.float64))
    return Table(array, np.empty(0))


def _user_path(name: str) -> Path:
    path = Path(name).expanduser()
    if not path.is_file():
        raise DataError(f"{path}: there is no such file.")
    return path


def _user_record(role: str, path: Path, sha256: str) -> dict[str, Any]:
    return {"role": role, "name": path.name, "sha256": sha256, "source": "", "obtained_from": str(path)}


def _place(where: str, raw: _Raw, role: str) -> str:
    name = next((f["name"] for f in raw.files if f.get("role") == role), None)
    return f"{where}, {name or role}"


def _sample(
    X: transforms.Features, y: NDArray[np.int8], at_most: int | None, seed: int, purpose: int
) -> tuple[transforms.Features, NDArray[np.int8]]:
    rows = sample_rows(y, at_most, seed, purpose)
    return transforms.take_rows(X, rows), y if rows is None else y[rows]


def _describe_transforms(spec: DatasetSpec, d: int, raw: _Raw) -> list[str]:
    steps = []
    widths = {int(part.X.shape[1]) for part in (raw.train, raw.test) if part is not None}
    if widths != {d}:
        steps.append(f"padded with zeros to {d} features")
    if spec.divide_by != 1.0:
        steps.append(f"divided by {spec.divide_by:g}")
    if spec.scaling == "minmax":
        steps.append("each feature scaled to [0, 1] by the training rows' range")
    return steps


def _counts(X: Matrix, y: NDArray[np.int8]) -> dict[str, int]:
    if sparse.issparse(X):
        entries, filled = int(X.nnz), int(np.count_nonzero(np.diff(X.indptr)))
    else:
        entries, filled = int(np.count_nonzero(X)), int(np.count_nonzero(np.asarray(X).any(axis=1)))
    return {
        "n": int(X.shape[0]),
        "d": int(X.shape[1]),
        "nnz": entries,
        "positives": int(np.count_nonzero(y > 0)),
        "rows_without_features": int(X.shape[0]) - filled,
    }


def _remarks(counts: dict[str, dict[str, int]]) -> list[str]:
    return [
        f"{c['rows_without_features']} {part} rows have no feature; they are kept."
        for part, c in counts.items()
        if c["rows_without_features"]
    ]
