"""From raw labels to -1 and +1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError


@dataclass(frozen=True)
class LabelRule:
    """Which raw labels are +1 and which are -1.

    Attributes
    ----------
    positive
        Raw labels that become +1, ascending.
    negative
        Raw labels that become -1, ascending; None: all the rest.
    """

    positive: tuple[float, ...]
    negative: tuple[float, ...] | None

    def describe(self) -> str:
        """Return the rule in words for the record."""
        other = "the rest" if self.negative is None else _names(self.negative)
        return f"{_names(self.positive)} is +1, {other} is -1"


def make_rule(
    raw: NDArray[np.float64], positive: Sequence[float] | None, negative: Sequence[float] | None, where: str
) -> LabelRule:
    """Make the rule from the settings, or from the training labels where nothing is set.

    Without settings the labels must take exactly two values (-1/+1, 0/1, 1/2, ...); the larger is +1.

    Raises
    ------
    DataError
        More or fewer than two values without settings; a named label that never occurs.
    """
    values = np.unique(raw)
    if positive is None:
        if values.size != 2:
            what = "only one class" if values.size == 1 else f"{values.size} different labels"
            raise DataError(
                f"{where}: {what} ({_names(values[:10])}{', ...' if values.size > 10 else ''}); two are needed. "
                "With more than two, choose by dataset.positive=[...] and, if wanted, dataset.negative=[...]."
            )
        return LabelRule((float(values[1]),), (float(values[0]),))
    for name, group in (("positive", positive), ("negative", negative or ())):
        for label in group:
            if label not in values:
                raise DataError(
                    f"{where}: label {label:g} of dataset.{name} never occurs; found {_names(values[:20])}."
                )
    chosen = None if negative is None else tuple(sorted({float(v) for v in negative}))
    return LabelRule(tuple(sorted({float(v) for v in positive})), chosen)


def apply_rule(
    rule: LabelRule, raw: NDArray[np.float64], *, drop_others: bool, where: str
) -> tuple[NDArray[np.int8], NDArray[np.int64] | None]:
    """Map raw labels.

    Parameters
    ----------
    rule
        From :func:`make_rule`.
    raw
        (n,) labels.
    drop_others
        Whether rows with a label of neither group are left out (group against group) or refused.
    where
        Name of the data for messages.

    Returns
    -------
    y : (m,) int8
        -1 or +1.
    rows : (m,) int64 or None
        The rows kept; None when all are.

    Raises
    ------
    DataError
        A label of neither group and ``drop_others`` is False; or no row left.
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
            f"{where}, row {row + 1}: label {raw[row]:g}; the training labels are "
            f"{_names(rule.negative)} and {_names(rule.positive)}."
        )
    rows = np.flatnonzero(known).astype(np.int64)
    if not rows.size:
        raise DataError(f"{where}: no row has one of the chosen labels.")
    return y[rows], rows


def _names(values: Sequence[float] | NDArray[np.float64]) -> str:
    return ", ".join(f"{v:g}" for v in values)
