"""Lines of ``list``, and the announcement of a figure before it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from svm_cost_curves.experiments.provenance import UNCOMMITTED
from svm_cost_curves.experiments.reproduction.durations import DEFAULT_SECONDS, Seconds, expected_seconds
from svm_cost_curves.experiments.reproduction.memory import peak_memory
from svm_cost_curves.experiments.reproduction.plan import Plan
from svm_cost_curves.experiments.reproduction.spec import SCALES, FigureSpec
from svm_cost_curves.experiments.reproduction.verdict import in_words
from svm_cost_curves.experiments.run.meter import duration

COLUMNS = f"{'figure':<24}  scale  {'in store':>13}  {'time':>8}  {'memory':>8}  data sets; last verdict"
"""Header of the lines of `status_line`."""


def catalogue_lines(specs: Sequence[FigureSpec], figures: Path) -> Iterator[str]:
    """Return a line for each figure: id, paper, label, title, and the scales at which it was made.

    Parameters
    ----------
    specs : sequence of FigureSpec
    figures : Path
        Folder of the figures that were made.
    """
    rows = [(spec.id, spec.paper or "-", spec.label) for spec in specs]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(3)]
    for spec, row in zip(specs, rows, strict=True):
        made = [scale for scale in SCALES if (figures / spec.id / scale / "verdict.json").exists()]
        head = "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        yield f"{head}  {spec.title}" + (f" (made: {', '.join(made)})" if made else "")


def status_line(plan: Plan, figures: Path, seconds: Seconds) -> str:
    """Return the line of a figure at a scale, with the columns of `COLUMNS`.

    Parameters
    ----------
    plan : Plan
    figures : Path
        Folder of the figures that were made, for the last verdict.
    seconds : callable
        Returns the seconds of a run.
    """
    runs = [run.settings for run in plan.runs]
    sets = ", ".join(panel.dataset + (" (stand-in)" if panel.stand_in else "") for panel in plan.panels)
    parts = [sets, *(f"no {name}" for name in plan.absent), last_verdict(figures / plan.spec.id / plan.options.scale)]
    there = f"{len(runs) - len(plan.missing)} of {len(runs)}" if runs else "no runs"
    time = duration(expected_seconds(runs, plan.options.jobs, seconds)) if runs else "seconds"
    memory = _gigabytes(peak_memory(runs, plan.options.jobs)) if runs else "-"
    line = f"{plan.spec.id:<24}  {plan.options.scale:<5}  {there:>13}  {time:>8}  {memory:>8}  "
    return (line + "; ".join(filter(None, parts))).rstrip()


def announcement(plan: Plan, seconds: Seconds) -> list[str]:
    """Return the lines that show what a figure needs and what is missing; `seconds` returns those of a run."""
    spec, missing = plan.spec, plan.missing
    runs = len(plan.runs)
    lines = [f"{spec.id}: {spec.label}, {spec.title}; scale {plan.options.scale}"]
    lines += [f"  STAND-IN: {panel.dataset}: {panel.stand_in}" for panel in plan.panels if panel.stand_in]
    lines += [f"  not available: {name}: {why}" for name, why in plan.absent.items()]
    lines += [
        f"  left out on {panel.dataset}: {name}: {why}" for panel in plan.panels for name, why in panel.left_out.items()
    ]
    if not runs:
        return lines
    reference = {series.name for series in spec.series if series.reference_only}
    names = sorted({run.series for run in plan.runs} & reference)
    with_reference = f"; the reference, {', '.join(names)}, is among them" if names else ""
    lines.append(f"  {runs - len(missing)} of {runs} runs are in the store{with_reference}")
    if beside := sum(run.beside for run in missing):
        lines.append(f"  {beside} more were made beside other runs: they are made again, alone, for their times")
    if missing:
        wanted = [run.settings for run in missing]
        limited = [run.settings for run in missing if run.series not in reference]
        time = duration(expected_seconds(limited, plan.options.jobs, seconds))
        time += " beside the reference, which ends by itself" if len(limited) < len(wanted) else ""
        memory = _gigabytes(peak_memory(wanted, plan.options.jobs))
        guessed = sorted({run.algo for run in wanted if seconds(run) == DEFAULT_SECONDS})
        how = f"time not known, {', '.join(guessed)} has no run yet" if guessed else f"about {time}"
        lines.append(f"  {len(missing)} to make, {plan.options.jobs} at a time: {how}; up to {memory} of memory")
    return lines


def last_verdict(folder: Path) -> str:
    """Return the verdicts in a figure's folder in a few words; empty if there are none."""
    try:
        found = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
        claims = (f"{claim['id'].partition('.')[2]} {in_words(claim['verdict'])}" for claim in found["claims"])
        changed = found.get("dirty") or any(commit.endswith(UNCOMMITTED) for commit in found.get("run_commits", ()))
        return (", ".join(claims) or "made") + f" ({UNCOMMITTED})" * changed
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError):
        return "damaged"


def _gigabytes(number: float) -> str:
    return f"{number / 2**30:.1f} GiB"
