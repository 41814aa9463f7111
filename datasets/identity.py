"""The fingerprint: what determines the arrays, and nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from datasets.digits import DIGITS_SHA256
from datasets.readers import READER_VERSION, format_of
from datasets.spec import DatasetSpec


def fingerprint_of(spec: DatasetSpec, checksums: Mapping[str, str]) -> str:
    """Hash what determines the arrays.

    Parameters
    ----------
    spec
        The specification.
    checksums
        SHA-256 of the unpacked bytes of each file, by role; empty for digits and synthetic data.

    Returns
    -------
    str
        SHA-256 in hex, equal on every machine. Texts for people, names, addresses, paths and expected
        counts do not enter.
    """
    content: dict[str, Any] = {"version": READER_VERSION, "kind": spec.kind, "files": dict(checksums)}
    content["labels"] = {"positive": _labels(spec.positive), "negative": _labels(spec.negative)}
    content["transforms"] = {"d": spec.d, "divide_by": float(spec.divide_by), "scaling": spec.scaling}
    content["storage"] = spec.storage
    if spec.kind == "file" or spec.kind == "published":
        content["kind"] = "files"  # the same bytes are the same data, wherever they came from
        content["formats"] = {role: _reader(spec, role) for role in checksums}
    if spec.kind == "digits":
        content["digits"] = DIGITS_SHA256
    if spec.kind == "synthetic":
        content["synthetic"] = [spec.shape, spec.n, spec.n_test, spec.data_seed]
        content["noise"] = float(spec.noise) if spec.shape == "noisy" else None
        content["margin"] = float(spec.margin) if spec.shape == "margin" else None
    elif "test" not in checksums:
        content["split"] = [spec.split_seed, spec.test_count, None if spec.test_count else float(spec.test_fraction)]
    # only where it is asked for: data sets without a sample keep the fingerprint under which their runs are recorded
    if spec.max_train is not None or spec.max_test is not None:
        content["sample"] = [spec.split_seed, spec.max_train, spec.max_test]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def reader_name(format: str, label_column: int | str) -> str:
    """Name a reader with the options that change what it returns."""
    return f"csv:{label_column!r}" if format == "csv" else format


def _reader(spec: DatasetSpec, role: str) -> str:
    path = {"train": spec.train, "test": spec.test}.get(role, "") if spec.kind == "file" else ""
    return reader_name(format_of(path, spec.format), spec.label_column)


def _labels(group: list[float] | None) -> list[float] | None:
    return None if group is None else sorted({float(v) for v in group})
