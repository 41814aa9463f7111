"""Numbers that Tables 2 and 3 print: training CPU seconds and test errors in per cent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PrintedCell = tuple[float, float]
HOUR: Final = 3600.0
_EXACT: Final[Mapping[str, Mapping[str, PrintedCell]]] = {
    "adult": {"lasvm": (1011.4, 18.02), "svmlight": (856.8, 15.13)},
    "mnist": {"lasvm": (587.5, 1.40), "svmlight": (1322.6, 1.24)},
    "rcv1_ccat": {"lasvm": (2616.0, 4.71), "svmlight": (3422.6, 4.72)},
    "ijcnn1": {"lasvm": (288.1, 0.76), "svmlight": (1331.3, 0.73)},
    "covtype": {"lasvm": (38.3 * HOUR, 13.46), "svmlight": (52.7 * HOUR, 13.82)},
}
"""Methods without a size s."""
_COLUMNS: Final = ("asset", "asset_star", "cpsp", "cpny")
_APPROXIMATE: Final[Mapping[int, Mapping[str, tuple[PrintedCell, PrintedCell, PrintedCell, PrintedCell]]]] = {
    512: {
        "adult": ((22.5, 15.06), (23.9, 15.07), (3020.0, 15.17), (8.2 * HOUR, 15.13)),
        "mnist": ((96.8, 4.03), (100.9, 4.03), (549.6, 2.72), (348.0, 4.07)),
        "rcv1_ccat": ((95.0, 8.23), (99.2, 8.26), (799.9, 5.24), (62.0, 8.31)),
        "ijcnn1": ((86.7, 1.08), (89.1, 1.08), (726.8, 0.84), (319.5, 1.10)),
        "covtype": ((697.2, 18.19), (585.7, 18.18), (1.8 * HOUR, 17.73), (1841.5, 18.24)),
    },
    1024: {
        "adult": ((77.6, 15.10), (83.2, 15.12), (3398.5, 15.16), (7.5 * HOUR, 15.17)),
        "mnist": ((274.9, 2.66), (275.4, 2.67), (1273.2, 2.03), (515.4, 2.69)),
        "rcv1_ccat": ((264.6, 7.09), (278.4, 7.11), (2949.9, 5.19), (122.9, 7.15)),
        "ijcnn1": ((307.1, 0.79), (297.0, 0.79), (1649.4, 0.78), (598.0, 0.80)),
        "covtype": ((2259.4, 16.47), (2063.9, 16.47), (4.1 * HOUR, 16.61), (3597.7, 16.52)),
    },
}
TABLE_2: Final[Mapping[int, Mapping[str, Mapping[str, PrintedCell]]]] = {
    s: {name: dict(zip(_COLUMNS, cells, strict=True)) | dict(_EXACT[name]) for name, cells in rows.items()}
    for s, rows in _APPROXIMATE.items()
}
TABLE_3: Final[Mapping[int, tuple[float, float, float, float, float, float]]] = {
    1024: (11.5, 0.56, 11.8, 0.57, 1705, 34),
    2048: (7.2, 0.47, 8.1, 0.45, 3418, 69),
    4096: (4.8, 0.33, 5.8, 0.54, 6824, 139),
    8192: (3.6, 0.30, 4.3, 1.06, 13375, 270),
    16384: (3.0, 0.63, 3.5, 0.29, 26053, 546),
}
"""By d: mean and standard deviation of ASSET, the same of ASSET*, seconds of training and of testing."""


def printed_ratio(s: int, paper_dataset: str, first: str, second: str, other_s: int | None = None) -> float | None:
    """Return the ratio of two printed times, the second at `other_s` if given; None if one is not printed."""
    rows = TABLE_2.get(s, {}).get(paper_dataset, {}), TABLE_2.get(other_s or s, {}).get(paper_dataset, {})
    if first not in rows[0] or second not in rows[1]:
        return None
    return rows[0][first][0] / rows[1][second][0]
