"""Figure 1: test error against the size of the approximation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from experiments.papers.asset import falls_claim, fig1_picture, mapping_claim
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.sizes import EXACT, ONE_EPOCH, TENTH, Sizes, all_sizes, methods, points, spread, written
from experiments.papers.judging import Judge, judged
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge its claims."""
    found, names = all_sizes(evidence), methods(evidence.spec)
    shown = [each for each in found if each.errors]
    judges: dict[str, Judge] = {
        "asset.3": partial(falls_claim.judge, found=found),
        "asset.4": partial(mapping_claim.judge, found=found),
    }
    return Made(
        points(shown),
        partial(fig1_picture.draw, found=shown, names=names),
        fig1_picture.size(len(shown)),
        table=_table(shown, names),
        claims=judged(evidence, judges),
    )


def _table(shown: Sequence[Sizes], names: Sequence[str]) -> Table:
    first, *others = names
    kinds = [first, TENTH, ONE_EPOCH, *others]
    head = {TENTH: "a tenth of its epochs", ONE_EPOCH: "one epoch"}
    columns = ["data set", "s", *(head.get(kind) or LOOKS[kind].name for kind in kinds), LOOKS[EXACT].name]
    rows = [
        [name_of(each.panel), f"{s:,}", *(_cell(each, kind, s) for kind in kinds), _exact(each)]
        for each in shown
        for s in each.sizes
    ]
    notes = [
        "Test error in per cent: mean over the runs ± standard deviation, at the end of the runs. A tenth of its "
        "epochs, one epoch: the same runs of ASSET earlier. A run on a stream ends after one epoch.",
    ]
    return Table(columns, rows, notes)


def _cell(each: Sizes, kind: str, s: int) -> str:
    own = each.of(kind).get(s)
    return "" if own is None else written(float(own.mean()), spread(own), len(own))


def _exact(each: Sizes) -> str:
    return "" if each.exact is None else f"{each.exact.mean():.2f}"
