from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asset_cases import falling, sizes_panel
from evidence_cases import evidence
from readings import claims_of, rulings
from readings import reading as reading_of

from svm_cost_curves.experiments.papers.asset.fig1 import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("asset_fig1")
ENDS = {"adult": 0.2, "mnist": 2.0, "rcv1_ccat": 2.5, "ijcnn1": 0.5, "covtype": 4.0}
"""Error of ASSET minus the exact error at s = 1024, in percentage points."""
WORSE = {"adult": 0.5, "mnist": 1.0, "rcv1_ccat": 6.0, "ijcnn1": 1.0, "covtype": 1.5}
"""Error of random features minus the error of ASSET, in percentage points."""


def one(name: str, *, end: float, worse: float, at_two: float | None = None, cpsp: float = 1.0, **fields: Any) -> Panel:
    """CPSP has the errors of the others at four times the size, on average `cpsp` times as far above the last one."""
    # Adult is flat: its error at s = 64 is that at s = 1024 but for a little
    asset = falling(at_two or (6.0 if name == "adult" else 30.0), 5.0 + end)
    random = {s: [error + worse for error in errors] for s, errors in asset.items()}
    quick = {s: [cpsp * error for error in asset[min(4 * s, 1024)]] for s in asset}
    methods = {"asset": asset, "cpny": asset, "cpsp": quick, "asset_online": random, "fourier": random}
    return sizes_panel(SPEC, methods, name, **fields)


def five(usual: Sequence[Panel] = (), **changed: dict[str, Any]) -> list[Panel]:
    """All data sets; those of `usual` that do not change are taken from there."""
    known = {panel.paper_dataset: panel for panel in usual if panel.paper_dataset not in changed}
    return [
        known.get(name) or one(name, **{"end": ENDS[name], "worse": WORSE[name]} | changed.get(name, {}))
        for name in ENDS
    ]


@pytest.fixture(scope="module")
def usual() -> list[Panel]:
    """Curves as in the paper."""
    return five()


def judged(panels: list[Panel]) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, panels)))


def test_claims_hold_on_curves_as_in_the_paper(usual: list[Panel]) -> None:
    claims = judged(usual)
    assert set(claims) == {"asset.3", "asset.covtype", "asset.baseline", "asset.dimension", "asset.4"}
    # CPSP has the errors of the others at four times the size, so its last doubling gains nothing
    assert {name: claim.verdict for name, claim in claims.items()} == {
        name: "mostly" if name == "asset.3" else "reproduced" for name in claims
    }
    assert claims["asset.4"].agreement == "holds under 4 of 4 readings"
    assert claims["asset.3"].nearest.cases == 20  # five data sets, four methods
    three, four = reading_of(claims["asset.3"], "slope").statistic, claims["asset.4"].nearest.statistic
    assert three["ijcnn1"]["gain asset"]["estimate"] == pytest.approx((30.0 - 5.5) / 9)
    assert three["adult"]["enough asset"]["estimate"] == pytest.approx((6.0 - 5.2) * 4 / 9)
    assert claims["asset.covtype"].nearest.statistic["covtype"]["cpsp svmlight"]["estimate"] == pytest.approx(4.0)
    assert [four["mnist"][f"fourier cpsp s={d}"]["ruling"] for d in (64, 128, 256, 512, 1024)] == ["holds"] * 5
    assert four["mnist"]["fourier asset s=64"]["estimate"] == pytest.approx(1.0)
    assert four["rcv1_ccat"]["largest fourier asset"]["estimate"] == pytest.approx(6.0 - 1.5)
    # two doublings less, but for the two largest sizes
    doublings = claims["asset.dimension"].nearest.statistic["mnist"]["doublings asset"]
    assert doublings["estimate"] == pytest.approx((8 * 2 + 1 + 0) / 10)


@pytest.mark.parametrize(
    ("changed", "claim", "reading", "case"),
    [
        ({"mnist": {"at_two": 1.0}}, "asset.3", 0, ("mnist", "gain asset")),
        ({"adult": {"at_two": 30.0}}, "asset.3", 0, ("adult", "enough cpny")),
        ({"covtype": {"end": 0.5}}, "asset.covtype", 0, ("covtype", "asset svmlight")),
        ({"mnist": {"end": 9.0}}, "asset.covtype", 1, ("covtype", "largest asset svmlight")),
        ({"ijcnn1": {"end": -1.0}}, "asset.baseline", 0, ("ijcnn1", "cpny svmlight")),
        ({"mnist": {"cpsp": 9.0}}, "asset.dimension", 0, ("mnist", "doublings asset")),
        ({"ijcnn1": {"worse": -1.0}}, "asset.4", 0, ("ijcnn1", "fourier cpny s=128")),
        ({"ijcnn1": {"worse": -1.0}}, "asset.4", 1, ("ijcnn1", "fourier cpny")),
        ({"ijcnn1": {"worse": -1.0}}, "asset.4", 3, ("ijcnn1", "asset_online asset, one epoch s=64")),
        ({"adult": {"worse": 9.0}}, "asset.4", 2, ("rcv1_ccat", "largest asset_online asset")),
    ],
)
def test_each_case_can_fail(
    usual: list[Panel], changed: dict[str, Any], claim: str, reading: int, case: tuple[str, str]
) -> None:
    assert rulings(judged(five(usual, **changed))[claim], case[0], reading)[case[1]] == "fails"


