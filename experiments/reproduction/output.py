"""What a figure leaves: ``figures/<id>/<scale>/``, written beside and renamed, so that it is never half there."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.reproduction.made import Made, Table
from experiments.reproduction.verdict import Claim, Number, Verdict, in_words
from experiments.store.texts import plain


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Give a new empty folder that takes the place of `folder` at the end, or vanishes if something goes wrong."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        if old.exists() and not folder.exists():
            old.rename(folder)
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def write_texts(folder: Path, made: Made, verdict: Verdict, facts: Mapping[str, Any]) -> None:
    """Write data, table and verdict.

    Parameters
    ----------
    folder : Path
        An empty folder.
    made : Made
    verdict : Verdict
    facts : mapping
        Added to verdict.json: what the figure is, on what machine, when.
    """
    made.data.to_csv(folder / "data.csv", index=False)
    if made.table is not None:
        (folder / "table.md").write_text(markdown_table(made.table), encoding="utf-8")
    content = plain(as_json(verdict) | dict(facts), "verdict")
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    (folder / "verdict.json").write_text(text, encoding="utf-8")
    (folder / "verdict.md").write_text(verdict_text(verdict, str(facts["heading"])), encoding="utf-8")


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Content of verdict.json."""
    numbers = [dataclasses.asdict(number) | {"agrees": number.agrees} for number in verdict.numbers]
    return dataclasses.asdict(verdict) | {"numbers": numbers}


def verdict_text(verdict: Verdict, heading: str) -> str:
    """Verdict for people, as Markdown."""
    lines = [f"# {heading}", ""]
    lines += [f"**Stand-in data**: `{name}`: {why}" for name, why in verdict.stand_in.items()]
    lines += [f"**Not to be had**: `{name}`: {why}" for name, why in verdict.absent.items()]
    lines += [f"**Runs missing**: `{name}`: {why}" for name, why in verdict.missing.items()]
    lines += [f"**Left out**: `{name}`: {why}" for name, why in verdict.left_out.items()]
    for claim in verdict.claims:
        lines += ["", *_claim_lines(claim)]
    if verdict.numbers:
        lines += ["", markdown_table(numbers_table(verdict.numbers)).rstrip()]
    changed = " with changes" if verdict.dirty else ""
    lines += ["", f"Scale {verdict.scale}; commit {verdict.commit or 'unknown'}{changed}; `{verdict.command}`"]
    if verdict.run_commits:
        lines.append(f"Runs made at {', '.join(verdict.run_commits)}")
    return "\n".join(lines) + "\n"


def numbers_table(numbers: Sequence[Number]) -> Table:
    """Put printed numbers beside ours."""
    words = {True: "yes", False: "no", None: ""}
    rows = [
        (
            number.name,
            f"{_digits(number.paper, 'g')} {number.unit}".strip(),
            "-" if number.measured is None else f"{_digits(number.measured, '.4g')} {number.unit}".strip(),
            "" if number.tolerance is None else f"± {number.tolerance:.2g}",
            words[number.agrees],
            number.note,
        )
        for number in numbers
    ]
    return Table(("number", "paper", "here", "tolerance", "agrees", "note"), rows)


def _digits(value: float, form: str) -> str:
    """Write a number; a count with all its digits."""
    return f"{value:,.0f}" if abs(value) >= 1e4 and value.is_integer() else f"{value:{form}}"


def markdown_table(table: Table) -> str:
    """Make a Markdown table, with notes below."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.rows]
    lines = ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    notes = [f"\n{note}" for note in table.notes]
    return "\n".join([*lines, *notes]) + "\n"


def _claim_lines(claim: Claim) -> list[str]:
    return [
        f"## {claim.id}: {in_words(claim.verdict)}",
        "",
        f"The paper: {claim.paper_says}",
        "",
        f"Measured: {claim.measured}",
        "",
        f"Why: {claim.why}",
    ]
