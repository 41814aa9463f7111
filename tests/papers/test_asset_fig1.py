from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from asset_cases import falling, sizes_panel
from evidence_cases import evidence
from pictures import drawn_with_table

from experiments.papers.asset.fig1 import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import read_figure
from experiments.reproduction.verdict import Claim

SPEC = read_figure("asset_fig1")
ENDS = {"adult": 0.2, "mnist": 2.0, "rcv1_ccat": 2.5, "ijcnn1": 0.5, "covtype": 4.0}
"""Error of ASSET minus the exact error at s = 1024, in percentage points."""
WORSE = {"adult": 0.5, "mnist": 1.0, "rcv1_ccat": 6.0, "ijcnn1": 1.0, "covtype": 1.5}
"""Error of a stream minus the error of ASSET, in percentage points."""


def one(folder: Path, name: str, end: float, worse: float, at_two: float | None = None, **fields: Any) -> Panel:
    # Adult is flat: its error at s = 64 is that at s = 1024 but for a little
    start = at_two or (6.0 if name == "adult" else 30.0)
    asset = falling(start, 5.0 + end)
    stream = {s: [error + worse for error in errors] for s, errors in asset.items()}
    return sizes_panel(folder, SPEC, {"asset": asset, "asset_online": stream, "cpny": asset}, name, **fields)


def all_five(folder: Path, **changed: dict[str, Any]) -> list[Panel]:
    return [
        one(folder, name, **{"end": ENDS[name], "worse": WORSE[name]} | changed.get(name, {})) for name in SPEC.datasets
    ]


def claims(panels: list[Panel]) -> dict[str, Claim]:
    return {claim.id: claim for claim in make(evidence(SPEC, panels)).claims}


def test_claims_hold_on_curves_as_in_the_paper(tmp_path: Path) -> None:
    found = claims(all_five(tmp_path))
    assert {name: claim.verdict for name, claim in found.items()} == {"asset.3": "reproduced", "asset.4": "reproduced"}
    three, four = found["asset.3"].statistic, found["asset.4"].statistic
    assert three["ijcnn1"]["falls"]["estimate"] == pytest.approx((30.0 - 5.5) / 9)
    assert three["adult"]["enough"]["estimate"] == pytest.approx((6.0 - 5.2) * 4 / 9)
    assert three["covtype"]["suffers most"]["estimate"] == pytest.approx(4.0 - 2.5)
    assert four["mnist"]["worse"]["estimate"] == pytest.approx(1.0)
    assert four["rcv1_ccat"]["most"]["estimate"] == pytest.approx(6.0 - 1.5)


def test_each_part_of_a_claim_can_fail(tmp_path: Path) -> None:
    rises = claims(all_five(tmp_path / "a", mnist={"at_two": 1.0}))["asset.3"]
    assert rises.verdict == "partly"
    assert rises.statistic["mnist"]["falls"]["ruling"] == "not_reproduced"
    hard = claims(all_five(tmp_path / "b", adult={"at_two": 30.0}))["asset.3"]
    assert hard.statistic["adult"]["enough"]["ruling"] == "not_reproduced"
    other = claims(all_five(tmp_path / "c", mnist={"end": 9.0}))["asset.3"]
    assert other.statistic["covtype"]["suffers most"]["ruling"] == "not_reproduced"
    better = claims(all_five(tmp_path / "d", ijcnn1={"worse": -1.0}, adult={"worse": 9.0}))["asset.4"]
    assert better.statistic["ijcnn1"]["worse"]["ruling"] == "not_reproduced"
    assert better.statistic["rcv1_ccat"]["most"]["ruling"] == "not_reproduced"


def test_a_stream_is_compared_with_one_epoch(tmp_path: Path) -> None:
    asset = falling(30.0, 7.0)
    stream = {s: [error + 1.0 for error in errors] for s, errors in asset.items()}
    late = dict.fromkeys(asset, 40.0)  # after one epoch ASSET is worse than the stream, at its end better
    panel = sizes_panel(tmp_path, SPEC, {"asset": asset, "asset_online": stream}, "mnist", first=late)
    worse = claims([panel])["asset.4"].statistic["mnist"]["worse"]
    assert worse["ruling"] == "not_reproduced"
    assert worse["at_the_end"]["estimate"] == pytest.approx(1.0)


def test_missing_runs_leave_claims_undecided(tmp_path: Path) -> None:
    alone = claims([one(tmp_path / "a", "mnist", 2.0, 1.0)])
    # the judged cases support the claims, but Adult, Covertype and CCAT are missing
    assert {claim.verdict for claim in alone.values()} == {"not_applicable"}
    no_exact = [one(tmp_path / "b", name, ENDS[name], WORSE[name], exact=()) for name in ("adult", "covtype")]
    assert claims(no_exact)["asset.3"].verdict == "not_applicable"
    single = sizes_panel(tmp_path / "c", SPEC, {"asset": {2: [30.0], 4: [20.0], 8: [10.0]}}, "mnist")
    assert claims([single])["asset.3"].statistic["mnist"]["falls"] | {"estimate": 0.0} == {
        "estimate": 0.0,
        "low": pytest.approx(10.0),
        "high": pytest.approx(10.0),
        "ruling": "reproduced",
    }


def test_only_declared_stand_ins_are_judged(tmp_path: Path) -> None:
    panels = all_five(tmp_path)
    declared = [
        replace(panel, dataset="covtype_subset", stand_in="a part") if panel.paper_dataset == "covtype" else panel
        for panel in panels
    ]
    assert claims(declared)["asset.3"].verdict == "reproduced"
    foreign = [
        replace(panel, dataset="digits", stand_in="chosen by name") if panel.paper_dataset == "covtype" else panel
        for panel in panels
    ]
    found = claims(foreign)["asset.3"].statistic
    assert found["covtype"]["falls"]["ruling"] == found["covtype"]["suffers most"]["ruling"] == "not_applicable"


def test_picture_and_table(tmp_path: Path) -> None:
    panels = all_five(tmp_path)
    panels[-1] = replace(panels[-1], dataset="covtype_subset", stand_in="a part")
    made = drawn_with_table(make(evidence(SPEC, panels)))
    assert made.table is not None
    assert len(made.table.rows) == 5 * 10
    assert made.table.rows[9][:3] == ["Adult", "1,024", "5.20 ± 0.01"]
    assert made.table.rows[9][-1] == "5.00"
    assert len(made.data) == 5 * 10 * 5  # three methods, and ASSET twice earlier
    for none in ([], [Panel("adult", "adult")]):
        empty = drawn_with_table(make(evidence(SPEC, none)))
        assert empty.data.empty
        assert {claim.verdict for claim in empty.claims} == {"not_applicable"}
