"""Writes the texts of a figure's folder, ``figures/<id>/<scale>/``: data, cases, table and verdict."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from svm_cost_curves.experiments.plotting.interactive import PAGE
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.report.rendering import CASES, render, write_cases
from svm_cost_curves.experiments.reproduction.verdict import Reading, Verdict
from svm_cost_curves.support.values import plain

INPUTS = "inputs.sha256"
"""In a report: the checksum of all that the figure was drawn from."""
OWN = ("figure.*", "paper.*", "data.csv", CASES, "table.*", "verdict.*", PAGE, INPUTS)
"""Patterns of the names of a figure's files, which a new one replaces."""


def write_texts(folder: Path, result: FigureResult, verdict: Verdict, facts: Mapping[str, Any]) -> None:
    """Write data.csv, cases.csv, table.json, table.md, verdict.json and verdict.md into an empty folder.

    The facts, figure, machine and time, are added to verdict.json; ``heading`` is the title of verdict.md.
    """
    result.data.to_csv(folder / "data.csv", index=False)
    if result.table is not None:
        table = result.table()
        _write_json(folder / "table.json", dataclasses.asdict(table))
        (folder / "table.md").write_text(render("table.md.j2", table=table), encoding="utf-8")
    _write_json(folder / "verdict.json", as_json(verdict) | dict(facts))
    with (folder / CASES).open("w", encoding="utf-8", newline="") as file:
        write_cases(file, verdict.claims)
    page = render("verdict.md.j2", verdict=verdict, heading=str(facts["heading"]))
    (folder / "verdict.md").write_text(page, encoding="utf-8")


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the content of verdict.json, without the facts."""
    claims = [
        dataclasses.asdict(claim)
        | {"verdict": claim.verdict, "type": claim.type, "readings": list(map(_reading, claim.readings))}
        for claim in verdict.claims
    ]
    return dataclasses.asdict(verdict) | {"claims": claims}


def _reading(reading: Reading) -> dict[str, Any]:
    counts = {"held": reading.held, "run": reading.run, "cases": reading.cases}
    return dataclasses.asdict(reading) | {"text": reading.text, "decided_by": reading.decided_by} | counts


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(plain(content, path.name), indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
