"""From a composed configuration to a specification; refuses settings that have no effect on the data set."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers import TABLES, format_of
from svm_cost_curves.datasets.spec import (
    KINDS,
    TEXTS,
    DatasetConfig,
    DatasetSpec,
    FileData,
    MadeData,
    PublishedData,
    ReadData,
    SplitData,
    SyntheticData,
    WithFiles,
    named,
)
from svm_cost_curves.support.text import nearest


def spec_of(config: DatasetConfig, given: Collection[str] = (), may_be_unused: Collection[str] = ()) -> DatasetSpec:
    """Return the specification of the configuration's kind, with a name (see `datasets.spec.named`).

    Parameters
    ----------
    config
        As composed.
    given
        Names of fields that the user has set: ``train``, ``n``.
    may_be_unused
        Those of them that may be without effect.

    Raises
    ------
    DataError
        There is no such kind, or a field has no effect on this data set; the message has the fields with effect.
    """
    if "kind" in given:
        raise DataError("dataset.kind cannot be set by itself: choose a data set by dataset=NAME.")
    if config.kind not in KINDS:
        raise DataError(f"dataset.kind={shorten(config.kind)}: unknown; allowed are {', '.join(KINDS)}.")
    known = _names(KINDS[config.kind])
    spec = named(KINDS[config.kind](**{name: getattr(config, name) for name in known}))
    unused = {
        name: f"it is for kind {' and '.join(kind for kind, other in KINDS.items() if name in _names(other))}"
        for name in _names(DatasetConfig)
        if name not in (*known, "kind")
    }
    default = DatasetConfig()
    set_here = {name for name in unused if getattr(config, name) != getattr(default, name)}
    unused |= _without_effect(spec)
    for name in sorted({*given, *set_here} - {*may_be_unused}):
        if name in unused:
            effective = [other for other in known if other not in (*unused, *TEXTS)]
            raise DataError(
                f"dataset.{name} has no effect on dataset={_chosen(spec)}: {unused[name]}. "
                f"It has name, {', '.join(effective)}{nearest(name, effective)}"
            )
    return spec


def _names(kind: type[DatasetSpec]) -> list[str]:
    return [field.name for field in fields(kind)]


def _chosen(spec: DatasetSpec) -> str:
    return spec.kind if isinstance(spec, FileData | SyntheticData) else shorten(spec.name)


def _without_effect(spec: DatasetSpec) -> Mapping[str, str]:
    """Return the fields of a specification without effect, each with its condition."""
    # fields, whether their condition is met, and the condition in words
    rules: list[tuple[tuple[str, ...], bool, str]] = [
        (("expected_test",), _has_test_rows(spec), "there is no test file")
    ]
    drawn = any(value is not None for value in (spec.parts, spec.max_train, spec.max_test, spec.validation_fraction))
    if isinstance(spec, SplitData):
        split_off = spec.parts is None and not (isinstance(spec, WithFiles | FileData) and _has_test_file(spec))
        drawn |= split_off
        why = "it has its own test rows" if spec.parts is None else "dataset.parts says how rows are divided"
        rules.append((("test_count", "test_fraction"), split_off, why))
        rules.append((("test_fraction",), spec.test_count is None, "dataset.test_count says how many"))
    rules.append((("split_seed",), drawn, "no rows are drawn (a split, a sample, or rows held out)"))
    if isinstance(spec, ReadData):
        formats = _formats(spec)
        rules += [
            (("zero_based",), "libsvm" in formats, "it is for LIBSVM text"),
            (("label_column", "drop_columns"), bool(formats & TABLES.keys()), "it is for CSV, Parquet and ARFF"),
            (("ngrams", "min_count"), bool(formats & {"messages", "reuters"}), "it is for texts (messages, reuters)"),
        ]
    if isinstance(spec, PublishedData):
        topics = spec.format == "reuters" or spec.file("topics") is not None
        rules.append((("topic",), topics, "it is for data sets with a file of topics, and for Reuters-21578"))
    if isinstance(spec, SyntheticData):
        for shape, names in (("noisy", ("noise",)), ("margin", ("margin",)), ("rare", ("rare", "directions"))):
            rules.append((names, spec.shape == shape, f"it is for dataset.shape={shape}"))
    return {name: why for names, holds, why in reversed(rules) if not holds for name in names}


def _formats(spec: ReadData) -> set[str]:
    paths = [path for path in (spec.train, spec.test) if path] if isinstance(spec, FileData) else [""]
    return {format_of(path, spec.format) for path in paths}


def _has_test_file(spec: WithFiles | FileData) -> bool:
    return bool(spec.test if isinstance(spec, FileData) else spec.file("test"))


def _has_test_rows(spec: DatasetSpec) -> bool:
    """Whether test rows come with the data; an .npz may have some or not."""
    if isinstance(spec, FileData) and "npz" in _formats(spec):
        return True
    return isinstance(spec, MadeData) or (isinstance(spec, WithFiles | FileData) and _has_test_file(spec))
