"""The published verdicts of the maps are those of this version; their pages show what they are judged by."""

from __future__ import annotations

import pytest
from verdict_cases import check_verdict, published


@pytest.mark.parametrize("figure", published(elsewhere=True))
def test_the_published_verdicts_are_those_of_this_version(figure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_verdict(figure, monkeypatch)
