"""Timed runs that other processes of the machine disturbed: how they are recognised, and made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .evidence import Evidence

if TYPE_CHECKING:
    from ..processes.outcome import Outcome
    from ..store import Store
    from .plan import PlannedRun

LEAST_SHARE: Final = 0.9
"""Least CPU time over wall time in the solver. A solver computes all the time: on an idle machine it is above 0.98. At
0.9 other processes had its core for a tenth of the time, and left it with cold caches; the claims about times compare
factors, not per cents."""
REPEATS: Final = 2
"""How often a disturbed run is made again."""


def disturbance(result: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return a disturbed run's CPU time / wall time and its load per core at the start; None if it was undisturbed.

    It was, if the share is below `LEAST_SHARE`, or more processes than cores wanted to run when it started: these share
    its caches and memory even where it has a core. Runs of versions that recorded no load are judged by the share.
    """
    wall, record = float(result["wall_seconds"]), result["provenance"]
    share = float(result["cpu_seconds"]) / wall if wall > 0 else 1.0
    load = float(record.get("load") or 0.0) / int(record["cores"])
    return (share, load) if share < LEAST_SHARE or load > 1.0 else None


def disturbed_runs(evidence: Evidence) -> dict[str, str]:
    """Return the data sets of a timed figure that have disturbed runs, and how many and how much.

    Runs that are known to have been made beside other runs are named as well.
    """
    disturbed = {}
    for panel in evidence.panels if evidence.spec.timed else ():
        runs = {run.key: run.result for members in panel.runs.values() for run in members}.values()
        values = [value for result in runs if (value := disturbance(result))]
        how = []
        if values:
            shares, loads = zip(*values, strict=True)
            worst = f"CPU time at least {min(shares):.2f} of wall time, load at most {max(loads):.1f} a core"
            how.append(f"{len(values)} of {len(runs)} runs: {worst}")
        if jobs := [number for result in runs if (number := result["provenance"].get("jobs", 1)) > 1]:
            how.append(f"{len(jobs)} of {len(runs)} runs were made {max(jobs)} at a time")
        if how:
            disturbed[panel.dataset] = "; ".join(how)
    return disturbed


def make_undisturbed(
    runs: Sequence[PlannedRun], store: Store, make: Callable[[Sequence[PlannedRun]], dict[str, Outcome]]
) -> dict[str, Outcome]:
    """Make timed runs with `make`, which returns outcomes by key; disturbed ones again, up to `REPEATS` times.

    They are deleted from the store first. The runs of a server are not deleted: each is made once.
    """
    from ..store import recorder

    outcomes = make(runs)
    for _ in range(REPEATS if store.server is None else 0):
        made = store.find_all_finished([run.key for run in runs])
        again = {key: run for key, run in made.items() if disturbance(run.result)}
        if not again:
            break
        recorder.delete(store, [*again.values()])
        outcomes |= make([run for run in runs if run.key in again])
    return outcomes
