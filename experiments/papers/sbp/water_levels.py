"""What Figures 1 and 4 share: a short run, its basins, their picture, and the claim about them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from experiments.papers.judging import holds
from experiments.papers.panels import name_of
from experiments.papers.sbp import basin_picture
from experiments.papers.sbp.basin import Filling, fill, run_responses
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim, claim, undecided

COLUMNS = ("dataset", "basin", "rank", "height", "water", "p")
SERIES = "sbp"


def make(evidence: Evidence, rule: str) -> Made:
    """Run the solver for the first data set that there is, draw its basins, and judge the claims about them.

    Parameters
    ----------
    evidence : Evidence
        Of which only the settings are used.
    rule : str
        What is compared with what, in a sentence.
    """
    panel = next((panel for panel in evidence.panels if SERIES in panel.settings), None)
    if panel is None:
        claims = [undecided(spec, "There is no data set to run the SBP on.") for spec in evidence.spec.claims]
        data = pd.DataFrame(columns=list(COLUMNS))
        return Made(data, basin_picture.draw_nothing, basin_picture.SIZE, claims=claims)
    filling = fill(run_responses(panel.settings[SERIES]))
    data = filling.table()
    data.insert(0, "dataset", panel.dataset)
    return Made(
        data,
        partial(basin_picture.draw, filling=filling, name=name_of(panel)),
        basin_picture.SIZE,
        claims=[_judge(spec, filling, name_of(panel), rule) for spec in evidence.spec.claims],
    )


def _judge(spec: ClaimSpec, filling: Filling, name: str, rule: str) -> Claim:
    checks: dict[str, Any] = filling.checks()
    covered = " and ".join(
        f"{basin.covered:,} of {len(basin.heights):,} {basin.name if len(filling.basins) > 1 else 'examples'}"
        for basin in filling.basins
    )
    with_bias = f", b = {filling.bias:.6g}" if len(filling.basins) > 1 else ""
    measured = (
        f"{name}: gamma = {filling.level:.10g} (by sorting {checks['level_by_sorting']:.10g}){with_bias}; water of "
        f"volume {filling.volume:.10g}, n nu = {filling.given:.10g}; p of mass {filling.mass:.10g} on {covered}, with "
        f"the value {filling.minimax:.10g}."
    )
    return claim(spec, holds(checks.pop("holds")), measured, checks, rule)
