"""What a user sees of plans: the table of ``--list``, and what a figure will do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich import box
from rich.table import Table

from experiments.console import duration
from experiments.reproduction.cost import expected_seconds, peak_memory
from experiments.reproduction.plan import Plan
from experiments.reproduction.spec import SCALES
from experiments.reproduction.verdict import in_words


def table(plans: Sequence[Mapping[str, Plan]], figures: Path) -> Table:
    """One row for each figure and scale.

    Parameters
    ----------
    plans : sequence of mappings
        For each figure its plans by scale.
    figures : Path
        Where made figures lie, for their last verdicts.
    """
    result = Table(box=box.SIMPLE_HEAD)
    for name in ("figure", "what it shows", "data sets", "scale"):
        result.add_column(name, no_wrap=name in ("figure", "scale"))
    for name in ("runs", "time", "memory"):
        result.add_column(name, justify="right", no_wrap=True)
    result.add_column("in store", no_wrap=True)
    result.add_column("last verdict")
    for by_scale in plans:
        for number, scale in enumerate(SCALES):
            plan = by_scale[scale]
            spec = plan.spec
            sets = ", ".join(panel.dataset + (" (stand-in)" if panel.stand_in else "") for panel in plan.panels)
            names = [f"no {name}" for name in plan.absent]
            head = (spec.id, f"{spec.label}: {spec.title}", "; ".join([sets, *names]))
            runs = [run.settings for run in plan.runs]
            result.add_row(
                *(head if number == 0 else ("",) * len(head)),
                scale,
                str(len(runs)),
                duration(expected_seconds(runs, plan.options.jobs)) if runs else "seconds",
                _gigabytes(peak_memory(runs, plan.options.jobs)) if runs else "-",
                plan.state if runs else "-",
                last_verdict(figures / spec.id / scale),
            )
    return result


def announcement(plan: Plan) -> list[str]:
    """Say what a figure needs and what is missing, before it is made."""
    spec, missing = plan.spec, plan.missing
    runs = len(plan.runs)
    lines = [f"{spec.id}: {spec.label}, {spec.title}; scale {plan.options.scale}"]
    lines += [f"  STAND-IN: {panel.dataset}: {panel.stand_in}" for panel in plan.panels if panel.stand_in]
    lines += [f"  cannot be had: {name}: {why}" for name, why in plan.absent.items()]
    lines += [
        f"  left out on {panel.dataset}: {name}: {why}" for panel in plan.panels for name, why in panel.left_out.items()
    ]
    if not runs:
        return lines
    lines.append(f"  {runs - len(missing)} of {runs} runs are in the store")
    if missing:
        wanted = [run.settings for run in missing]
        seconds = expected_seconds(wanted, plan.options.jobs)
        memory = _gigabytes(peak_memory(wanted, plan.options.jobs))
        how = f"{plan.options.jobs} at a time: about {duration(seconds)}, up to {memory} of memory"
        lines.append(f"  {len(missing)} to make, {how}")
    return lines


def last_verdict(folder: Path) -> str:
    """Verdicts in a figure's folder, in a few words; empty if there is none."""
    try:
        claims = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))["claims"]
        return ", ".join(f"{claim['id'].partition('.')[2]} {in_words(claim['verdict'])}" for claim in claims) or "made"
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError):
        return "damaged"


def _gigabytes(number: float) -> str:
    return f"{number / 2**30:.1f} GiB"
