"""The published verdicts of the maps are those of this version; their pages show what they are judged by."""

from __future__ import annotations

import pytest
from verdict_cases import check_verdict, published

LARGE = ("elsewhere_sbp", "elsewhere_sgdr_time", "elsewhere_simba")
"""Maps that are judged in 9 to 15 seconds each."""


@pytest.mark.parametrize(
    "figure",
    [pytest.param(figure, marks=[pytest.mark.slow] if figure in LARGE else []) for figure in published(elsewhere=True)],
)
def test_the_published_verdicts_are_those_of_this_version(figure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_verdict(figure, monkeypatch)
