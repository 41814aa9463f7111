"""How the methods of this paper are drawn and called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from experiments.plotting import STYLES, Style

LOOKS: Final[Mapping[str, Style]] = {
    name: STYLES[name]
    for name in (
        "asset",
        "asset_star",
        "asset_online",
        "asset_star_online",
        "cpsp",
        "cpny",
        "lasvm",
        "svmlight",
        "libsvm",
        "sklearn_nystroem",
    )
}
"""By series, or, where a series is swept, by the name of all its members."""