def test_random_features_are_compared_as_each_reading_says() -> None:
    asset = falling(30.0, 7.0)
    stream = {s: [error + 1.0 for error in errors] for s, errors in asset.items()}
    solved = {s: [error - 1.0 for error in errors] for s, errors in asset.items()}
    late = dict.fromkeys(asset, 40.0)  # after one epoch ASSET is worse than the stream, at its end better
    methods = {"asset": asset, "asset_online": stream, "fourier": solved}
    claim = judged([sizes_panel(SPEC, methods, "mnist", first=late)])["asset.4"]
    firsts = [next(iter(rulings(claim, "mnist", k).values())) for k in range(4)]
    assert firsts == ["fails", "fails", "holds", "fails"]


def test_each_dimension_is_a_case() -> None:
    """Far worse at d = 64, a little better from 128 on: worse as mean over d, and at the first one only."""
    asset = falling(30.0, 7.0)
    random = {s: [error + (40.0 if s == 64 else -1.0) for error in errors] for s, errors in asset.items()}
    claim = judged([sizes_panel(SPEC, {"asset": asset, "fourier": random}, "mnist")])["asset.4"]
    outcomes = rulings(claim, "mnist", 0)
    assert [outcomes[f"fourier asset s={d}"] for d in (64, 128, 256, 512, 1024)] == ["holds"] + ["fails"] * 4
    assert rulings(claim, "mnist", 1) == {"fourier asset": "holds"}


def test_a_wide_spread_is_unclear() -> None:
    usual = falling(30.0, 9.0)
    wide = {s: [error + shift for error, shift in zip(of, (-6.0, 0.0, 6.0), strict=True)] for s, of in usual.items()}
    random = {s: [error + 1.0 for error in errors] for s, errors in usual.items()}
    methods = {"asset": wide, "cpsp": wide, "asset_online": random, "fourier": random}
    claims = judged([sizes_panel(SPEC, methods, name) for name in ("covtype", "mnist", "rcv1_ccat")])
    over_exact = rulings(claims["asset.covtype"], "covtype")
    assert over_exact == {"asset svmlight": "unclear", "cpsp svmlight": "unclear", "asset_online svmlight": "holds"}
    # the runs of one seed have one split: their differences do not vary
    assert rulings(claims["asset.3"], "covtype", 1)["gain asset"] == "holds"
    for reading in range(4):
        gaps = rulings(claims["asset.4"], "rcv1_ccat", reading)
        assert set(gaps.values()) == {"unclear"}  # the gaps of the data sets are equal
        assert any("largest" in key for key in gaps)
    assert claims["asset.4"].nearest.statistic["mnist"]["fourier asset s=64"]["estimate"] == pytest.approx(1.0)


def doublings(data: pd.DataFrame, method: str, same: float = 0.1) -> float:
    """Doublings of s by which a method reaches CPSP's error, mean over CPSP's sizes: asset.dimension by other code."""
    errors = data.pivot_table(index="s", columns="series", values="error").drop(0)[["cpsp", method]].dropna()
    behind = []
    for place, target in enumerate(errors["cpsp"]):
        reached = np.flatnonzero(errors[method] <= target + same)
        behind.append((reached[0] if len(reached) else len(errors)) - place)
    return float(np.mean(behind))


def test_dimension_by_pandas() -> None:
    slow = falling(40.0, 6.0)
    quick = {s: [0.8 * error for error in slow[min(2 * s, 1024)]] for s in slow}
    made = make(evidence(SPEC, [sizes_panel(SPEC, {"asset": slow, "cpsp": quick, "cpny": slow}, "mnist")]))
    statistic = claims_of(made)["asset.dimension"].nearest.statistic["mnist"]
    for method in ("asset", "cpny"):
        assert doublings(made.data, method) == pytest.approx(statistic[f"doublings {method}"]["estimate"])
