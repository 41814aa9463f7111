"""Refuses settings that have no effect on a data set."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields

from datasets.errors import DataError, shorten
from datasets.readers import format_of
from datasets.spec import DatasetSpec

TEXTS = frozenset({"name", "description", "source", "licence", "remarks", "stand_in"})
"""Descriptions, which change no array."""
_TABLES = {"csv", "parquet", "arff"}


def unused_settings(spec: DatasetSpec, given: Collection[str]) -> dict[str, str]:
    """Return the settings without effect on a data set.

    Parameters
    ----------
    spec
        With all settings.
    given
        Names of fields that were set: ``train``, ``n``.

    Returns
    -------
    dict of str to str
        Name, and the condition for an effect.
    """
    needs = _needs(spec)
    return {name: needs[name] for name in given if name in needs}


def check_used(spec: DatasetSpec, given: Collection[str]) -> None:
    """Check that all settings have an effect on a data set.

    Parameters
    ----------
    spec
        With all settings.
    given
        Names of fields that were set.

    Raises
    ------
    DataError
        One has none; the message has its condition and the settings with effect.
    """
    if "kind" in given:
        raise DataError("dataset.kind cannot be set by itself: choose a data set by dataset=NAME.")
    without_use = unused_settings(spec, given)
    if not without_use:
        return
    name, why = next(iter(without_use.items()))
    needs = _needs(spec)
    known = [field.name for field in fields(DatasetSpec) if field.name not in (*needs, *TEXTS, "kind")]
    chosen = spec.kind if spec.kind in ("file", "synthetic") else spec.name
    raise DataError(
        f"dataset.{name} has no effect on dataset={shorten(chosen)}: {why}. It has name, {', '.join(known)}."
    )


def _needs(spec: DatasetSpec) -> dict[str, str]:
    """Return the settings without effect, each with its condition."""
    kind = spec.kind
    formats = _formats(spec)
    has_files = kind in ("published", "elastic")
    split_off = _is_split_off(spec)
    drawn = split_off or any(
        value is not None for value in (spec.parts, spec.max_train, spec.max_test, spec.validation_fraction)
    )
    made = kind in ("synthetic", "elastic")
    # settings, whether their condition is met, and the condition in words
    rules: list[tuple[tuple[str, ...], bool, str]] = [
        (("train", "test"), kind == "file", "it is for dataset=file"),
        (("files",), has_files, "it is for published files"),
        (("format",), has_files or kind == "file", "it is for data from files"),
        (("zero_based",), "libsvm" in formats, "it is for LIBSVM text"),
        (("entry",), kind in ("sklearn", "openml"), "it is for dataset=sklearn:NAME and dataset=openml:NAME"),
        (("label_column",), bool(formats & _TABLES), "it is for CSV, Parquet and ARFF"),
        (("drop_columns",), bool(formats & _TABLES) or kind == "openml", "it is for CSV, Parquet, ARFF and OpenML"),
        (("ngrams", "min_count"), bool(formats & {"messages", "reuters"}), "it is for texts (messages, reuters)"),
        (
            ("topic",),
            spec.file("topics") is not None or "reuters" in formats,
            "it is for data sets with a file of topics, and for Reuters-21578",
        ),
        (("test_count",), split_off, _why_no_split(spec)),
        (
            ("test_fraction",),
            split_off and spec.test_count is None,
            "dataset.test_count says how many" if split_off else _why_no_split(spec),
        ),
        (("split_seed",), drawn, "no rows are drawn (a split, a sample, or rows held out)"),
        (("n", "n_test", "data_seed"), made, "it is for data that are generated"),
        (("shape",), kind == "synthetic", "it is for dataset=synthetic"),
        (("noise",), kind == "synthetic" and spec.shape == "noisy", "it is for dataset.shape=noisy"),
        (("margin",), kind == "synthetic" and spec.shape == "margin", "it is for dataset.shape=margin"),
        (("rare", "directions"), kind == "synthetic" and spec.shape == "rare", "it is for dataset.shape=rare"),
        (("sigma", "alpha"), kind == "elastic", "it is for dataset=mnist_elastic"),
        (("expected_test",), _has_test_part(spec), "there is no test file"),
    ]
    return {name: why for names, holds, why in rules if not holds for name in names}


def _formats(spec: DatasetSpec) -> set[str]:
    if spec.kind == "file":
        return {format_of(path, spec.format) for path in (spec.train, spec.test) if path}
    return {spec.format} if spec.kind in ("published", "elastic") else set()


def _has_test_part(spec: DatasetSpec) -> bool:
    if spec.kind == "file":
        return bool(spec.test) or "npz" in _formats(spec)
    return spec.kind in ("synthetic", "elastic") or spec.file("test") is not None


def _is_split_off(spec: DatasetSpec) -> bool:
    """Whether test rows are drawn from the training file; an .npz may have test rows or not."""
    test_file = bool(spec.test) or spec.file("test") is not None or spec.kind in ("synthetic", "elastic")
    return spec.parts is None and not test_file


def _why_no_split(spec: DatasetSpec) -> str:
    return "dataset.parts says how rows are divided" if spec.parts is not None else "it has its own test rows"
