"""Timed runs that other processes of the machine disturbed: how they are recognised, and made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from svm_cost_curves.experiments.reproduction.evidence import Evidence

if TYPE_CHECKING:
    from svm_cost_curves.experiments.processes.outcome import Outcome
    from svm_cost_curves.experiments.reproduction.plan import PlannedRun
    from svm_cost_curves.experiments.store import FinishedRun, Store

LEAST_SHARE: Final = 0.9
"""Least CPU time over wall time in the solver. A solver computes all the time: on an idle machine it is above 0.98. At
0.9 other processes had its core for a tenth of the time, and left it with cold caches; the claims about times compare
factors, not per cents."""
REPEATS: Final = 2
"""How often a disturbed run is made again."""


def disturbance(result: Mapping[str, Any]) -> tuple[float, float] | None:
    """Return CPU time over wall time, and load per core at the start, of a run that was disturbed; None if it was not.

    It was, if the share is below `LEAST_SHARE`, or more processes than cores wanted to run when it started: these share
    its caches and memory even where it has a core. Runs of versions that recorded no load are judged by the share.

    Parameters
    ----------
    result : mapping
        Content of result.json.
    """
    wall, record = float(result["wall_seconds"]), result["provenance"]
    share = float(result["cpu_seconds"]) / wall if wall > 0 else 1.0
    load = float(record.get("load") or 0.0) / int(record["cores"])
    return (share, load) if share < LEAST_SHARE or load > 1.0 else None


def disturbed_runs(evidence: Evidence) -> dict[str, str]:
    """Return the data sets of a timed figure that have disturbed runs, and how many and how much.

    Runs that are known to have been made beside other runs are named as well.
    """
    found = {}
    for panel in evidence.panels if evidence.spec.timed else ():
        runs = list({run.key: run for members in panel.runs.values() for run in members}.values())
        values = [each for run in runs if (each := disturbance(run.result))]
        how = []
        if values:
            shares, loads = zip(*values, strict=True)
            worst = f"CPU time at least {min(shares):.2f} of wall time, load at most {max(loads):.1f} a core"
            how.append(f"{len(values)} of {len(runs)} runs: {worst}")
        if jobs := [number for run in runs if (number := run.result["provenance"].get("jobs", 1)) > 1]:
            how.append(f"{len(jobs)} of {len(runs)} runs were made {max(jobs)} at a time")
        if how:
            found[panel.dataset] = "; ".join(how)
    return found


def make_undisturbed(
    runs: Sequence[PlannedRun], store: Store, make: Callable[[Sequence[PlannedRun]], dict[str, Outcome]]
) -> dict[str, Outcome]:
    """Make timed runs; those that were disturbed are deleted and made again, up to `REPEATS` times.

    Parameters
    ----------
    runs : sequence of PlannedRun
    store : Store
        That gets them. The runs of a server are not deleted: each is made once.
    make : callable
        Makes runs and returns their outcomes by key.
    """
    from svm_cost_curves.experiments.store import recorder

    outcomes = make(runs)
    for _ in range(REPEATS if store.server is None else 0):
        found = store.find_all_finished([run.key for run in runs])
        again = _disturbed(found.values())
        if not again:
            break
        recorder.delete(store, again)
        keys = {run.key for run in again}
        outcomes |= make([run for run in runs if run.key in keys])
    return outcomes


def _disturbed(runs: Iterable[FinishedRun]) -> list[FinishedRun]:
    return [run for run in runs if disturbance(run.result)]
