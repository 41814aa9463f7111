"""Claim 4: random features on a stream are worse than Nystrom features of the same dimension, most on CCAT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.papers.asset.sizes import ONE_EPOCH, Sizes, difference, lead
from experiments.papers.cases import counted, decided, told
from experiments.papers.judging import Part, above, between
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import bootstrap_means
from experiments.reproduction.verdict import Claim

MOST: Final = "rcv1_ccat"
FROM: Final = 64
"""Smallest dimension that counts: with fewer features both may know nothing yet."""
RULE: Final = (
    f"Mean test error of ASSET on a stream, d random features, minus that of ASSET with s = d, over all d >= {FROM}. "
    "Worse: on each data set it lies above 0, both having seen as many examples: one epoch. Most: on CCAT it is "
    "larger than on every other data set. Each by its 95 % interval over the runs; where that holds 0 it is "
    "unclear. Measured beside it: ASSET at the end of its runs."
)

Groups = Sequence[NDArray[np.float64]]


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Sizes]) -> Claim:
    """Judge the claim by all data sets."""
    worse = [counted(_worse(each), evidence, each.panel) for each in found]
    most = _most(evidence, found)
    sentences = [told({"Error above that of ASSET": worse}), f"CCAT: {most.measured}." if most.measured else ""]
    return decided(spec, RULE, [worse, [most]], " ".join(filter(None, sentences)))


def pairs(each: Sizes, of: str) -> tuple[Groups, Groups]:
    """Return the errors on a stream, and those of ASSET, at all dimensions that both have."""
    stream, asset = each.of("asset_online"), each.of(of)
    shared = [s for s in stream if s in asset and s >= FROM]
    return [stream[s] for s in shared], [asset[s] for s in shared]


def _worse(each: Sizes) -> Part:
    place, about = (each.panel.asked, "worse"), called(each.panel)
    interval = difference(*pairs(each, ONE_EPOCH))
    if interval is None:
        return Part(place, about, "not_applicable", note=f"no finished runs of both with d >= {FROM}")
    end = difference(*pairs(each, "asset"))
    assert end is not None
    measured = f"{between(interval, '+.2f')} points ({between(end, '+.2f')} at its end)"
    statistic = interval.as_dict() | {"at_the_end": end.as_dict()}
    return Part(place, about, above(interval, 0.0), measured, statistic)


def _most(evidence: Evidence, found: Sequence[Sizes]) -> Part:
    place, about = (MOST, "most"), "CCAT"
    able = {each.panel.asked: pairs(each, ONE_EPOCH) for each in found if pairs(each, ONE_EPOCH)[0]}
    if MOST not in able or len(able) < 2:
        why = "it takes finished runs of both on CCAT and on another data set"
        return Part(place, about, "not_applicable", note=why)
    groups = [own for stream, asset in able.values() for own in (*stream, *asset)]
    ends = np.cumsum([len(stream) + len(asset) for stream, asset in able.values()])[:-1]
    most = list(able).index(MOST)

    def ahead(means: NDArray[np.float64]) -> NDArray[np.float64]:
        # of each data set as many dimensions on the stream as of ASSET
        halves = [np.split(own, 2, axis=1) for own in np.split(means, ends, axis=1)]
        over = np.stack([stream.mean(axis=1) - asset.mean(axis=1) for stream, asset in halves], axis=1)
        return lead(over, most)

    interval = bootstrap_means(ahead, groups)
    measured = f"{between(interval, '+.2f')} points more than on the next"
    part = Part(place, about, above(interval, 0.0), measured, interval.as_dict())
    for each in found:
        if each.panel.asked in able:
            part = counted(part, evidence, each.panel)
    return part
