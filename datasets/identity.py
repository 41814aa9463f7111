"""The fingerprint of a data set: a hash of all that determines its arrays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from svm_cost_curves.datasets.elastic import GENERATOR_VERSION
from svm_cost_curves.datasets.readers import READER_VERSION, format_of, reader_of
from svm_cost_curves.datasets.sklearn_data import CHECKSUMS, name_and_version
from svm_cost_curves.datasets.spec import (
    DatasetSpec,
    ElasticData,
    FileData,
    OpenmlData,
    PublishedData,
    ReadData,
    SklearnData,
    SplitData,
    SyntheticData,
    WithFiles,
)


def by_role(checksums: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each role to the checksum of its file, or to the joined checksums of its files, from pairs of both."""
    joined: dict[str, str] = {}
    for role, sha256 in checksums:
        joined[role] = f"{joined[role]}+{sha256}" if role in joined else sha256
    return joined


def fingerprint_of(spec: DatasetSpec, checksums: Mapping[str, str]) -> str:
    """Return the SHA-256, in hex, of all that determines the arrays; it is equal on every machine.

    Descriptions, names, addresses, paths and expected counts are not part of it.

    Parameters
    ----------
    spec
        The specification.
    checksums
        SHA-256 of the unpacked bytes of each file, by role (see `by_role`); empty where there are no files.
    """
    content: dict[str, Any] = {"version": READER_VERSION, "kind": spec.kind, "files": dict(checksums)}
    content["labels"] = {"positive": _labels(spec.positive), "negative": _labels(spec.negative)}
    content["transforms"] = {"d": spec.d, "divide_by": float(spec.divide_by), "scaling": spec.scaling}
    content["storage"] = spec.storage
    # only if set: data sets without these settings keep the fingerprints of recorded runs
    if isinstance(spec, ReadData) and spec.zero_based is not None:
        content["transforms"]["zero_based"] = spec.zero_based
    if spec.row_norm != "none":
        content["transforms"]["row_norm"] = spec.row_norm
    if isinstance(spec, FileData | PublishedData):
        content["kind"] = "files"  # the origin of the same bytes does not matter
        paths = {"train": spec.train, "test": spec.test} if isinstance(spec, FileData) else {}
        content["formats"] = {
            role: reader_of(spec, format_of(paths.get(role, ""), spec.format), role)[0] for role in checksums
        }
    if isinstance(spec, SklearnData):
        content["sklearn"] = CHECKSUMS[spec.entry]
    if isinstance(spec, OpenmlData):
        content["openml"] = [*name_and_version(spec.entry), sorted(spec.drop_columns)]
    if isinstance(spec, SyntheticData):
        content["synthetic"] = [spec.shape, spec.n, spec.n_test, spec.data_seed]
        content["noise"] = float(spec.noise) if spec.shape == "noisy" else None
        content["margin"] = float(spec.margin) if spec.shape == "margin" else None
        if spec.shape == "rare":
            content["rare"] = [float(spec.rare), spec.directions]
    elif isinstance(spec, ElasticData):
        settings = [GENERATOR_VERSION, float(spec.sigma), float(spec.alpha), spec.data_seed, spec.n, spec.n_test]
        content["elastic"] = [*settings, "validation" if spec.validate else "test"]
    elif isinstance(spec, SplitData) and "test" not in checksums and spec.parts is None:
        content["split"] = [spec.split_seed, spec.test_count, None if spec.test_count else float(spec.test_fraction)]
    # these, too, only if set
    if spec.parts is not None:
        content["parts"] = [spec.split_seed, *spec.parts, "validation" if spec.validate else "test"]
    if spec.max_train is not None or spec.max_test is not None:
        content["sample"] = [spec.split_seed, spec.max_train, spec.max_test]
    if spec.validation_fraction is not None:
        content["validation"] = [spec.split_seed, float(spec.validation_fraction)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def stated_fingerprint(spec: DatasetSpec) -> str:
    """Return the fingerprint without reading a file: that of `datasets.fingerprint` where all checksums are stated.

    A published file without a checksum counts by its address, a user's file by its path.
    """
    files: dict[str, str] = {}
    if isinstance(spec, WithFiles):
        files = by_role((file.role, file.sha256 or file.url or file.name) for file in spec.files)
    if isinstance(spec, FileData):
        files = {"train": spec.train, **({"test": spec.test} if spec.test else {})}
    return fingerprint_of(spec, files)


def _labels(group: list[int | float | str] | None) -> list[float | str] | None:
    if group is None:
        return None
    texts = sorted({v for v in group if isinstance(v, str)})
    return [*sorted({float(v) for v in group if not isinstance(v, str)}), *texts]
