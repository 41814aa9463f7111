"""Renders the Jinja templates of the scorecards and the verdict pages in Markdown; writes cases as CSV.

Each text that comes from a file goes through one of the filters `escaped`, `paragraph`, `code`, `fenced` and `cell`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, TextIO
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ..citations import paper_named
from ..evidence import Bold, Table
from ..verdict import Claim, on_data
from . import labels

CASES: Final = "cases.csv"
"""Name of the file of `write_cases`."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def render(template: str, **values: Any) -> str:
    """Render a file of ``templates`` with the values that it names.

    Control characters, which no page can hold, become spaces. A page has at most one empty line in a row.
    """
    text = _CONTROL.sub(" ", _environment().get_template(template).render(values))
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        LABELS=labels.LABELS,
        command_for=labels.command_for,
        paper_named=paper_named,
        right_aligned=right_aligned,
    )
    environment.filters.update(
        cell=_cell,
        claim_heading=_claim_heading,
        counted=labels.counted,
        code=_code,
        comparison=labels.comparison,
        escaped=escaped,
        facts=labels.facts,
        fenced=_fenced,
        heading_anchor=heading_anchor,
        limitations=labels.limitations,
        on_data=on_data,
        paragraph=_paragraph,
        section_text=labels.section_text,
        quantity=labels.quantity,
        quoted=lambda text: quote(text, safe=""),
        rounded=labels.rounded,
        ruling=labels.RULINGS.__getitem__,
        state=labels.claim_state,
        tallied=labels.tallied,
    )
    return environment


def write_cases(file: TextIO, claims: Sequence[Claim]) -> None:
    """Write a row for each claim, reading and case, with ruling, measurement and note, into a file opened as text."""
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(["claim", "reading", "data set", "case", "ruling", "measured", "note"])
    for claim in claims:
        for reading in claim.readings:
            for case in reading.rulings:
                cells = (case.about or case.name, case.ruling, case.measured, case.note)
                rows.writerow([claim.id, reading.id, case.dataset, *cells])


def heading_anchor(heading: str) -> str:
    """Return the anchor that the usual renderers of Markdown give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _claim_heading(claim: Claim) -> str:
    return f"{claim.id}: {labels.LABELS[labels.claim_state(claim)].symbol} {claim.nearest.text}"


_NUMBER = re.compile(
    r"[<>=~±+\-\u2212\u2248\u2264\u2265]*\s*\d[\d.,]*"  # sign, digits
    r"(\s*[x\u00d7]?\s*10[\^⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻+\-\d]+|e[+-]?\d+)?"  # power of ten
    r"\s*(%|[a-zµ]{1,3})?"  # unit
    r"(\s*(±|to|\.\.|\u2013)\s*[+\-\u2212]?\d[\d.,]*\s*%?)?"  # spread
)
_EMPTY = {"", "-", "\N{EN DASH}", labels.NOTHING}


def right_aligned(table: Table) -> list[bool]:
    """Return for each column whether it is aligned to the right: all cells that are not empty are numbers."""
    aligned = []
    for column in range(len(table.columns)):
        texts = {cell.bold if isinstance(cell, Bold) else cell for row in table.rows for cell in [row[column]]} - _EMPTY
        aligned.append(bool(texts) and all(map(_NUMBER.fullmatch, texts)))
    return aligned


_SPECIAL = re.compile(
    r"[`*|~$]"
    r"|\](?=\()"  # of a link
    r"|<(?=[A-Za-z/!?])"  # of a tag
    r"|&(?=#?\w+;)"  # of an entity
    r"|\\(?=[!-/:-@\[-`{-~]|$)"  # that escapes, or breaks the line
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"  # within a word it has no meaning
)


def escaped(text: str) -> str:
    """Return a text on one line without Markdown's meaning of its characters; not for the beginning of a line."""
    return _SPECIAL.sub(r"\\\g<0>", _one_line(text))


def _one_line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _paragraph(text: str) -> str:
    """Return a text as a paragraph: no list, heading, quotation or link definition at its beginning."""
    return re.sub(r"^(?=[-+#>=\[])|^(\d+)(?=[.)])", r"\1\\", escaped(text))


def _cell(cell: str | Bold) -> str:
    text = escaped(cell.bold if isinstance(cell, Bold) else cell)
    return f"**{text}**" if isinstance(cell, Bold) and text else text


def _code(text: str) -> str:
    flat = _one_line(text) or labels.NOTHING
    ticks = "`" * (_longest(flat) + 1)
    space = " " if "`" in flat[:1] + flat[-1:] else ""
    return ticks + space + flat + space + ticks


def _fenced(text: str) -> str:
    fence = "`" * max(3, _longest(text) + 1)
    return f"{fence}sh\n{text.strip()}\n{fence}"


def _longest(text: str) -> int:
    """Return the length of the longest run of backticks."""
    return max((len(run) for run in re.findall("`+", text)), default=0)
