"""Writes a figure's data, table and verdict to its folder, ``figures/<id>/<scale>/``."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.reproduction.made import Made
from experiments.reproduction.report.rendering import render
from experiments.reproduction.verdict import Verdict
from experiments.store.serialize import plain


def write_texts(folder: Path, made: Made, verdict: Verdict, facts: Mapping[str, Any]) -> None:
    """Write data, table and verdict, each as data and as a page.

    Parameters
    ----------
    folder : Path
        An empty folder.
    made : Made
    verdict : Verdict
    facts : mapping
        Added to verdict.json: what the figure is, on what machine, when. ``heading`` is the title of verdict.md.
    """
    made.data.to_csv(folder / "data.csv", index=False)
    if made.table is not None:
        _write_json(folder / "table.json", dataclasses.asdict(made.table))
        (folder / "table.md").write_text(render("table.md.j2", table=made.table), encoding="utf-8")
    _write_json(folder / "verdict.json", as_json(verdict) | dict(facts))
    page = render("verdict.md.j2", verdict=verdict, heading=str(facts["heading"]))
    (folder / "verdict.md").write_text(page, encoding="utf-8")


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the content of verdict.json, without the facts."""
    numbers = [dataclasses.asdict(number) | {"agrees": number.agrees} for number in verdict.numbers]
    return dataclasses.asdict(verdict) | {"numbers": numbers}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(plain(content, path.name), indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
