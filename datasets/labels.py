"""Maps raw labels to -1 and +1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.datasets.errors import DataError, shorten

Label = int | float | str
"""A label in a setting: number or text."""


@dataclass(frozen=True)
class LabelRule:
    """Which raw labels are +1 and which are -1.

    Attributes
    ----------
    positive
        Raw labels that become +1, ascending.
    negative
        Raw labels that become -1, ascending; None: all the rest.
    classes
        Text labels; raw label k is the k-th of them. Empty if labels are numbers.
    """

    positive: tuple[float, ...]
    negative: tuple[float, ...] | None
    classes: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the rule for the record."""
        other = "the rest" if self.negative is None else self.names(self.negative)
        return f"{self.names(self.positive)} is +1, {other} is -1"

    def names(self, values: Sequence[float] | NDArray[np.float64]) -> str:
        """Write raw labels like the file."""
        return ", ".join(shorten(self.classes[int(v)], 40) if self.classes else f"{v:g}" for v in values)


def make_rule(
    raw: NDArray[np.float64],
    positive: Sequence[Label] | None,
    negative: Sequence[Label] | None,
    where: str,
    classes: tuple[str, ...] = (),
    *,
    has_columns: bool = False,
) -> LabelRule:
    """Make the rule from the settings, or from the training labels, (n,), without settings.

    Without settings the labels must have exactly two values (-1/+1, 0/1, 1/2, ...); the larger is +1. Text labels are
    ordered alphabetically. ``has_columns`` says whether a setting chooses which column holds the label.
    """
    values = np.unique(raw)
    names = LabelRule((), None, classes).names
    if positive is None:
        if values.size != 2:
            if values.size == 1:
                raise DataError(
                    f"{where}: only one class ({names(values)}); two are needed: add rows of the other class."
                )
            listed = names(values[:10]) + (", ..." if values.size > 10 else "")
            other = " If the label is another column, choose it by dataset.label_column=NAME, or its number from 0."
            raise DataError(
                f"{where}: {values.size} different labels ({listed}); two are needed: choose by "
                f"dataset.positive=[{names(values[-1:])}] and, if wanted, dataset.negative=[...]."
                f"{other * has_columns}"
            )
        return LabelRule((float(values[1]),), (float(values[0]),), classes)
    chosen: dict[str, tuple[float, ...]] = {}
    for name, group in (("positive", positive), ("negative", negative or ())):
        raws = [_raw_label(label, classes) for label in group]
        for label, value in zip(group, raws, strict=True):
            if value is None or value not in values:
                raise DataError(
                    f"{where}: label {_text(label)} of dataset.{name} never occurs; found {names(values[:20])}."
                )
        chosen[name] = tuple(sorted({value for value in raws if value is not None}))
    return LabelRule(chosen["positive"], None if negative is None else chosen["negative"], classes)


def apply_rule(
    rule: LabelRule, raw: NDArray[np.float64], *, drop_others: bool, where: str
) -> tuple[NDArray[np.int8], NDArray[np.int64] | None]:
    """Map raw labels, (n,), to -1 and +1, (m,) int8; also return the rows kept, (m,) int64, or None when all are.

    Rows with a label of neither group are left out with ``drop_others``, else refused.
    """
    is_positive = np.isin(raw, rule.positive)
    y = np.where(is_positive, 1, -1).astype(np.int8)
    if rule.negative is None:
        return y, None
    known = is_positive | np.isin(raw, rule.negative)
    if known.all():
        return y, None
    if not drop_others:
        row = int(np.argmin(known))
        raise DataError(
            f"{where}, row {row + 1}: label {rule.names(raw[row : row + 1])}; the training labels are "
            f"{rule.names(rule.negative)} and {rule.names(rule.positive)}."
        )
    rows = np.flatnonzero(known).astype(np.int64)
    if not rows.size:
        raise DataError(f"{where}: no row has one of the chosen labels.")
    return y[rows], rows


def _raw_label(label: Label, classes: tuple[str, ...]) -> float | None:
    """Return the raw label of a label in a setting; None if there is none."""
    if classes:
        return float(classes.index(_text(label))) if _text(label) in classes else None
    try:
        return float(label)
    except ValueError:
        return None


def _text(label: Label) -> str:
    return label if isinstance(label, str) else f"{label:g}"
